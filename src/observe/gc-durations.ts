/**
 * How long garbage collections took, by kind. V8 tells of each only while somebody listens, so that this listens from the
 * hub's start on; it costs a few microseconds for each collection, and does not keep the process alive.
 */
import { constants, PerformanceObserver } from "node:perf_hooks";
import { DurationTally } from "./tallies.ts";

/** In seconds; those of prom-client, whose metric this is by name and form. */
const BOUNDS = [0.001, 0.01, 0.1, 1, 2, 5];
const KINDS: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

/** One for the process, whatever runs in it. */
export const gcDurations: ReadonlyMap<string, DurationTally> = new Map(
  [...KINDS.values()].map((kind) => [kind, new DurationTally(BOUNDS)]),
);

/** As Node describes an entry of type "gc". */
interface GcEntry {
  readonly duration: number;
  readonly detail: { readonly kind: number };
}

let observer: PerformanceObserver | undefined;

export function watchGc(): void {
  if (observer) return;
  observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as unknown as readonly GcEntry[]) {
      gcDurations.get(KINDS.get(detail.kind) ?? "")?.add(duration * 1_000);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
}
