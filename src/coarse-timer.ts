/**
 * Timers for what is set for every call and hardly ever rings: deadlines, and "it takes its time". All of them share one
 * interval of the platform, so that setting and taking back costs next to nothing. They ring up to a tick late, never early.
 */

const TICK_MS = 50;

/** Those of the platform, even where a test puts others in their place for a while: this clock is everybody's. */
const { setInterval, clearInterval } = globalThis;

type Ring = () => void;

class CoarseTimers {
  /** What rings at the end of each tick that is still to come. */
  readonly #rings = new Map<number, Set<Ring>>();
  #interval: NodeJS.Timeout | undefined;
  #waiting = 0;
  #lastTick = 0;

  /** Takes each `ring` once: the same function cannot be set twice for one tick. */
  set(ms: number, ring: Ring): () => void {
    const now = performance.now();
    if (!this.#interval) this.#start(now);
    const tick = Math.max(this.#lastTick + 1, Math.ceil((now + ms) / TICK_MS));
    const rings = this.#rings.get(tick);
    if (rings) rings.add(ring);
    else this.#rings.set(tick, new Set([ring]));
    this.#waiting++;
    return () => {
      if (this.#rings.get(tick)?.delete(ring)) this.#waiting--;
    };
  }

  #start(now: number): void {
    this.#lastTick = Math.floor(now / TICK_MS);
    this.#interval = setInterval(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    const now = Math.floor(performance.now() / TICK_MS);
    // After a long sleep of the machine, or of this process, there are fewer sets than ticks.
    const due = now - this.#lastTick > this.#rings.size ? [...this.#rings.keys()].sort((a, b) => a - b) : undefined;
    const last = this.#lastTick;
    this.#lastTick = now;
    for (const tick of due ?? ticksUntil(last, now)) if (tick <= now) this.#ring(tick);
    if (this.#waiting > 0 || !this.#interval) return;
    clearInterval(this.#interval);
    this.#interval = undefined;
    this.#rings.clear();
  }

  #ring(tick: number): void {
    const rings = this.#rings.get(tick);
    if (!rings) return;
    this.#rings.delete(tick);
    this.#waiting -= rings.size;
    for (const ring of rings) ring();
  }
}

function* ticksUntil(last: number, now: number): Generator<number> {
  for (let tick = last + 1; tick <= now; tick++) yield tick;
}

const timers = new CoarseTimers();

/** Calls back once, after so long or up to 50 ms later; the returned function takes it back. */
export function afterAbout(ms: number, run: () => void): () => void {
  return timers.set(ms, run);
}
