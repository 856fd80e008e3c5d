/** How long to wait before the next try: anything from nothing up to a ceiling that doubles (full jitter). */
import type { Random } from "../ports.ts";

export class Backoff {
  readonly #random: Random;
  readonly #baseMs: number;
  readonly #capMs: number;
  #step = 0;

  constructor(random: Random, baseMs: number, capMs: number) {
    this.#random = random;
    this.#baseMs = baseMs;
    this.#capMs = capMs;
  }

  next(): number {
    const ceiling = Math.min(this.#capMs, this.#baseMs * 2 ** this.#step);
    // Beyond the cap there is nothing to count, and a power that grew for weeks would end at infinity.
    if (ceiling < this.#capMs) this.#step += 1;
    return Math.floor(this.#random() * ceiling);
  }

  reset(): void {
    this.#step = 0;
  }
}
