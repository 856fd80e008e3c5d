/** What was counted since the start, as `/metrics` has it: as it was last asked for, and what has been told since. */
import type { SeriesPoint } from "../../../observe/statistics.ts";
import { SLOT_MS } from "./hour.ts";

/** What `GET /figures` answers. */
export interface FiguresAnswer {
  /** The oldest first; the last one is still being filled. */
  readonly points: readonly SeriesPoint[];
  readonly totals: Totals;
  readonly inFlight: number;
  readonly uptimeSeconds: number;
}

export interface Totals {
  readonly calls: number;
  readonly failed: number;
  readonly cacheHits: number;
  readonly cacheMisses: number;
}

export function totalsNow({ totals, points }: FiguresAnswer, live: SeriesPoint | undefined): Totals {
  const known = points.at(-1);
  if (!live || !known || live.at < known.at) return totals;
  const before = live.at === known.at ? countsIn(known) : NOTHING;
  const now = countsIn(live);
  const grown = (name: keyof Totals): number => totals[name] + Math.max(0, now[name] - before[name]);
  return {
    ...{ calls: grown("calls"), failed: grown("failed") },
    ...{ cacheHits: grown("cacheHits"), cacheMisses: grown("cacheMisses") },
  };
}

const NOTHING: Totals = { calls: 0, failed: 0, cacheHits: 0, cacheMisses: 0 };

function countsIn({ callsPerSecond, errors, cacheHits, cacheMisses }: SeriesPoint): Totals {
  return { calls: Math.round((callsPerSecond * SLOT_MS) / 1_000), failed: errors, cacheHits, cacheMisses };
}

/** Null where there is no whole to have a part of. */
export function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
