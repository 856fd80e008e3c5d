/** Two servers with tools of one name: who has it, and what the other's is called. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { tools } from "../../kit/live.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";
import { type ClashGroup, clashGroups } from "./clash-groups.ts";

/** A thousand servers may share as many names: the first ones explain it. */
const MOST_GROUPS = 20;
const MOST_NAMES = 30;

/** Of all servers, or of the one that is named. */
export function Clashes({ of }: { of?: string | undefined }): VNode | null {
  const all = useStore(tools).clashes;
  const groups = useMemo(() => clashGroups(all, of), [all, of]);
  if (groups.length === 0) return null;
  const count = groups.reduce((sum, group) => sum + group.tools.length, 0);
  const more = groups.length - MOST_GROUPS;
  return html`<details class="servers-notice" data-tone="warn">
    <summary>${count === 1 ? t("servers.clash.one") : t("servers.clash.many", { count: number(count) })}</summary>
    <ul>
      ${groups.slice(0, MOST_GROUPS).map((group) => html`<${Group} key=${`${group.keeper} ${group.other}`} group=${group} />`)}
    </ul>
    ${more > 0 && html`<p>${t("servers.clash.more", { count: number(more) })}</p>`}
  </details>`;
}

function Group({ group: { keeper, other, tools } }: { group: ClashGroup }): VNode {
  const names = tools.slice(0, MOST_NAMES).join(", ") + (tools.length > MOST_NAMES ? ", …" : "");
  return html`<li>
    ${t("servers.clash.text", { keeper, other, example: `${other}__${tools[0] ?? ""}` })}
    <div class="muted servers-small">${names}</div>
  </li>`;
}
