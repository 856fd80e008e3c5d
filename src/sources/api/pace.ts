/** How fast an API may be called: so many times in any minute, and not at all for as long as it asked to be left alone. */
import type { Clock } from "../../core/ports.ts";
import { ZaguanError } from "../../errors.ts";

const MINUTE_MS = 60_000;
const A_DAY_MS = 86_400_000;
/** Whoever allows more might as well not limit it. */
const MOST_CALLS = 100_000;

export class Pace {
  readonly #clock: Clock;
  /** When the last so many calls were made, the oldest where the next one will be written. */
  readonly #calls: Float64Array;
  #next = 0;
  #quietUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, callsPerMinute: number | undefined) {
    this.#clock = clock;
    const most = callsPerMinute === undefined ? 0 : Math.min(Math.max(Math.floor(callsPerMinute), 1), MOST_CALLS);
    this.#calls = new Float64Array(most).fill(Number.NEGATIVE_INFINITY);
  }

  /** Throws, without counting it, where the call has to wait. */
  take(): void {
    const now = this.#clock.now();
    const waitMs = Math.max(this.#quietUntil - now, this.#fullFor(now));
    if (waitMs > 0) throw tooFast(waitMs);
    if (this.#calls.length === 0) return;
    this.#calls[this.#next] = now;
    this.#next = (this.#next + 1) % this.#calls.length;
  }

  /** The API asked for it, by Retry-After. */
  beQuietFor(ms: number): void {
    this.#quietUntil = Math.max(this.#quietUntil, this.#clock.now() + Math.min(ms, A_DAY_MS));
  }

  #fullFor(now: number): number {
    const oldest = this.#calls[this.#next];
    return oldest === undefined ? 0 : oldest + MINUTE_MS - now;
  }
}

/** Seconds or an HTTP date; undefined if it is neither. */
export function retryAfterMs(header: string | undefined, now: number = Date.now()): number | undefined {
  const value = header?.trim() ?? "";
  const ms = /^[0-9]+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), A_DAY_MS);
}

function tooFast(waitMs: number): ZaguanError {
  const retryAfterMs = Math.ceil(waitMs);
  const params = { seconds: Math.ceil(waitMs / 1_000) };
  return new ZaguanError("RATE_LIMITED", { params, delivery: "not_sent", retryAfterMs });
}
