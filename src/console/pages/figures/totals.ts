/** What was counted since the start, as `/metrics` has it: as it was last asked for, and what has been told since. */
import type { Figures, FiguresPoint } from "../../../contract/call.ts";
import { SLOT_MS } from "./hour.ts";

export type FiguresAnswer = Pick<Figures, "points"> & { readonly totals: Totals };
export type Totals = Pick<Figures["totals"], "calls" | "failed" | "cacheHits" | "cacheMisses">;

export function totalsNow({ totals, points }: FiguresAnswer, live: FiguresPoint | undefined): Totals {
  const known = points.at(-1);
  if (!live || !known || live.at < known.at) return totals;
  const before = live.at === known.at ? countsIn(known) : NOTHING;
  const now = countsIn(live);
  const grown = (name: keyof Totals): number => totals[name] + Math.max(0, now[name] - before[name]);
  return {
    calls: grown("calls"),
    failed: grown("failed"),
    cacheHits: grown("cacheHits"),
    cacheMisses: grown("cacheMisses"),
  };
}

const NOTHING: Totals = { calls: 0, failed: 0, cacheHits: 0, cacheMisses: 0 };

function countsIn({ callsPerSecond, errors, cacheHits, cacheMisses }: FiguresPoint): Totals {
  return { calls: Math.round((callsPerSecond * SLOT_MS) / 1_000), failed: errors, cacheHits, cacheMisses };
}

/** Null where there is no whole to have a part of. */
export function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
