/** Two servers with tools of one name: who has it, and what the other's is called. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { Clash } from "../../../doors/live/views.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { tools } from "../../kit/live.ts";
import { useStore } from "../../kit/store.ts";
import { t } from "../../kit/words.ts";

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

interface ClashGroup {
  /** Its tools have the plain names. */
  readonly keeper: string;
  /** Its tools have its name in front. */
  readonly other: string;
  readonly tools: readonly string[];
}

/** Tools of one name, put together by the two servers that have them: of all servers, or of the one that is named. */
export function clashGroups(clashes: readonly Clash[], of?: string): readonly ClashGroup[] {
  const pairs = Map.groupBy(clashes, (clash) => `${clash.keeper}\n${otherOf(clash)}`);
  const groups = [...pairs].map(([pair, own]) => {
    const [keeper = "", other = ""] = pair.split("\n");
    return { keeper, other, tools: own.map(({ tool }) => tool) };
  });
  return of === undefined ? groups : groups.filter(({ keeper, other }) => keeper === of || other === of);
}

/** The name under which a tool goes instead begins with its server's; neither part has "__" in front of the tool's own. */
function otherOf({ tool, renamed }: Clash): string {
  const ending = `__${tool}`;
  return renamed.endsWith(ending) ? renamed.slice(0, -ending.length) : renamed;
}
