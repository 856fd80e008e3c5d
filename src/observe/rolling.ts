/**
 * The last hour of calls in slots of ten seconds, in arrays that are made once. A slot carries the number of the ten
 * seconds it stands for, so that nobody has to sweep: what is too old is overwritten, or not believed.
 */
import type { FiguresPoint } from "../contract/call.ts";
import { PRIORITIES, type Priority } from "../contract/rules.ts";
import { LATENCY_BUCKETS, latencyBucket, percentile } from "./tallies.ts";

export const SLOT_SECONDS = 10;
/** An hour of whole slots, and the one that is being filled. */
const SLOTS = 361;

/** What a stretch of time came to. */
interface Stretch {
  readonly seconds: number;
  readonly calls: number;
  readonly failed: number;
  readonly callMicros: number;
  /** Calls that came to a queue, and how long they waited in it altogether. */
  readonly queued: number;
  readonly queuedMicros: number;
  readonly requests: number;
  readonly latencies: Uint32Array;
}

/** Ten seconds of the hour. */
export type SeriesPoint = FiguresPoint;

export class Rolling {
  readonly #startedAt: number;
  readonly #numbers = new Int32Array(SLOTS).fill(-1);
  readonly #calls = new Uint32Array(SLOTS);
  readonly #failed = new Uint32Array(SLOTS);
  readonly #callMicros = new Float64Array(SLOTS);
  readonly #queued = new Uint32Array(SLOTS);
  readonly #queuedMicros = new Float64Array(SLOTS);
  readonly #requests = new Uint32Array(SLOTS);
  readonly #hits = new Uint32Array(SLOTS);
  readonly #misses = new Uint32Array(SLOTS);
  readonly #waiting = new Uint32Array(SLOTS * PRIORITIES.length);
  /** 0 where nobody has looked. */
  readonly #memory = new Float64Array(SLOTS);
  readonly #latencies = new Uint32Array(SLOTS * LATENCY_BUCKETS);
  /** The slot that is being filled, and until when. */
  #slot = 0;
  #from = 0;
  #until = 0;

