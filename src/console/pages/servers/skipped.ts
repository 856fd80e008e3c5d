/** Parts of a document that could not become tools, each with the reason. */
import type { VNode } from "preact";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";

export function Skipped({
  skipped,
}: {
  skipped: readonly { readonly where: string; readonly reason: string }[];
}): VNode | null {
  if (skipped.length === 0) return null;
  return html`<details class="servers-notice" data-tone="warn">
    <summary>${t("servers.skipped", { count: number(skipped.length) })}</summary>
    <ul class="servers-skipped">
      ${skipped.map(({ where, reason }) => html`<li key=${where}><code>${where}</code> ${reason}</li>`)}
    </ul>
  </details>`;
}
