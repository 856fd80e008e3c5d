/** What is to be known of a tool before it is used, each in a word. */
import type { VNode } from "preact";
import { html } from "../../kit/html.ts";
import { Badge } from "../../kit/parts.ts";
import { t } from "../../kit/words.ts";
import type { ToolRow } from "./tool-pages.ts";
import type { ToolAnnotations } from "./tool-types.ts";

export function StateBadges({ tool }: { tool: ToolRow }): VNode {
  return html`
    ${tool.quarantine !== undefined && html`<${Badge} tone="bad">${t("tools.badge.quarantined")}</${Badge}>`}
    ${tool.missing && html`<${Badge} tone="warn">${t("tools.badge.missing")}</${Badge}>`}
    ${tool.publicName !== undefined && html`<${Badge} tone="busy">${t("tools.badge.renamed")}</${Badge}>`}
  `;
}

/** Only what was said: what was not said means nothing. */
export function HintBadges({ annotations = {} }: { annotations?: ToolAnnotations | undefined }): VNode {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  return html`
    ${readOnlyHint === true && html`<${Badge} tone="good">${t("tools.hint.readOnly")}</${Badge}>`}
    ${readOnlyHint !== true && destructiveHint === true && html`<${Badge} tone="warn">${t("tools.hint.destructive")}</${Badge}>`}
    ${readOnlyHint !== true && destructiveHint === false && html`<${Badge} tone="quiet">${t("tools.hint.additive")}</${Badge}>`}
    ${idempotentHint === true && html`<${Badge} tone="quiet">${t("tools.hint.idempotent")}</${Badge}>`}
    ${openWorldHint === true && html`<${Badge} tone="quiet">${t("tools.hint.openWorld")}</${Badge}>`}
    ${openWorldHint === false && html`<${Badge} tone="quiet">${t("tools.hint.closedWorld")}</${Badge}>`}
  `;
}
