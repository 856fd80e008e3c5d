/** A server before it is added: the tools that it would bring, or what was tried and why it failed. */
import type { VNode } from "preact";
import type { ServerPreview, ShownTool } from "../../../contract/server.ts";
import { span } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Badge } from "../../kit/parts.ts";
import { VirtualList } from "../../kit/virtual-list.ts";
import { t } from "../../kit/words.ts";
import { toolsText } from "./row.ts";
import { revisionText } from "./state.ts";
import { Steps } from "./steps.ts";

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
