/** One tool: what it is, a form to try it, what it answered, and the same call to take along. */
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { visible } from "../../kit/hidden.ts";
import { html } from "../../kit/html.ts";
import { tools } from "../../kit/live.ts";
import { Empty, ProblemBox, Progress } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { useLoad } from "../../kit/use-load.ts";
import { t } from "../../kit/words.ts";
import { findTool, isNoServer } from "./find-tool.ts";
import { lastList } from "./last-list.ts";
import { ToolHead } from "./tool-head.ts";
import type { Tool } from "./tool-types.ts";
import { TryIt } from "./try-it.ts";

export function ToolPage({ server, tool: name }: { server: string; tool: string }): VNode {
  const offered = useStore(tools);
  const { value, problem, loading, reload } = useLoad(
    (signal) => findTool(server, name, signal),
    [server, name, offered],
  );
  const tool = useSteady(value);
  useTitle(name);
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

/** Heard by those who cannot see that the page is another one. */
function useTitle(name: string): void {
  useEffect(() => {
    const list = `${t("nav.tools")} · Zaguan`;
    document.title = `${visible(name)} · ${list}`;
    return () => {
      document.title = list;
    };
  }, [name]);
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
