/** The real clock and dice that the core is given. */
import type { Clock } from "../core/ports.ts";

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export const systemRandom: () => number = Math.random;
