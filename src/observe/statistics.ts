/**
 * What the hub did, in numbers: counters since the start, and the last hour. It stands on the path of every call, so that
 * nothing here makes an object for one; what is read is made when somebody reads.
 */
import type { Priority } from "../core/call.ts";
import type { HubEvent } from "../core/events.ts";
import { ERRORS } from "../errors.ts";
import type { Exposition, Present } from "./prometheus.ts";
import { Rolling, type SeriesPoint, SLOT_SECONDS } from "./rolling.ts";
import { DailyTally, DurationTally, microsOf, NamedTally, percentile, watchGc } from "./tallies.ts";

export type { SeriesPoint } from "./rolling.ts";

/** What can only be asked for, since nobody tells of it. */
interface Watched {
  /** Calls that wait, by their class. */
  queue(): Readonly<Record<Priority, number>>;
  cache(): CacheSize;
}

/** What is kept, and how much of it fits. */
export interface CacheSize {
  readonly entries: number;
  readonly maxEntries: number;
  readonly bytes: number;
  readonly maxBytes: number;
}

/** The last five minutes, and today. */
export interface StatisticsSnapshot {
  readonly callsPerSecond: number;
  readonly requestsPerSecond: number;
  /** 0 where there were no calls, as the next two. */
  readonly averageMs: number;
  readonly p95Ms: number;
  readonly errorRate: number;
  readonly averageQueuedMs: number;
  /** Calls that were answered, since midnight UTC. */
  readonly completedToday: number;
  readonly evictionsToday: number;
  /** Of all that was asked of caches since the start; 0 if nothing was. */
  readonly hitRate: number;
  readonly cache: CacheSize;
}

interface StatisticsOptions {
  /** Milliseconds since 1970. */
  now?(): number;
  memoryBytes?(): number;
}

const RECENT_SLOTS = 30;
const SAMPLE_MS = (SLOT_SECONDS * 1_000) / 2;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "other"] as const;
const METHOD_PLACES: ReadonlyMap<string, number> = new Map(METHODS.map((method, place) => [method, place]));
const OUTCOMES = ["ok", ...Object.keys(ERRORS)];
const OUTCOME_PLACES: ReadonlyMap<string, number> = new Map(OUTCOMES.map((outcome, place) => [outcome, place]));
const MOST_STATUS = 599;

/** Strangers choose neither sources nor endpoints, but nothing here may grow without end. */
export const MOST_SOURCES = 1_000;
const MOST_ENDPOINTS = 500;

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const NO_CACHE: CacheSize = { entries: 0, maxEntries: 0, bytes: 0, maxBytes: 0 };

export class Statistics {
  readonly requests: NamedTally = new NamedTally(METHODS, MOST_ENDPOINTS, "unknown");
  /** By HTTP status. */
  readonly responses: Float64Array = new Float64Array(MOST_STATUS + 1);
  readonly requestDurations: DurationTally = new DurationTally(BOUNDS);
  readonly calls: NamedTally = new NamedTally(OUTCOMES, MOST_SOURCES, "other");
  readonly callDurations: DurationTally = new DurationTally(BOUNDS);
  readonly queueDurations: Readonly<Record<Priority, DurationTally>> = {
    HIGH: new DurationTally(BOUNDS),
    MEDIUM: new DurationTally(BOUNDS),
    LOW: new DurationTally(BOUNDS),
    BULK: new DurationTally(BOUNDS),
  };
  retries = 0;
  internalErrors = 0;
  cacheHits = 0;
  cacheMisses = 0;
  cacheEvictions = 0;
  readonly #now: () => number;
  readonly #memoryBytes: () => number;
  readonly #rolling: Rolling;
  readonly #completed = new DailyTally();
  readonly #evicted = new DailyTally();
  readonly #silent = new Set<string>();
  #watched: Watched | undefined;
  #sampling: NodeJS.Timeout | undefined;

  constructor({ now = Date.now, memoryBytes = process.memoryUsage.rss }: StatisticsOptions = {}) {
    this.#now = now;
    this.#memoryBytes = memoryBytes;
    this.#rolling = new Rolling(this.#second());
  }

