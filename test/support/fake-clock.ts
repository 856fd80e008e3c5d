/** A clock that stands still until a test moves it. Timers fire in the order of their times, then of their making. */
import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../src/core/ports.ts";

interface FakeTimer {
  readonly at: number;
  readonly run: () => void;
}

export class FakeClock implements Clock {
  #now: number;
  readonly #timers = new Set<FakeTimer>();

  constructor(now = 0) {
    this.#now = now;
  }

  /** How many timers have neither fired nor been taken back: what is left over is a leak. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer: FakeTimer = { at: this.#now + Math.max(0, ms), run };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /**
   * Lets this much time pass. Before the first timer, and after each one that fires, promises get their turn, so that
   * timers which they set on the way fire too if their time is reached.
   */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await turn();
    for (let timer = this.#next(until); timer; timer = this.#next(until)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.run();
      await turn();
    }
    this.#now = until;
  }

  #next(until: number): FakeTimer | undefined {
    let first: FakeTimer | undefined;
    for (const timer of this.#timers) if (timer.at <= until && (!first || timer.at < first.at)) first = timer;
    return first;
  }
}
