/** A server before it is added: the tools that it would bring, or what was tried and why it failed. */
import type { VNode } from "preact";
import type { DiscoveryStep, ServerPreview, ShownTool } from "../../../contract/server.ts";
import { span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Badge } from "../../kit/parts.ts";
import { VirtualList } from "../../kit/virtual-list.ts";
import { t } from "../../kit/words.ts";
import { revisionText, toolsText } from "./state.ts";

const TOOL_PX = 60;

export function PreviewView({ preview }: { preview: ServerPreview }): VNode {
  const { ok, tools, error, steps, ms } = preview;
  return html`<div class="servers-preview stack">
    <p class="row" role="status">
      <${Badge} tone=${ok ? "good" : "bad"}>${t(ok ? "servers.preview.reached" : "servers.preview.failed")}</${Badge}>
      ${ok ? html`<strong>${toolsText(tools.length)}</strong>` : html`<span>${error}</span>`}
    </p>
    ${ok && html`<p class="muted">${aboutText(preview)}</p>`}
    ${!ok && html`<p>${t("servers.preview.tryThis")}</p>`}
    ${
      tools.length > 0 &&
      html`<${VirtualList}
      class="servers-previewed"
      rows=${tools}
      rowHeight=${TOOL_PX}
      label=${t("servers.preview.tools")}
      keyOf=${({ name }: ShownTool) => name}
      draw=${(tool: ShownTool) => html`<${ToolLine} tool=${tool} />`}
    />`
    }
    <details open=${!ok}>
      <summary>${t("servers.steps")} <span class="muted">(${span(ms)})</span></summary>
      <${Steps} steps=${steps} />
    </details>
  </div>`;
}

function ToolLine({ tool: { name, description } }: { tool: ShownTool }): VNode {
  return html`<div class="servers-tool">
    <code class="ellipsis">${name}</code>
    <span class="muted ellipsis">${description}</span>
  </div>`;
}

/** Who it says it is, how it was reached, and what it speaks. */
function aboutText({ serverInfo, transport, revision }: ServerPreview): string {
  const { name, title = name, version } = serverInfo ?? {};
  const self = [title, version].filter((text) => typeof text === "string").join(" ");
  return [self, transport, revisionText(revision)].filter(Boolean).join(" · ");
}

/** What was tried to reach a server, one way after another. */
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
