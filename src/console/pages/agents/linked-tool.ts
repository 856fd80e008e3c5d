/** One tool that an agent is linked to: on or off, with its arguments, or taken away. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { Badge } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import { LinkArguments } from "./link-arguments.ts";
import type { LinkRow } from "./link-desk.ts";
import type { AgentLinks } from "./use-links.ts";

export function LinkedTool({ row, links, may }: { row: LinkRow; links: AgentLinks; may: boolean }): VNode {
  const { tool, enabled } = row;
  const [editing, setEditing] = useState(false);
  const unlink = (event: Event): void => {
    focusNext(event.currentTarget as HTMLElement);
    links.desk.unlink(tool);
  };
  return html`<div class="agents-linked" data-off=${!enabled}>
    <span class="agents-linked-name">
      <span class="ellipsis"><strong>${tool.name}</strong> <span class="muted">${tool.serverName}</span></span>
      <${Marks} row=${row} />
    </span>
    <span class="row agents-linked-actions">
      <label class="check">
        <input type="checkbox" role="switch" checked=${enabled} disabled=${!may} aria-label=${t("agents.linked.switch", { tool: tool.name })} onChange=${() => links.desk.link(tool, !enabled)} />
        <span aria-hidden="true">${enabled ? t("agents.linked.on") : t("agents.linked.off")}</span>
      </label>
      ${
        may &&
        html`<button type="button" class="button small" disabled=${row.bindingId === undefined} aria-label=${t("agents.linked.argumentsOf", { tool: tool.name })} onClick=${() => setEditing(true)}>${t("agents.linked.arguments")}</button>
        <button type="button" class="button small" data-unlink aria-label=${t("agents.linked.unlinkOf", { tool: tool.name })} onClick=${unlink}>${t("agents.linked.unlink")}</button>`
      }
    </span>
    ${editing && html`<${LinkArguments} row=${row} links=${links} close=${() => setEditing(false)} />`}
  </div>`;
}

/** What is out of the ordinary about it. */
function Marks({ row: { tool, config } }: { row: LinkRow }): VNode {
  const fixed = Object.keys(config?.fixedArguments ?? {});
  return html`<span class="agents-marks">
    ${tool.missing && html`<${Badge} tone="warn">${t("agents.linked.missing")}</${Badge}>`}
    ${fixed.length > 0 && html`<${Badge} tone="busy">${t("agents.linked.fixed", { names: fixed.join(", ") })}</${Badge}>`}
    ${config?.allowedArguments && html`<${Badge} tone="busy">${t("agents.linked.allowed", { names: config.allowedArguments.join(", ") || "–" })}</${Badge}>`}
  </span>`;
}

/** The row goes away with the button that is pressed: its neighbour takes the focus, or the list. */
function focusNext(button: HTMLElement): void {
  const list = button.closest<HTMLElement>("[role=list]");
  const all = [...(list?.querySelectorAll<HTMLElement>("[data-unlink]") ?? [])];
  const place = all.indexOf(button);
  (all[place + 1] ?? all[place - 1] ?? document.getElementById("main"))?.focus();
}
