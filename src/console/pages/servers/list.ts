/** Everything that is attached, searched and filtered. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { rest } from "../../kit/api.ts";
import { number } from "../../kit/format.ts";
import { html } from "../../kit/html.ts";
import { link, me, servers } from "../../kit/live.ts";
import { Empty, ProblemBox, Progress } from "../../kit/parts.ts";
import { useStore } from "../../kit/store.ts";
import { useLoad, useSettled } from "../../kit/use-load.ts";
import { useMedia, VirtualList } from "../../kit/virtual-list.ts";
import { t } from "../../kit/words.ts";
import { Clashes } from "./clashes.ts";
import { ListHead, useAsked } from "./list-head.ts";
import { addLink, serverLink, toolsLink, WAYS } from "./route.ts";
import { found, isOnlyHouse, joined, keptRecord, keptVersion, type ServerRow } from "./rows.ts";
import { KindIcon, kindText, revisionText, StateBadge, toolsText } from "./state.ts";
import { works } from "./work.ts";

const ROW_PX = 76;
const NARROW_ROW_PX = 132;

export function ServerList({ query }: { query: URLSearchParams }): VNode {
  const { rows, kept } = useRows();
  const { search, setSearch, wanted, setWanted } = useAsked(query);
  const shown = useMemo(() => found(rows, search, wanted), [rows, search, wanted]);
  const isNarrow = useMedia("(width < 48rem)");
  const isOpen = useStore(link) !== "connecting" || rows.length > 0;
  if (!isOpen) return html`<${Progress} label=${t("nav.loading")} />`;
  const clear = (): void => {
    setSearch("");
    setWanted("all");
  };
  return html`<div class="stack">
    <${ListHead} rows=${rows} search=${search} setSearch=${setSearch} wanted=${wanted} setWanted=${setWanted} />
    ${kept.problem && html`<${ProblemBox} problem=${kept.problem} retry=${kept.reload} />`}
    <${Clashes} />
    <p class="servers-count muted" role="status">${countText(shown.length, rows.length)}</p>
    ${
      shown.length > 0 &&
      html`<${VirtualList}
      class="servers-list"
      rows=${shown}
      rowHeight=${isNarrow ? NARROW_ROW_PX : ROW_PX}
      label=${t("servers.list")}
      keyOf=${({ name }: ServerRow) => name}
      draw=${(row: ServerRow) => html`<${Row} row=${row} />`}
    />`
    }
    ${
      shown.length === 0 &&
      rows.length > 0 &&
      html`<${Empty} title=${t("servers.none.title")}>
      <p>${t("servers.none.text")}</p>
      <button type="button" class="button" onClick=${clear}>${t("servers.none.clear")}</button>
    </${Empty}>`
    }
    ${isOnlyHouse(rows) && html`<${FirstServer} />`}
  </div>`;
}

function useRows(): { readonly rows: readonly ServerRow[]; readonly kept: ReturnType<typeof useKept> } {
  const live = useStore(servers);
  const kept = useKept(live);
  const rows = useMemo(() => joined(live, kept.value ?? []), [live, kept.value]);
  return { rows, kept };
}

/** Asked for again when something came or went; not for each of a thousand servers that start. */
function useKept(live: Parameters<typeof keptVersion>[0]) {
  const done = useStore(works);
  const version = useSettled(
    useMemo(() => keptVersion(live), [live]),
    1_000,
  );
  return useLoad((signal) => rest.listServers({}, signal).then((all) => all.map(keptRecord)), [version, done]);
}

/** One server in the list. */
function Row({ row }: { row: ServerRow }): VNode {
  return html`<div class="servers-row">
    <div class="servers-row-name">
      <a class="ellipsis" href=${serverLink(row.name)}>${row.title}</a>
      <span class="muted ellipsis servers-kind"><${KindIcon} kind=${row.kind} />${about(row)}</span>
    </div>
    <div class="servers-row-state">
      <${StateBadge} state=${row.state} silent=${row.silent} />
      ${row.restarts > 0 && html`<span class="muted">${restartsText(row.restarts)}</span>`}
    </div>
    ${note(row)}
    <a class="servers-row-tools" href=${toolsLink(row.name)} aria-label=${`${toolsText(row.tools)}: ${row.title}`}>${toolsText(row.tools)}</a>
  </div>`;
}

/** What it says while it starts, else what went wrong last. */
function note({ progress, lastError }: ServerRow): VNode {
  const [label, text] =
    progress === null ? (["servers.lastError", lastError] as const) : (["servers.progress", progress] as const);
  return html`<div class="servers-row-note ellipsis" data-tone=${progress === null ? "bad" : "busy"}>${text !== null && html`<span class="hidden-text">${t(label)}</span> ${text}`}</div>`;
}

function restartsText(count: number): string {
  return count === 1 ? t("servers.restarts.one") : t("servers.restarts.many", { count: number(count) });
}

/** Kind, transport where that says more, and what it speaks. */
function about({ kind, transport, revision }: ServerRow): string {
  const way = transport !== null && transport !== kind ? transport : undefined;
  return [kindText(kind), way, revisionText(revision)].filter(Boolean).join(" · ");
}

/** Nothing is attached but the house: what to add first. */
function FirstServer(): VNode | null {
  const self = useStore(me);
  if (!self?.admin) return null;
  return html`<section class="stack servers-first" aria-labelledby="servers-first">
    <div>
      <h2 id="servers-first">${t("servers.first.title")}</h2>
      <p class="muted">${t("servers.first.text")}</p>
    </div>
    <ul class="columns servers-ways">
      ${WAYS.map(
        (way) => html`<li key=${way} class="card">
          <h3><a href=${addLink(way)}>${t(`servers.first.${way}`)}</a></h3>
          <p class="muted">${t(`servers.way.${way}`)}</p>
        </li>`,
      )}
    </ul>
  </section>`;
}

function countText(shown: number, all: number): string {
  const counts = { shown: number(shown), count: number(all) };
  if (shown !== all) return t("servers.count.some", counts);
  return all === 1 ? t("servers.count.one") : t("servers.count.all", counts);
}
