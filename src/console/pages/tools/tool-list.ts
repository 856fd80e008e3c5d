/** All tools of all servers, searched by the hub as one types. */
import type { RefObject, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { Badge, Empty, ProblemBox, Progress } from "../../kit/parts.ts";
import { linkTo } from "../../kit/router.ts";
import { VirtualList } from "../../kit/virtual-list.ts";
import { t } from "../../kit/words.ts";
import { addressOf, type ToolsQuery } from "./list-query.ts";
import type { ToolRow, ToolsFound } from "./tool-pages.ts";
import { SearchBar, useQuery } from "./tool-search.ts";
import { isFollowed, lastList, useToolPages } from "./use-tool-pages.ts";

export function ToolList(): VNode {
  const [query, setQuery] = useQuery();
  const { found, more, retry } = useToolPages(query);
  const place = useRef<HTMLDivElement>(null);
  useReturn(place);
  return html`<div ref=${place} class="stack tool-list">
    <${SearchBar} query=${query} change=${setQuery} />
    <p class="muted" role="status">${statusOf(found)}</p>
    ${found.problem && html`<${ProblemBox} problem=${found.problem} retry=${retry} />`}
    <${Rows} found=${found} more=${more} clear=${() => setQuery({ search: "", server: "", missing: query.missing })} />
  </div>`;
}

/** Who comes back from a tool finds the list where it was left, and the keyboard on the tool. */
function useReturn(place: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const list = place.current?.querySelector(".tool-rows");
    if (list && isFollowed()) list.scrollTop = lastList.top;
    // Rows are drawn once more when the list has been scrolled.
    const timer = setTimeout(() => {
      const links = [...(place.current?.querySelectorAll<HTMLAnchorElement>(".tool-row") ?? [])];
      if (document.activeElement === document.body) links.find((link) => link.hash === lastList.opened)?.focus();
      lastList.opened = undefined;
    }, 50);
    return () => clearTimeout(timer);
  }, []);
}

function statusOf({ rows, total, query }: ToolsFound): string {
  if (rows.length === 0) return "";
  return t(isSearch(query) ? "tools.list.found" : "tools.list.count", { count: number(total) });
}

function isSearch({ search, server }: ToolsQuery): boolean {
  return search.trim() !== "" || server !== "";
}

function Rows({ found, more, clear }: { found: ToolsFound; more: () => void; clear: () => void }): VNode | undefined {
  const { rows, loading, query, problem } = found;
  if (rows.length > 0) {
    return html`<${VirtualList}
      key=${addressOf(query)}
      class="tool-rows"
      rows=${rows}
      rowHeight=${ROW_PIXELS}
      label=${t("tools.list.label")}
      keyOf=${(row: ToolRow) => row.id}
      draw=${drawTool}
      atEnd=${more}
    />`;
  }
  if (loading) return html`<${Progress} label=${t("nav.loading")} />`;
  if (problem) return undefined;
  return isSearch(query) ? html`<${NothingFound} query=${query} clear=${clear} />` : html`<${NoTools} />`;
}

function NothingFound({ query, clear }: { query: ToolsQuery; clear: () => void }): VNode {
  const { search, server } = query;
  const text = server === "" ? t("tools.none.found", { search }) : t("tools.none.foundAt", { server });
  return html`<div role="status"><${Empty} title=${text}>
    <p>${t("tools.none.hint")}</p>
    <button type="button" class="button" onClick=${clear}>${t("tools.none.clear")}</button>
  </${Empty}></div>`;
}

function NoTools(): VNode {
  return html`<${Empty} title=${t("tools.none.title")}>
    <p>${t("tools.none.text")}</p>
    <p><a class="button primary" href=${linkTo("servers")}>${t("tools.none.add")}</a></p>
  </${Empty}>`;
}

/** The height of a row in the style sheet. */
const ROW_PIXELS = 76;

function drawTool(row: ToolRow): VNode {
  return html`<a class="tool-row" href=${linkTo("tools", row.serverSlug, row.name.toWellFormed())} onClick=${remember}>
    <span class="tool-line">
      <strong class="ellipsis">${row.name}</strong>
      <span class="tool-server ellipsis">${row.serverName}</span>
      <${StateBadges} tool=${row} />
    </span>
    <span class="tool-description muted">${row.description || t("tools.list.noDescription")}</span>
  </a>`;
}

/** Remembers which tool was opened and how far the list was scrolled, for the way back. */
function remember(event: Event): void {
  const link = event.currentTarget as HTMLAnchorElement;
  lastList.opened = link.hash;
  lastList.top = link.closest(".tool-rows")?.scrollTop ?? 0;
}

/** What is to be known of a tool before it is used, each in a word. */
export function StateBadges({ tool }: { tool: ToolRow }): VNode {
  return html`
    ${tool.quarantine !== undefined && html`<${Badge} tone="bad">${t("tools.badge.quarantined")}</${Badge}>`}
    ${tool.missing && html`<${Badge} tone="warn">${t("tools.badge.missing")}</${Badge}>`}
    ${tool.publicName !== undefined && html`<${Badge} tone="busy">${t("tools.badge.renamed")}</${Badge}>`}
  `;
}