  take(event: HubEvent): void {
    if (event.type === "call-ended") this.#ended(event);
    else if (event.type === "call-retried") this.retries++;
    else if (event.type === "internal-error") this.internalErrors++;
    else if (event.type === "source-silent") this.#heard(event.source, event.isSilent);
    else if (event.type === "source-state" && event.state !== "starting" && event.state !== "installing")
      this.#heard(event.source, false);
  }

  /** `endpoint` is the path of a route as it is written down, never what a stranger asked for. */
  answered(method: string, endpoint: string, status: number, ms: number): void {
    this.requests.add(endpoint, METHOD_PLACES.get(method) ?? METHODS.length - 1);
    const place = status <= MOST_STATUS ? status : 0;
    this.responses[place] = (this.responses[place] ?? 0) + 1;
    this.requestDurations.add(microsOf(ms));
    this.#rolling.request(this.#second());
  }

  /** For caches beside the pipeline: answers that the pipeline had kept come as events. */
  cacheHit(): void {
    this.cacheHits++;
    this.#rolling.cached(this.#second(), true);
  }

  cacheMiss(): void {
    this.cacheMisses++;
    this.#rolling.cached(this.#second(), false);
  }

  /** Kept answers that had to make room for others. */
  evicted(count: number): void {
    this.cacheEvictions += count;
    this.#evicted.add(this.#second(), count);
  }

  /** Whether a source that seems to be there does not answer. */
  isSilent(source: string): boolean {
    return this.#silent.has(source);
  }

  /** From now on looks every few seconds, until it is closed. */
  watch(watched: Watched): void {
    this.close();
    this.#watched = watched;
    watchGc();
    this.sample();
    this.#sampling = setInterval(() => this.sample(), SAMPLE_MS).unref();
  }

  close(): void {
    clearInterval(this.#sampling);
  }

  sample(): void {
    if (this.#watched) this.#rolling.sample(this.#second(), this.#watched.queue(), this.#memoryBytes());
  }

  snapshot(): StatisticsSnapshot {
    const now = this.#second();
    const lately = this.#rolling.over(now, RECENT_SLOTS);
    const asked = this.cacheHits + this.cacheMisses;
    return {
      callsPerSecond: lately.calls / lately.seconds,
      requestsPerSecond: lately.requests / lately.seconds,
      averageMs: share(lately.callMicros / 1_000, lately.calls),
      p95Ms: percentile(lately.latencies, 0.95),
      errorRate: share(lately.failed, lately.calls),
      averageQueuedMs: share(lately.queuedMicros / 1_000, lately.queued),
      completedToday: this.#completed.today(now),
      evictionsToday: this.#evicted.today(now),
      hitRate: share(this.cacheHits, asked),
      cache: this.cacheSize(),
    };
  }

  cacheSize(): CacheSize {
    return this.#watched?.cache() ?? NO_CACHE;
  }

  /** The last hour, ten seconds a point, the oldest first. */
  series(): readonly SeriesPoint[] {
    return this.#rolling.series(this.#second());
  }

  /** The ten seconds that are being filled. */
  current(): SeriesPoint {
    return this.#rolling.current(this.#second());
  }

  /** The library is loaded by the first who asks: a start must not wait for it. */
  async forPrometheus(present: Present, accept: string | undefined): Promise<Exposition> {
    const { exposition } = await import("./prometheus.ts");
    return exposition(this, present, accept);
  }

  #ended({ call, ms, attempts, cached, error }: Extract<HubEvent, { type: "call-ended" }>): void {
    const now = this.#second();
    const micros = microsOf(ms);
    this.calls.add(call.source, OUTCOME_PLACES.get(error ?? "ok") ?? 0);
    this.callDurations.add(micros);
    this.#rolling.call(now, micros, error !== undefined);
    if (cached) this.cacheHit();
    if (error === undefined) this.#completed.add(now, 1);
    // Who gave up waiting never got as far as having its wait written down.
    if (error === "QUEUE_TIMEOUT") this.#queued(now, call.priority, micros);
    else if (attempts > 0) this.#queued(now, call.priority, microsOf(call.trace.queuedMs));
  }

  #queued(now: number, priority: Priority, micros: number): void {
    this.queueDurations[priority].add(micros);
    this.#rolling.queued(now, micros);
  }

  #second(): number {
    return Math.floor(this.#now() / 1_000);
  }

  #heard(source: string, isSilent: boolean): void {
    if (isSilent) this.#silent.add(source);
    else this.#silent.delete(source);
  }
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
