/** One tool: what it is, a form to try it, what it answered, and the same call to take along. */
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { html } from "../../kit/html.ts";
import { tools } from "../../kit/live.ts";
import { Badge, Empty, ProblemBox, Progress } from "../../kit/parts.ts";
import { linkTo } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { useLoad } from "../../kit/use-load.ts";
import { useTitlePart } from "../../kit/view.ts";
import { t } from "../../kit/words.ts";
import { FoldedText, JsonTree } from "./folded.ts";
import { findTool, isNoServer } from "./list-query.ts";
import { StateBadges } from "./tool-list.ts";
import type { Tool, ToolAnnotations } from "./tool-pages.ts";
import { TryIt } from "./try-it.ts";
import { isFollowed, lastList } from "./use-tool-pages.ts";

export function ToolPage({ server, tool: name }: { server: string; tool: string }): VNode {
  const offered = useStore(tools);
  const { value, problem, loading, reload } = useLoad(
    (signal) => findTool(server, name, signal),
    [server, name, offered],
  );
  const tool = useSteady(value);
  useTitlePart(name);
  return html`<div class="stack tool-page">
    <p><a href=${lastList.address}><span aria-hidden="true">← </span>${t("tools.one.back")}</a></p>
    ${tool && html`<${ToolHead} tool=${tool} />`}
    ${tool && isCallable(tool) && html`<${TryIt} tool=${tool} />`}
    ${!tool && loading && html`<${Progress} label=${t("nav.loading")} />`}
    ${!tool && !loading && (!problem || isNoServer(problem)) && html`<${NoSuchTool} server=${server} name=${name} />`}
    ${problem && !isNoServer(problem) && html`<${ProblemBox} problem=${problem} retry=${reload} />`}
  </div>`;
}

/** What is not offered cannot be tried; and what was not fit to be offered need not be fit to be drawn. */
function isCallable({ quarantine, missing }: Tool): boolean {
  return quarantine === undefined && !missing;
}

/** The same object for as long as it says the same: a form must not begin anew because something else changed. */
function useSteady(tool: Tool | undefined): Tool | undefined {
  const kept = useRef(tool);
  return useMemo(() => {
    if (JSON.stringify(kept.current) !== JSON.stringify(tool)) kept.current = tool;
    return kept.current;
  }, [tool]);
}

function NoSuchTool({ server, name }: { server: string; name: string }): VNode {
  return html`<${Empty} title=${t("tools.one.none", { tool: name, server })}>
    <p>${t("tools.one.noneText")}</p>
    <p><a class="button" href="#/tools">${t("tools.one.all")}</a></p>
  </${Empty}>`;
}

/** What a tool is: its name, whose it is, what it says of itself, and what stands in its way. */
function ToolHead({ tool }: { tool: Tool }): VNode {
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

/** Only what was said: what was not said means nothing. */
function HintBadges({ annotations = {} }: { annotations?: ToolAnnotations | undefined }): VNode {
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
