/** The figures of one node, and those of several as one: sums, and of percentiles the highest, which none of them exceeded. */
import type { Figures, FiguresPoint } from "../../contract/call.ts";
import { PRIORITIES, type Priority } from "../../contract/rules.ts";
import type { Principal } from "../../core/call.ts";
import type { DoorContext } from "../door.ts";

type Seen = Pick<DoorContext, "statistics" | "queue" | "status" | "calls" | "cluster">;

/** The last hour of this node, and what was counted since the start: the same counters as at `/metrics`. */
export function ownFigures(context: Seen): Figures {
  const { statistics, queue, status } = context;
  return {
    points: [...statistics.series(), statistics.current()],
    totals: totalsOf(statistics),
    queue: queue().byPriority,
    inFlight: ownInFlight(context),
    uptimeSeconds: status().uptimeSeconds,
  };
}

const EVERYBODY: Principal = { id: "everybody", kind: "local", name: "everybody", admin: true };

/** Calls of this node's own clients: in a cluster, those that are served for another node are counted there. */
export function ownInFlight({ cluster, calls, status }: Pick<Seen, "cluster" | "calls" | "status">): number {
  return cluster ? calls.underWay(EVERYBODY).count : status().callsInFlight;
}

export function mergedFigures(own: Figures, others: readonly Figures[]): Figures {
  const all = [own, ...others];
  const names = Object.keys(own.totals) as (keyof Figures["totals"])[];
  const totals = names.map((name) => [name, sum(all.map((one) => one.totals[name]))]);
  return {
    points: mergedSeries(all.map(({ points }) => points)),
    totals: Object.fromEntries(totals) as Figures["totals"],
    queue: summedQueue(all.map(({ queue }) => queue)),
    inFlight: sum(all.map(({ inFlight }) => inFlight)),
    uptimeSeconds: own.uptimeSeconds,
  };
}

/** The steps of all nodes begin at the same instants of the clock. */
function mergedSeries(all: readonly (readonly FiguresPoint[])[]): FiguresPoint[] {
  const byTime = Map.groupBy(all.flat(), ({ at }) => at);
  return [...byTime.values()].map(mergedPoint).sort((one, other) => one.at - other.at);
}

/** Points of one instant. */
export function mergedPoint(points: readonly FiguresPoint[]): FiguresPoint {
  const [first] = points as readonly [FiguresPoint];
  if (points.length === 1) return first;
  const added = (name: "callsPerSecond" | "requestsPerSecond" | "errors" | "cacheHits" | "cacheMisses"): number =>
    sum(points.map((point) => point[name]));
  const known = <Name extends keyof FiguresPoint>(name: Name): NonNullable<FiguresPoint[Name]>[] =>
    points.flatMap((point) => point[name] ?? []) as NonNullable<FiguresPoint[Name]>[];
  const highest = (name: "p50Ms" | "p95Ms" | "p99Ms"): number | null => orNull(known(name), (all) => Math.max(...all));
  return {
    at: first.at,
    callsPerSecond: added("callsPerSecond"),
    requestsPerSecond: added("requestsPerSecond"),
    errors: added("errors"),
    p50Ms: highest("p50Ms"),
    p95Ms: highest("p95Ms"),
    p99Ms: highest("p99Ms"),
    queue: orNull(known("queue"), summedQueue),
    memoryBytes: orNull(known("memoryBytes"), sum),
    cacheHits: added("cacheHits"),
    cacheMisses: added("cacheMisses"),
  };
}

function summedQueue(queues: readonly Readonly<Record<Priority, number>>[]): Record<Priority, number> {
  const summed = PRIORITIES.map((name) => [name, sum(queues.map((queue) => queue[name]))]);
  return Object.fromEntries(summed) as Record<Priority, number>;
}

function orNull<Value, Made>(values: readonly Value[], make: (values: readonly Value[]) => Made): Made | null {
  return values.length === 0 ? null : make(values);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function totalsOf(statistics: DoorContext["statistics"]): Figures["totals"] {
  const { cacheHits, cacheMisses, cacheEvictions, retries, internalErrors } = statistics;
  const calls = [...statistics.calls.entries()];
  const counted = (entries: typeof calls): number => sum(entries.map(({ count }) => count));
  const failed = counted(calls.filter(({ column }) => column !== "ok"));
  return { calls: counted(calls), failed, cacheHits, cacheMisses, cacheEvictions, retries, internalErrors };
}
