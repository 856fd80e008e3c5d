/** A long list that the hub gives in pages, the next one when the end of the last comes into sight. */
import { useEffect, useRef, useState } from "preact/hooks";
import { getPage, type Problem, toProblem } from "../../kit/api.ts";
import { useReturn } from "../../kit/use-load.ts";

const PAGE_SIZE = 100;
/** The hub gives no more at once. */
const LARGEST_PAGE = 1_000;

export interface Pages<Row> {
  readonly rows: readonly Row[];
  /** Undefined until the first page has come. */
  readonly total: number | undefined;
  readonly loading: boolean;
  readonly problem: Problem | undefined;
  more(): void;
  reload(): void;
}

type State<Row> = Omit<Pages<Row>, "more" | "reload">;

/**
 * Begins anew when `path` changes; what was there is shown until the new list has come. When one of `on` changes, as much as
 * there is already is asked for again, so that nobody who has scrolled is thrown back.
 */
export function usePages<Row>(path: string, on: readonly unknown[] = []): Pages<Row> {
  const [state, setState] = useState<State<Row>>({ rows: [], total: undefined, loading: true, problem: undefined });
  const [round, setRound] = useState(0);
  const stop = useRef<AbortController | undefined>(undefined);
  const shown = useRef("");

  const load = (before: readonly Row[], size = PAGE_SIZE): void => {
    stop.current?.abort();
    const asking = new AbortController();
    const { signal } = asking;
    stop.current = asking;
    setState((known) => ({ ...known, loading: true }));
    getPage<Row>(pageOf(path, before.length, size), signal).then(
      ({ rows, total }) => {
        if (signal.aborted) return;
        setState({ rows: [...before, ...rows], total, loading: false, problem: undefined });
      },
      (cause) => {
        if (!signal.aborted) setState((known) => ({ ...known, loading: false, problem: toProblem(cause) }));
      },
    );
  };

  useEffect(() => {
    load([], shown.current === path ? Math.min(Math.max(state.rows.length, PAGE_SIZE), LARGEST_PAGE) : PAGE_SIZE);
    shown.current = path;
    return () => stop.current?.abort();
  }, [path, round, ...on]);

  const { rows, total, loading, problem } = state;
  const reload = (): void => setRound((before) => before + 1);
  useReturn(problem, reload);
  const isMore = !loading && !problem && total !== undefined && rows.length < total;
  return { ...state, more: () => isMore && load(rows), reload };
}

function pageOf(path: string, offset: number, size: number): string {
  return `${path}${path.includes("?") ? "&" : "?"}offset=${offset}&limit=${size}`;
}
