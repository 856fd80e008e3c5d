/** Waits for what is common to many, but not longer than the one who waits. */

import type { StopSignal } from "../../stop.ts";
import { abortError } from "../waiters.ts";

export function until(common: Promise<void>, signal: StopSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortError(signal));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    common.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
