/**
 * Counters for every call, by name, by duration and by day, and for garbage collections. All their memory is made when a
 * name is first seen, none when it is seen again.
 */
import { constants, PerformanceObserver } from "node:perf_hooks";

/** By a name that others choose and a column that we do. Names are bounded; those beyond go by one name together. */
export class NamedTally {
  readonly #columns: readonly string[];
  readonly #mostNames: number;
  readonly #beyond: string;
  readonly #rows = new Map<string, Float64Array>();

  constructor(columns: readonly string[], mostNames: number, beyond: string) {
    this.#columns = columns;
    this.#mostNames = mostNames;
    this.#beyond = beyond;
  }

  add(name: string, column: number): void {
    const row = this.#rows.get(name) ?? this.#newRow(name);
    row[column] = (row[column] ?? 0) + 1;
  }

  /** What was ever counted. */
  entries(): { readonly name: string; readonly column: string; readonly count: number }[] {
    return [...this.#rows].flatMap(([name, row]) =>
      this.#columns.map((column, index) => ({ name, column, count: row[index] ?? 0 })).filter(({ count }) => count > 0),
    );
  }

  #newRow(name: string): Float64Array {
    const kept = this.#rows.size < this.#mostNames ? name : this.#beyond;
    const row = this.#rows.get(kept) ?? new Float64Array(this.#columns.length);
    this.#rows.set(kept, row);
    return row;
  }
}

/** Durations by the bounds that Prometheus is told, in seconds. */
export class DurationTally {
  readonly bounds: readonly number[];
  readonly #boundsMicros: Float64Array;
  /** Each alone, not summed up; the last is for what is beyond all bounds. */
  readonly #counts: Float64Array;
  #sumMicros = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#boundsMicros = Float64Array.from(bounds, (seconds) => seconds * 1_000_000);
    this.#counts = new Float64Array(bounds.length + 1);
  }

  add(micros: number): void {
    let place = 0;
    while (place < this.#boundsMicros.length && micros > (this.#boundsMicros[place] ?? 0)) place++;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#sumMicros += micros;
  }

  get sumSeconds(): number {
    return this.#sumMicros / 1_000_000;
  }

  /** For every bound how many stayed within it, and all of them at the end. */
  withinBounds(): number[] {
    let sum = 0;
    return [...this.#counts].map((count) => {
      sum += count;
      return sum;
    });
  }
}

const DAY_SECONDS = 86_400;

/** Since midnight UTC, or since the start if that was later. Times are whole seconds since 1970. */
export class DailyTally {
  #count = 0;
  #day = 0;

  add(now: number, count: number): void {
    this.#turn(now);
    this.#count += count;
  }

  today(now: number): number {
    this.#turn(now);
    return this.#count;
  }

  #turn(now: number): void {
    const day = Math.floor(now / DAY_SECONDS);
    if (day !== this.#day) this.#count = 0;
    this.#day = day;
  }
}

/**
 * How many counts a logarithmic scale of latencies has: eight to every doubling, from a microsecond to half an hour. What is
 * read from it is off by at most a sixteenth. Below eight microseconds every one has its own; then eight for each power of
 * two that 31 bits have.
 */
export const LATENCY_BUCKETS = 232;

const LONGEST_MICROS = 0x7fff_ffff;

/**
 * Whole microseconds; what lasts longer than half an hour counts as that. A small integer is handed from function to
 * function for nothing, where a fraction would become an object each time.
 */
export function microsOf(ms: number): number {
  return ms > 0 ? Math.min(ms * 1_000, LONGEST_MICROS) | 0 : 0;
}

export function latencyBucket(micros: number): number {
  if (micros < 8) return micros;
  const octave = 31 - Math.clz32(micros);
  return ((octave - 2) << 3) | ((micros >>> (octave - 3)) & 7);
}

/** The middle of a bucket, in milliseconds. */
export function latencyIn(bucket: number): number {
  if (bucket < 8) return (bucket + 0.5) / 1_000;
  const width = 2 ** ((bucket >> 3) - 1);
  return ((8 + (bucket & 7)) * width + width / 2) / 1_000;
}

/** The latency that this share of all stayed within; 0 where there were none. */
export function percentile(counts: Uint32Array, share: number): number {
  let total = 0;
  for (const count of counts) total += count;
  const rank = Math.max(1, Math.ceil(total * share));
  let passed = 0;
  for (let bucket = 0; bucket < counts.length; bucket++) {
    passed += counts[bucket] ?? 0;
    if (passed >= rank) return latencyIn(bucket);
  }
  return 0;
}

/** In seconds; those of prom-client, whose metric this is by name and form. */
const GC_BOUNDS = [0.001, 0.01, 0.1, 1, 2, 5];
const GC_KINDS: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

/** How long garbage collections took, by kind; one table for the process, whatever runs in it. */
export const gcDurations: ReadonlyMap<string, DurationTally> = new Map(
  [...GC_KINDS.values()].map((kind) => [kind, new DurationTally(GC_BOUNDS)]),
);

/** As Node describes an entry of type "gc". */
interface GcEntry {
  readonly duration: number;
  readonly detail: { readonly kind: number };
}

let observer: PerformanceObserver | undefined;

/**
 * V8 tells of a collection only while somebody listens, so that this is called at the hub's start. It costs a few microseconds
 * for each collection, and does not keep the process alive.
 */
export function watchGc(): void {
  if (observer) return;
  observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as unknown as readonly GcEntry[]) {
      gcDurations.get(GC_KINDS.get(detail.kind) ?? "")?.add(duration * 1_000);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
}
