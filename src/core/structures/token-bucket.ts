/** How long whoever used too much elsewhere has to wait at most. */
const MOST_DEBT_MS = 60_000;

/**
 * One rate limit for many keys. Each key needs a single number: the moment at which its bucket is full again (the
 * "generic cell rate algorithm"). The number of keys is bounded. Full buckets are forgotten first, for that changes
 * nothing; where none is full, the key unused for longest is forgotten, and whoever is unknown then starts as empty as
 * the emptiest bucket that was forgotten: being forgotten never pays.
 */
export class TokenBuckets {
  readonly #interval: number;
  readonly #burstSpan: number;
  readonly #maxKeys: number;
  /** Key → when its bucket is full; in the order of use. */
  readonly #fullAt = new Map<string, number>();
  #forgottenFullAt = 0;
  /** Before this moment no bucket can be full: looking for one is in vain. */
  #sweepAt = 0;

  constructor(perMinute: number, burst: number, maxKeys: number) {
    this.#interval = 60_000 / perMinute;
    this.#burstSpan = Math.max(1, burst) * this.#interval;
    this.#maxKeys = Math.max(1, maxKeys);
  }

  /** 0 where `tokens` were taken; otherwise in how many milliseconds they will be there. */
  take(key: string, now: number, tokens = 1): number {
    const known = this.#fullAt.get(key);
    const fullAt = Math.max(now, known ?? this.#forgottenFullAt) + tokens * this.#interval;
    const wait = fullAt - now - this.#burstSpan;
    // Sums of fractions err in the last digits: who waits as long as told must be let in.
    if (wait > 1e-3) return Math.ceil(wait);
    this.#set(key, fullAt, now);
    return 0;
  }

  /** Takes tokens that were used elsewhere, also where they are not there: the bucket is in debt then, for a minute at most. */
  charge(key: string, now: number, tokens: number): void {
    const fullAt = Math.max(now, this.#fullAt.get(key) ?? this.#forgottenFullAt) + tokens * this.#interval;
    this.#set(key, Math.min(fullAt, now + this.#burstSpan + MOST_DEBT_MS), now);
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#fullAt.size;
  }

  #set(key: string, fullAt: number, now: number): void {
    if (!this.#fullAt.delete(key)) this.#makeRoom(now);
    this.#fullAt.set(key, fullAt);
    this.#sweepAt = Math.min(this.#sweepAt, fullAt);
  }

  #makeRoom(now: number): void {
    if (this.#fullAt.size < this.#maxKeys) return;
    if (now >= this.#sweepAt) this.#forgetFull(now);
    for (const [key, fullAt] of this.#fullAt) {
      if (this.#fullAt.size < this.#maxKeys) return;
      this.#fullAt.delete(key);
      this.#forgottenFullAt = Math.max(this.#forgottenFullAt, fullAt);
    }
  }

  #forgetFull(now: number): void {
    this.#sweepAt = Number.POSITIVE_INFINITY;
    for (const [key, fullAt] of this.#fullAt) {
      if (fullAt <= now) this.#fullAt.delete(key);
      else this.#sweepAt = Math.min(this.#sweepAt, fullAt);
    }
  }
}
