/** Waiting for what others wait for as well. */
import { toZaguanError, withDelivery } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";

/** Who leaves does not take it from the others. */
export async function orStopped<T>(coming: Promise<T>, signal: CancelSignal): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(withDelivery(toZaguanError(signal.reason), "not_sent"));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([coming, stopped]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
