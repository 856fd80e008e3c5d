/** All tools of all servers, searched by the hub as one types. */
import type { VNode } from "preact";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { servers } from "../../kit/live.ts";
import { Empty, ProblemBox, Progress } from "../../kit/parts.ts";
import { linkTo, useRoute } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { VirtualList } from "../../kit/virtual-list.ts";
import { t } from "../../kit/words.ts";
import { lastList } from "./last-list.ts";
import { addressOf, queryIn, type ToolsQuery } from "./list-query.ts";
import { StateBadges } from "./tool-badges.ts";
import type { ToolRow, ToolsFound } from "./tool-pages.ts";
import { useToolPages } from "./use-tool-pages.ts";

/** As in the style sheet. */
const ROW_PIXELS = 76;

export function ToolList(): VNode {
  const [query, setQuery] = useQuery();
  const { found, more, retry } = useToolPages(query);
  return html`<div class="stack tool-list">
    <${SearchBar} query=${query} change=${setQuery} />
    <p class="muted" role="status">${statusOf(found)}</p>
    ${found.problem && html`<${ProblemBox} problem=${found.problem} retry=${retry} />`}
    <${Rows} found=${found} more=${more} clear=${() => setQuery({ search: "", server: "", missing: query.missing })} />
  </div>`;
}

/** The address follows what is typed without a step in the history for each letter; who changes the address is followed. */
function useQuery(): readonly [ToolsQuery, (query: ToolsQuery) => void] {
  const route = useRoute();
  const [query, setQuery] = useState(() => ofRoute(route));
  useEffect(() => setQuery(ofRoute(route)), [route]);
  const change = (next: ToolsQuery): void => {
    setQuery(next);
    history.replaceState(null, "", addressOf(next));
  };
  useEffect(() => lastList.set(addressOf(query)), [query]);
  return [query, change];
}

/** `#/tools/SERVER` is the list of that server. */
function ofRoute({ parts, query }: ReturnType<typeof useRoute>): ToolsQuery {
  const asked = queryIn(query);
  return parts[0] ? { ...asked, server: parts[0] } : asked;
}

function statusOf({ rows, total, loading, query }: ToolsFound): string {
  if (rows.length === 0) return loading ? t("nav.loading") : "";
  const key = query.search.trim() === "" && query.server === "" ? "tools.list.count" : "tools.list.found";
  return t(key, { count: number(total) });
}

function SearchBar({ query, change }: { query: ToolsQuery; change: (query: ToolsQuery) => void }): VNode {
  const [search, server] = [useId(), useId()];
  const known = useStore(servers);
  const names = useMemo(() => known.map(({ name }) => name).sort((one, other) => one.localeCompare(other)), [known]);
  const isUnknown = query.server !== "" && !names.includes(query.server);
  return html`<div class="tool-search" role="search" aria-label=${t("tools.list.search")}>
    <div class="field">
      <label for=${search}>${t("tools.list.search")}</label>
      <input
        id=${search}
        type="search"
        autocomplete="off"
        spellcheck=${false}
        maxlength="200"
        placeholder=${t("tools.list.placeholder")}
        value=${query.search}
        onInput=${(event: Event) => change({ ...query, search: (event.target as HTMLInputElement).value })}
      />
    </div>
    <div class="field">
      <label for=${server}>${t("tools.list.server")}</label>
      <select id=${server} value=${query.server} onChange=${(event: Event) => change({ ...query, server: (event.target as HTMLSelectElement).value })}>
        <option value="">${t("tools.list.allServers")}</option>
        ${isUnknown && html`<option value=${query.server}>${query.server}</option>`}
        ${names.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
      </select>
    </div>
    <label class="check">
      <input type="checkbox" checked=${query.missing} onChange=${() => change({ ...query, missing: !query.missing })} /> ${t("tools.list.missing")}
    </label>
  </div>`;
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
      draw=${drawRow}
      atEnd=${more}
    />`;
  }
  if (loading) return html`<${Progress} label=${t("nav.loading")} />`;
  if (problem) return undefined;
  const isSearch = query.search.trim() !== "" || query.server !== "";
  return isSearch ? html`<${NothingFound} query=${query} clear=${clear} />` : html`<${NoTools} />`;
}

function drawRow(row: ToolRow): VNode {
  return html`<a class="tool-row" href=${linkTo("tools", row.serverName, row.name.toWellFormed())}>
    <span class="tool-line">
      <strong class="ellipsis">${row.name}</strong>
      <span class="tool-server ellipsis">${row.serverName}</span>
      <${StateBadges} tool=${row} />
    </span>
    <span class="tool-description muted">${row.description || t("tools.list.noDescription")}</span>
  </a>`;
}

function NothingFound({ query, clear }: { query: ToolsQuery; clear: () => void }): VNode {
  const text =
    query.server === ""
      ? t("tools.none.found", { search: query.search })
      : t("tools.none.foundAt", { server: query.server });
  return html`<${Empty} title=${text}>
    <p>${t("tools.none.hint")}</p>
    <button type="button" class="button" onClick=${clear}>${t("tools.none.clear")}</button>
  </${Empty}>`;
}

function NoTools(): VNode {
  return html`<${Empty} title=${t("tools.none.title")}>
    <p>${t("tools.none.text")}</p>
    <p><a class="button primary" href=${linkTo("servers")}>${t("tools.none.add")}</a></p>
  </${Empty}>`;
}
