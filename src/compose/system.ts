/** The real clock and dice that the core is given. */
import { randomBytes } from "node:crypto";
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

/** 192 random bits in visible characters. */
export function randomToken(): string {
  return randomBytes(24).toString("base64url");
}
