/** The real clock and dice that the core is given. */
import { afterAbout } from "../coarse-timer.ts";
import type { Clock } from "../core/ports.ts";

/** What is far off need not be exact: a deadline is set for every call, and hardly ever reached. */
const FAR_MS = 1_000;

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, run) => {
    if (ms >= FAR_MS) return afterAbout(ms, run);
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export const systemRandom: () => number = Math.random;
