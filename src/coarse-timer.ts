/**
 * Timers for what is set for every call and hardly ever rings: deadlines, and "it takes its time". All of them share one
 * interval of the platform, so that setting and taking back costs next to nothing. They ring up to a tick late, never early.
 */
import { Crowd, type CrowdMember } from "./crowd.ts";

const TICK_MS = 50;

/** Those of the platform, even where a test puts others in their place for a while: this clock is everybody's. */
const { setInterval, clearInterval } = globalThis;

/** Something that is to happen at the end of a tick. */
class Alarm implements CrowdMember {
  place = -1;
  readonly ring: () => void;

  constructor(ring: () => void) {
    this.ring = ring;
  }
}

class CoarseTimers {
  /** What rings at the end of each tick that is still to come. */
  readonly #alarms = new Map<number, Crowd<Alarm>>();
  #interval: NodeJS.Timeout | undefined;
  #waiting = 0;
  #lastTick = 0;

  set(ms: number, ring: () => void): () => void {
    const now = performance.now();
    if (!this.#interval) this.#start(now);
    const tick = Math.max(this.#lastTick + 1, Math.ceil((now + ms) / TICK_MS));
    const alarm = new Alarm(ring);
    const crowd = this.#crowdOf(tick);
    crowd.add(alarm);
    this.#waiting++;
    return () => {
      if (crowd.delete(alarm)) this.#waiting--;
    };
  }

  #crowdOf(tick: number): Crowd<Alarm> {
    const known = this.#alarms.get(tick);
    if (known) return known;
    const crowd = new Crowd<Alarm>();
    this.#alarms.set(tick, crowd);
    return crowd;
  }

  #start(now: number): void {
    this.#lastTick = Math.floor(now / TICK_MS);
    this.#interval = setInterval(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    const now = Math.floor(performance.now() / TICK_MS);
    const last = this.#lastTick;
    this.#lastTick = now;
    // After a long sleep of the machine, or of this process, there are fewer crowds than ticks.
    const due = now - last > this.#alarms.size ? [...this.#alarms.keys()].sort((a, b) => a - b) : ticksUntil(last, now);
    for (const tick of due) if (tick <= now) this.#ring(tick);
    if (this.#waiting > 0 || !this.#interval) return;
    clearInterval(this.#interval);
    this.#interval = undefined;
    this.#alarms.clear();
  }

  #ring(tick: number): void {
    const crowd = this.#alarms.get(tick);
    if (!crowd) return;
    this.#alarms.delete(tick);
    for (const alarm of crowd.all()) {
      // One that rings may take back another of the same tick.
      if (!crowd.delete(alarm)) continue;
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
