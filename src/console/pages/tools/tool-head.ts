/** What a tool is: its name, whose it is, what it says of itself, and what stands in its way. */
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { linkTo } from "../../kit/router.ts";
import { t } from "../../kit/words.ts";
import { FoldedText } from "./folded-text.ts";
import { JsonTree } from "./json-tree.ts";
import { isFollowed } from "./last-list.ts";
import { HintBadges, StateBadges } from "./tool-badges.ts";
import type { Tool } from "./tool-types.ts";

export function ToolHead({ tool }: { tool: Tool }): VNode {
  const title = titleOf(tool);
  const heading = useRef<HTMLHeadingElement>(null);
  // Who came by a link in the list goes on from here.
  useEffect(() => {
    if (isFollowed() && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  const calls = `#/calls?${new URLSearchParams({ search: tool.name })}`;
  return html`<section class="card tool-head">
    <h2 ref=${heading} tabindex="-1">${title ?? tool.name}</h2>
    <p class="row">
      ${title !== undefined && html`<code>${tool.name}</code>`}
      <span>${t("tools.one.of")} <a href=${linkTo("servers", tool.serverSlug)}>${tool.serverName}</a></span>
      <a href=${calls}>${t("tools.one.calls")}</a>
    </p>
    <p class="row badges"><${StateBadges} tool=${tool} /><${HintBadges} annotations=${tool.annotations} /></p>
    ${tool.publicName !== undefined && html`<p>${t("tools.one.renamed", { name: tool.publicName })}</p>`}
    ${tool.missing && html`<p>${t("tools.one.missing", { server: tool.serverName })}</p>`}
    ${tool.quarantine !== undefined && html`<p class="wrong-text">${t("tools.one.quarantined", { reason: tool.quarantine })}</p>`}
    ${tool.description === "" ? html`<p class="muted">${t("tools.list.noDescription")}</p>` : html`<${FoldedText} text=${tool.description} />`}
    <details class="raw">
      <summary>${t("tools.one.schema")}</summary>
      <${JsonTree} value=${tool.inputSchema} label=${t("tools.one.schema")} />
    </details>
  </section>`;
}

function titleOf({ title, annotations, name }: Tool): string | undefined {
  return [title, annotations?.title].find(
    (text): text is string => typeof text === "string" && text !== "" && text !== name,
  );
}
