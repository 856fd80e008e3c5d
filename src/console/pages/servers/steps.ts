/** What was tried to reach a server, one way after another. */
import type { VNode } from "preact";
import type { DiscoveryStep } from "../../../contract/server.ts";
import { span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { t } from "../../kit/words.ts";

export function Steps({ steps }: { steps: readonly DiscoveryStep[] }): VNode {
  return html`<div class="scroll-x" tabindex="0" role="region" aria-label=${t("servers.steps")}>
    <table class="servers-steps">
      <thead>
        <tr>
          <th scope="col">${t("servers.steps.attempt")}</th>
          <th scope="col">${t("servers.steps.after")}</th>
          <th scope="col">${t("servers.steps.way")}</th>
          <th scope="col">${t("servers.steps.outcome")}</th>
        </tr>
      </thead>
      <tbody>
        ${steps.map(
          ({ attempt, atMs, transport, outcome }, place) => html`<tr key=${place}>
            <td>${attempt}</td>
            <td>${span(atMs)}</td>
            <td>${transport}</td>
            <td>${outcome}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
