/**
 * The last hour, ten seconds a point: what was asked for at the start, and what has come since. The last point is still
 * being filled. Where nothing was measured there is a gap, not a nought.
 */
import type { Figures, FiguresPoint } from "../../../contract/call.ts";
import type { SeriesPoint } from "../../../observe/statistics.ts";

export const SLOT_MS = 10_000;
/** An hour of whole points, and the one that is being filled. */
const MOST_SLOTS = 361;
/** A rate per second is not reckoned from less time than this. */
const LEAST_PACE_MS = 2_500;

/** By their time, the oldest first; a later word on the same ten seconds replaces the earlier. */
export function merged(known: readonly SeriesPoint[], news: readonly SeriesPoint[]): readonly SeriesPoint[] {
  const all = new Map(known.map((point) => [point.at, point]));
  for (const point of news) all.set(point.at, point);
  const sorted = [...all.values()].sort((one, other) => one.at - other.at);
  const newest = sorted.at(-1)?.at ?? 0;
  return sorted.filter(({ at }) => at > newest - MOST_SLOTS * SLOT_MS);
}

/** Ten seconds with what was measured in them; null where nothing was. */
export interface Slot {
  readonly at: number;
  readonly point: SeriesPoint | null;
}

/** A slot for every ten seconds from the first to the last, with gaps where no point is. */
export function slotsOf(points: readonly SeriesPoint[]): readonly Slot[] {
  const slots: Slot[] = [];
  for (const point of points) {
    for (let at = (slots.at(-1)?.at ?? point.at) + SLOT_MS; at < point.at; at += SLOT_MS)
      slots.push({ at, point: null });
    slots.push({ at: point.at, point: isMeasured(point) ? point : null });
  }
  return slots;
}

/** A machine that slept has points too, but nobody looked at its memory, and nobody came. */
function isMeasured({ memoryBytes, callsPerSecond, requestsPerSecond }: SeriesPoint): boolean {
  return memoryBytes !== null || callsPerSecond > 0 || requestsPerSecond > 0;
}

/**
 * How many there are in a second is told as if the ten seconds were over. Of those that are not, it is what there was so
 * far by the time that has passed; null where that is too short to tell.
 */
export function paced(perSecond: number, at: number, now: number): number | null {
  const passed = now - at;
  if (passed >= SLOT_MS) return perSecond;
  return passed < LEAST_PACE_MS ? null : (perSecond * SLOT_MS) / passed;
}

/** The hub's clock, which need not be ours; it tells whole seconds only, so that ours is as good if it is as near. */
export function hubNow(own: number, startedUtc: string | undefined, uptimeSeconds: number | undefined): number {
  if (startedUtc === undefined || uptimeSeconds === undefined) return own;
  const told = Date.parse(startedUtc) + uptimeSeconds * 1_000;
  return Math.abs(told - own) > 3_000 ? told : own;
}

export type FiguresAnswer = Pick<Figures, "points"> & { readonly totals: Totals };
export type Totals = Pick<Figures["totals"], "calls" | "failed" | "cacheHits" | "cacheMisses">;

/** What was counted since the start, as `/metrics` has it: as it was last asked for, and what has been told since. */
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
