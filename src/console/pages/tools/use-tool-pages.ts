/** The list of tools while the page is open: searched as one types, renewed when the hub says that it changed. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { getPage } from "../../kit/api.ts";
import { tools } from "../../kit/live.ts";
import { useStore } from "../../kit/store.ts";
import { pathOf, type ToolsQuery } from "./list-query.ts";
import { ToolPages, type ToolRow, type ToolsFound } from "./tool-pages.ts";

/** Between two keys. */
const TYPING_MS = 150;
/** Devices come and go: a list is renewed at most so often. */
const RENEWAL_MS = 1_000;

export interface ToolsLooked {
  readonly found: ToolsFound;
  more(): void;
  retry(): void;
}

export function useToolPages(query: ToolsQuery): ToolsLooked {
  const pages = useMemo(() => {
    return new ToolPages(
      (asked, offset, limit, signal) => getPage<ToolRow>(pathOf(asked, offset, limit), signal),
      query,
    );
  }, []);
  const found = useStore(pages.found);
  const offered = useStore(tools);
  const { search, server, missing } = query;
  const isFirst = useRef(true);
  useEffect(() => {
    const wait = isFirst.current ? 0 : TYPING_MS;
    isFirst.current = false;
    const timer = setTimeout(() => void pages.search({ search, server, missing }), wait);
    return () => clearTimeout(timer);
  }, [search, server, missing]);
  const seen = useRef(offered);
  useEffect(() => {
    if (seen.current === offered) return;
    seen.current = offered;
    const timer = setTimeout(() => void pages.renew(), RENEWAL_MS);
    return () => clearTimeout(timer);
  }, [offered]);
  useEffect(() => () => pages.close(), []);
  return { found, more: () => void pages.more(), retry: () => void pages.renew() };
}
