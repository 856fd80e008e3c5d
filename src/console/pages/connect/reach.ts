/** Who can reach the address that is shown, and what the others need. */
import type { VNode } from "preact";
import { Snippet } from "../../kit/copy.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";
import { isLoopback } from "./place.ts";

export function Reach({ base, hasKey }: { base: string; hasKey: boolean }): VNode | null {
  if (isLoopback(base)) return html`<${OnlyHere} base=${base} />`;
  if (!hasKey) return html`<p class="connect-note">${t("connect.reach.needsKey")}</p>`;
  return base.startsWith("http:") ? html`<p class="connect-note">${t("connect.reach.plain")}</p>` : null;
}

function OnlyHere({ base }: { base: string }): VNode {
  const { host, port } = new URL(base);
  const command = `zaguan key create my-laptop\nzaguan serve --host 0.0.0.0${port === "3003" ? "" : ` --port ${port || 80}`}`;
  return html`<details class="connect-note">
    <summary>${t("connect.reach.onlyHere", { host })}</summary>
    <p>${t("connect.reach.others")}</p>
    <${Snippet} text=${command} label=${t("connect.reach.command")} />
    <p>${t("connect.reach.then")}</p>
  </details>`;
}
