/** Waiting with a bound. */

import type { Clock } from "../../core/ports.ts";
import type { CancelSignal } from "../../light-abort.ts";
import { abortError } from "../waiters.ts";

const SOON_MS = 2_000;

/** Waits for what most servers do at once, and some never. */
export function soon(done: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(SOON_MS, resolve);
    void done.then(() => {
      stop();
      resolve();
    });
  });
}

/** Waits for what is common to many, but not longer than the one who waits. */
export function until(common: Promise<void>, signal: CancelSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortError(signal));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    common.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
