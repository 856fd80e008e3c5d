/** The page "calls": what is asked of the house at this moment, what became of it, and an end to what should not go on. */
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { CallRow } from "../../../doors/live/views.ts";
import { html } from "../../kit/html.ts";
import { me } from "../../kit/live.ts";
import { Empty, Progress } from "../../kit/parts.ts";
import { linkTo, useRoute } from "../../kit/router.ts";
import { useStore } from "../../kit/store.ts";
import { language, t } from "../../kit/words.ts";
import { stateWord, useTicks } from "./call-parts.ts";
import { CallDialog } from "./detail.ts";
import { StatusBar, useFeed } from "./feed.ts";
import { matcherOf, NO_FILTER, queryOf } from "./filter.ts";
import { FilterBar, useFilter } from "./filter-bar.ts";
import { focusCall } from "./line.ts";
import { CallList, frameIn } from "./list.ts";

export function CallsPage(): VNode {
  const { parts } = useRoute();
  const id = parts[0] || undefined;
  const known = useStore(me);
  const place = useRef<HTMLDivElement>(null);
  const [filter, setFilter] = useFilter();
  const view = useFeed(id !== undefined);
  const { rows } = view.feed;
  const textOf = useMemo(searchText, [useStore(language)]);
  const shown = useMemo(() => rows.filter(matcherOf(filter, textOf)), [rows, filter, textOf]);
  useTicks(view.feed.live.running.length > 0);
  useFocusBack(id, place);
  const release = (): void => {
    frameIn(place.current)?.scrollTo({ top: 0 });
    view.release();
  };
  const showNew = (): void => {
    release();
    frameIn(place.current)?.focus({ preventScroll: true });
  };
  if (!known) return html`<${Progress} label=${t("nav.loading")} />`;
  const query = queryOf(filter);
  return html`<div ref=${place} class="calls">
    <${FilterBar} filter=${filter} change=${setFilter} rows=${view.feed.rows} />
    <${StatusBar} view=${view} shown=${shown.length} release=${release} showNew=${showNew} />
    ${
      shown.length > 0
        ? html`<${CallList} rows=${shown} began=${view.began} query=${query} read=${view.read} />`
        : html`<${Nothing} isFiltered=${rows.length > 0} clear=${() => setFilter(NO_FILTER)} />`
    }
    ${!known.admin && html`<p class="muted">${t("calls.own")}</p>`}
    ${id !== undefined && html`<${CallDialog} id=${id} close=${() => closeTo(query)} />`}
  </div>`;
}

function Nothing({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }): VNode {
  if (isFiltered) {
    return html`<${Empty} title=${t("calls.empty.filtered")}>
      <button type="button" class="button" onClick=${clear}>${t("calls.filter.clear")}</button>
    </${Empty}>`;
  }
  return html`<${Empty} title=${t("calls.empty.title")}>
    <p>${t("calls.empty.text")}</p>
    <a class="button" href=${linkTo("tools")}>${t("calls.empty.tools")}</a>
  </${Empty}>`;
}

function closeTo(query: string): void {
  location.hash = `${linkTo("calls")}${query}`;
}

/** After a call was looked at: to its row if it is still there, else to the list. */
function useFocusBack(id: string | undefined, place: { readonly current: HTMLElement | null }): void {
  const before = useRef(id);
  useEffect(() => {
    const left = before.current;
    before.current = id;
    if (left === undefined || id !== undefined || document.activeElement !== document.body) return;
    if (!focusCall(left)) frameIn(place.current)?.focus({ preventScroll: true });
  }, [id]);
}

/** What a row says is put together once: rows stay the same objects for as long as they are in the list. */
function searchText(): (row: CallRow) => string {
  const known = new WeakMap<CallRow, string>();
  return (row) => {
    const text = known.get(row) ?? textOf(row).toLowerCase();
    known.set(row, text);
    return text;
  };
}

function textOf(row: CallRow): string {
  const { id, node = "", tool, source, door, principal, outcome, priority } = row;
  const words = [stateWord(row), t(`calls.class.${priority}`)];
  return [id, node, tool, source, door, principal, outcome ?? "", ...words].join(" ");
}
