/**
 * Timers for what is set for every call and hardly ever rings: deadlines, and "it takes its time". All of them share one
 * interval of the platform, so that setting and taking back costs next to nothing. They ring up to a tick late, never early.
 */
import { type IndexedMember, IndexedSet } from "./indexed-set.ts";

const TICK_MS = 50;

/** Those of the platform, even where a test puts others in their place for a while: this clock is everybody's. */
const { setInterval, clearInterval } = globalThis;

/** Something that is to happen at the end of a tick. */
class Alarm implements IndexedMember {
  place = -1;
  readonly ring: () => void;

  constructor(ring: () => void) {
    this.ring = ring;
  }
}

class CoarseTimers {
  /** What rings at the end of each tick that is still to come. */
  readonly #alarms = new Map<number, IndexedSet<Alarm>>();
  #interval: NodeJS.Timeout | undefined;
  #waiting = 0;
  #lastTick = 0;

  set(ms: number, ring: () => void): () => void {
    const now = performance.now();
    if (!this.#interval) this.#start(now);
    const tick = Math.max(this.#lastTick + 1, Math.ceil((now + ms) / TICK_MS));
    const alarm = new Alarm(ring);
    const set = this.#setOf(tick);
    set.add(alarm);
    this.#waiting++;
    return () => {
      if (set.delete(alarm)) this.#waiting--;
    };
  }

  #setOf(tick: number): IndexedSet<Alarm> {
    const known = this.#alarms.get(tick);
    if (known) return known;
    const set = new IndexedSet<Alarm>();
    this.#alarms.set(tick, set);
    return set;
  }

  #start(now: number): void {
    this.#lastTick = Math.floor(now / TICK_MS);
    this.#interval = setInterval(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    const now = Math.floor(performance.now() / TICK_MS);
    const last = this.#lastTick;
    this.#lastTick = now;
    // After a long sleep of the machine, or of this process, there are fewer sets than ticks.
    const due = now - last > this.#alarms.size ? [...this.#alarms.keys()].sort((a, b) => a - b) : ticksUntil(last, now);
    for (const tick of due) if (tick <= now) this.#ring(tick);
    if (this.#waiting > 0 || !this.#interval) return;
    clearInterval(this.#interval);
    this.#interval = undefined;
    this.#alarms.clear();
  }

  #ring(tick: number): void {
    const set = this.#alarms.get(tick);
    if (!set) return;
    this.#alarms.delete(tick);
    for (const alarm of set.all()) {
      // One that rings may take back another of the same tick.
      if (!set.delete(alarm)) continue;
      this.#waiting--;
      alarm.ring();
    }
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
