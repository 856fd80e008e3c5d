/** Waits for what is common to many, but not longer than the one who waits. */

import type { CancelSignal } from "../../light-abort.ts";
import { abortError } from "../waiters.ts";

export function until(common: Promise<void>, signal: CancelSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortError(signal));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    common.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
