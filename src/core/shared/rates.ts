/** How many calls each principal may make: the port, and the implementation for one process. */
import { TokenBuckets } from "../structures/token-bucket.ts";

export interface Rates {
  /** 0 where this account (`accountOf`) may call, which is counted; otherwise in how many milliseconds it may. */
  take(account: string, now: number): number;
}

const MAX_PRINCIPALS = 10_000;

/** So many calls a minute, with a burst of a quarter of that; 0 for no limit. Read at every call: the file may change. */
export class LocalRates implements Rates {
  readonly #limit: () => number;
  #perMinute = 0;
  #buckets: TokenBuckets | undefined;

  constructor(callsPerMinute: () => number) {
    this.#limit = callsPerMinute;
  }

  take(account: string, now: number): number {
    const wanted = this.#limit();
    if (wanted !== this.#perMinute) this.#change(wanted);
    return this.#buckets?.take(account, now) ?? 0;
  }

  #change(perMinute: number): void {
    this.#perMinute = perMinute;
    this.#buckets = bucketsFor(perMinute);
  }
}

/** Undefined where there is no limit. */
export function bucketsFor(perMinute: number): TokenBuckets | undefined {
  const burst = Math.max(1, Math.ceil(perMinute / 4));
  return perMinute > 0 ? new TokenBuckets(perMinute, burst, MAX_PRINCIPALS) : undefined;
}