  /** Times are whole seconds since 1970. */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  call(now: number, micros: number, isFailed: boolean): void {
    const slot = this.#slotAt(now);
    add(this.#calls, slot, 1);
    if (isFailed) add(this.#failed, slot, 1);
    add(this.#callMicros, slot, micros);
    add(this.#latencies, slot * LATENCY_BUCKETS + latencyBucket(micros), 1);
  }

  queued(now: number, micros: number): void {
    const slot = this.#slotAt(now);
    add(this.#queued, slot, 1);
    add(this.#queuedMicros, slot, micros);
  }

  request(now: number): void {
    add(this.#requests, this.#slotAt(now), 1);
  }

  cached(now: number, isHit: boolean): void {
    add(isHit ? this.#hits : this.#misses, this.#slotAt(now), 1);
  }

  /** Of what comes and goes within ten seconds the most is kept. */
  sample(now: number, waiting: Readonly<Record<Priority, number>>, memoryBytes: number): void {
    const slot = this.#slotAt(now);
    this.#memory[slot] = memoryBytes;
    for (const [index, name] of PRIORITIES.entries()) {
      const place = slot * PRIORITIES.length + index;
      this.#waiting[place] = Math.max(this.#waiting[place] ?? 0, waiting[name]);
    }
  }

  /** So many whole slots, and the one that is being filled. */
  over(now: number, slots: number): Stretch {
    const last = Math.floor(now / SLOT_SECONDS);
    const sum = { calls: 0, failed: 0, callMicros: 0, queued: 0, queuedMicros: 0, requests: 0 };
    const latencies = new Uint32Array(LATENCY_BUCKETS);
    for (let number = last - slots; number <= last; number++) {
      const slot = number % SLOTS;
      if (this.#numbers[slot] !== number) continue;
      sum.calls += this.#calls[slot] ?? 0;
      sum.failed += this.#failed[slot] ?? 0;
      sum.callMicros += this.#callMicros[slot] ?? 0;
      sum.queued += this.#queued[slot] ?? 0;
      sum.queuedMicros += this.#queuedMicros[slot] ?? 0;
      sum.requests += this.#requests[slot] ?? 0;
      const counts = this.#latenciesOf(slot);
      for (let bucket = 0; bucket < LATENCY_BUCKETS; bucket++) add(latencies, bucket, counts[bucket] ?? 0);
    }
    const from = Math.max(this.#startedAt, (last - slots) * SLOT_SECONDS);
    return { ...sum, latencies, seconds: Math.max(1, now - from) };
  }

  /** The whole slots of the last hour, as far as we ran, the oldest first. */
  series(now: number): SeriesPoint[] {
    const last = Math.floor(now / SLOT_SECONDS);
    const first = Math.max(last - SLOTS + 1, Math.floor(this.#startedAt / SLOT_SECONDS));
    return Array.from({ length: Math.max(0, last - first) }, (_, index) => this.#point(first + index));
  }

  /** The ten seconds that are being filled. */
  current(now: number): SeriesPoint {
    return this.#point(Math.floor(now / SLOT_SECONDS));
  }

  #point(number: number): SeriesPoint {
    const slot = number % SLOTS;
    const at = number * SLOT_SECONDS * 1_000;
    if (this.#numbers[slot] !== number) return { at, ...NOTHING };
    const latencies = this.#calls[slot] ? this.#latenciesOf(slot) : undefined;
    const memoryBytes = this.#memory[slot] || null;
    return {
      at,
      callsPerSecond: (this.#calls[slot] ?? 0) / SLOT_SECONDS,
      requestsPerSecond: (this.#requests[slot] ?? 0) / SLOT_SECONDS,
      errors: this.#failed[slot] ?? 0,
      p50Ms: latencies ? percentile(latencies, 0.5) : null,
      p95Ms: latencies ? percentile(latencies, 0.95) : null,
      p99Ms: latencies ? percentile(latencies, 0.99) : null,
      queue: memoryBytes === null ? null : this.#waitingOf(slot),
      memoryBytes,
      cacheHits: this.#hits[slot] ?? 0,
      cacheMisses: this.#misses[slot] ?? 0,
    };
  }

  #waitingOf(slot: number): Record<Priority, number> {
    const counts = PRIORITIES.map((name, index) => [name, this.#waiting[slot * PRIORITIES.length + index] ?? 0]);
    return Object.fromEntries(counts) as Record<Priority, number>;
  }

  #latenciesOf(slot: number): Uint32Array {
    return this.#latencies.subarray(slot * LATENCY_BUCKETS, (slot + 1) * LATENCY_BUCKETS);
  }

  /** A clock that was set back begins anew where it is. */
  #slotAt(now: number): number {
    if (now < this.#until && now >= this.#from) return this.#slot;
    const number = Math.floor(now / SLOT_SECONDS);
    this.#slot = number % SLOTS;
    this.#from = number * SLOT_SECONDS;
    this.#until = this.#from + SLOT_SECONDS;
    if (this.#numbers[this.#slot] !== number) this.#clear(this.#slot, number);
    return this.#slot;
  }

  #clear(slot: number, number: number): void {
    this.#numbers[slot] = number;
    const sums = [
      this.#calls,
      this.#failed,
      this.#callMicros,
      this.#queued,
      this.#queuedMicros,
      this.#requests,
      this.#hits,
      this.#misses,
      this.#memory,
    ];
    for (const values of sums) values[slot] = 0;
    this.#waiting.fill(0, slot * PRIORITIES.length, (slot + 1) * PRIORITIES.length);
    this.#latenciesOf(slot).fill(0);
  }
}

const NOTHING = {
  callsPerSecond: 0,
  requestsPerSecond: 0,
  errors: 0,
  p50Ms: null,
  p95Ms: null,
  p99Ms: null,
  queue: null,
  memoryBytes: null,
  cacheHits: 0,
  cacheMisses: 0,
} as const;

function add(values: Uint32Array | Float64Array, index: number, by: number): void {
  values[index] = (values[index] ?? 0) + by;
}
