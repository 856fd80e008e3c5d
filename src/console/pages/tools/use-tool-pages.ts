/** The list of tools while the page is open: searched as one types, renewed when the hub says that it changed. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { getPage, type Page } from "../../kit/api.ts";
import { tools } from "../../kit/live.ts";
import { useStore } from "../../kit/store.ts";
import { isSameQuery, pageOf, type ToolsQuery } from "./list-query.ts";
import { ToolPages, type ToolRow, type ToolsFound } from "./tool-pages.ts";

/** How long to wait for the next key before searching. */
const TYPING_MS = 150;
/** A list is renewed at most once in this time: devices come and go. */
const RENEWAL_MS = 1_000;

interface ToolsLooked {
  readonly found: ToolsFound;
  more(): void;
  retry(): void;
}

export function useToolPages(query: ToolsQuery): ToolsLooked {
  const kept = useMemo(() => keptFor(query), []);
  const pages = useMemo(() => kept ?? new ToolPages(load, query), []);
  const isFirst = useRef(true);
  const { search, server, missing } = query;
  useEffect(() => {
    const [wait, isReturn] = isFirst.current ? [0, kept !== undefined] : [TYPING_MS, false];
    isFirst.current = false;
    const begin = (): unknown => (isReturn ? pages.renew() : pages.search({ search, server, missing }));
    const timer = setTimeout(begin, wait);
    return () => clearTimeout(timer);
  }, [search, server, missing]);
  useEffect(() => {
    lastList.pages = pages;
    return () => pages.close();
  }, []);
  useRenewal(pages);
  return { found: useStore(pages.found), more: () => void pages.more(), retry: () => void pages.renew() };
}

function useRenewal(pages: ToolPages): void {
  const offered = useStore(tools);
  const seen = useRef(offered);
  useEffect(() => {
    if (seen.current === offered) return;
    const timer = setTimeout(() => {
      seen.current = offered;
      void pages.renew();
    }, RENEWAL_MS);
    return () => clearTimeout(timer);
  }, [offered]);
}

/** Who comes back finds what was there, and what changed meanwhile a moment later. */
function keptFor(query: ToolsQuery): ToolPages | undefined {
  const { pages } = lastList;
  return pages && isSameQuery(pages.found.get().query, query) ? pages : undefined;
}

function load(query: ToolsQuery, offset: number, limit: number, signal: AbortSignal): Promise<Page<ToolRow>> {
  return getPage<ToolRow>(pageOf(query, offset, limit), signal);
}

interface LastList {
  address: string;
  /** How far it was scrolled, and the tool that was opened. */
  top: number;
  opened: string | undefined;
  pages: ToolPages | undefined;
}

/** The list as it was last looked at: the way back from a tool leads there, search, place and all. */
export const lastList: LastList = { address: "#/tools", top: 0, opened: undefined, pages: undefined };

/** Whether a tool was opened from the list, not by its address. */
export function isFollowed(): boolean {
  return lastList.opened !== undefined;
}
