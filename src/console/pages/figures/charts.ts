/** The pictures, as a table: what each shows, of which numbers of a point, and in which unit. No drawing here. */
import type { Priority } from "../../../core/call.ts";
import type { ConsoleKey } from "../../../messages/en/console.ts";
import type { SeriesPoint } from "../../../observe/statistics.ts";
import { paced, SLOT_MS, type Slot } from "./hour.ts";

export type Unit = "perSecond" | "ms" | "count" | "bytes";
/** By the names of the colours; the dashes tell lines apart for those who do not see colours. */
type Colour = "accent" | "busy" | "good" | "warn" | "bad" | "muted";

export interface ChartSeries {
  readonly label: ConsoleKey;
  readonly colour: Colour;
  readonly dash: readonly number[];
  /** Null where nothing was measured. `now` is the hub's clock. */
  pick(point: SeriesPoint, now: number): number | null;
}

export interface ChartSpec {
  /** Its title is `figures.<name>`; `figures.<name>.note` says what exactly is counted. */
  readonly name: "throughput" | "latency" | "queue" | "cache" | "errors" | "memory";
  readonly unit: Unit;
  readonly kind: "line" | "area" | "bars";
  readonly series: readonly ChartSeries[];
}

const SOLID: readonly number[] = [];
const DASHED: readonly number[] = [7, 4];
const DOTTED: readonly number[] = [2, 3];
const MIXED: readonly number[] = [9, 3, 2, 3];
const SECONDS = SLOT_MS / 1_000;

/** A number per second, also of the ten seconds that are still being filled. */
const rate =
  (pick: (point: SeriesPoint) => number): ChartSeries["pick"] =>
  (point, now) =>
    paced(pick(point), point.at, now);

const waiting =
  (name: Priority): ChartSeries["pick"] =>
  ({ queue }) =>
    queue ? queue[name] : null;

export const CHARTS: readonly ChartSpec[] = [
  {
    name: "throughput",
    unit: "perSecond",
    kind: "area",
    series: [
      { label: "figures.calls", colour: "accent", dash: SOLID, pick: rate(({ callsPerSecond }) => callsPerSecond) },
      {
        label: "figures.requests",
        colour: "busy",
        dash: DASHED,
        pick: rate(({ requestsPerSecond }) => requestsPerSecond),
      },
    ],
  },
  {
    name: "latency",
    unit: "ms",
    kind: "line",
    series: [
      { label: "figures.p50", colour: "good", dash: SOLID, pick: ({ p50Ms }) => p50Ms },
      { label: "figures.p95", colour: "busy", dash: DASHED, pick: ({ p95Ms }) => p95Ms },
      { label: "figures.p99", colour: "bad", dash: DOTTED, pick: ({ p99Ms }) => p99Ms },
    ],
  },
  {
    name: "queue",
    unit: "count",
    kind: "line",
    series: [
      { label: "figures.queue.HIGH", colour: "bad", dash: SOLID, pick: waiting("HIGH") },
      { label: "figures.queue.MEDIUM", colour: "accent", dash: DASHED, pick: waiting("MEDIUM") },
      { label: "figures.queue.LOW", colour: "busy", dash: DOTTED, pick: waiting("LOW") },
      { label: "figures.queue.BULK", colour: "muted", dash: MIXED, pick: waiting("BULK") },
    ],
  },
  {
    name: "cache",
    unit: "perSecond",
    kind: "line",
    series: [
      { label: "figures.hits", colour: "good", dash: SOLID, pick: rate(({ cacheHits }) => cacheHits / SECONDS) },
      { label: "figures.misses", colour: "warn", dash: DASHED, pick: rate(({ cacheMisses }) => cacheMisses / SECONDS) },
    ],
  },
  {
    name: "errors",
    unit: "count",
    kind: "bars",
    series: [{ label: "figures.errors.series", colour: "bad", dash: SOLID, pick: ({ errors }) => errors }],
  },
  {
    name: "memory",
    unit: "bytes",
    kind: "area",
    series: [{ label: "figures.memory.series", colour: "accent", dash: SOLID, pick: ({ memoryBytes }) => memoryBytes }],
  },
];

/** Times in seconds, then the numbers of each series. */
export type Columns = readonly [readonly number[], ...(readonly (number | null)[])[]];

export function columnsOf({ series }: ChartSpec, slots: readonly Slot[], now: number): Columns {
  const times = slots.map(({ at }) => at / 1_000);
  return [times, ...series.map(({ pick }) => slots.map(({ point }) => (point ? pick(point, now) : null)))];
}

/** The last place of which anything is known; -1 if there is none. */
export function lastKnown([times, ...series]: Columns): number {
  return times.findLastIndex((_, place) => series.some((values) => values[place] !== null));
}
