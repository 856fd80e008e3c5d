/** Waiting with a time limit, on the clock that was handed in, until a signal aborts it. */
import type { Clock } from "../../core/ports.ts";
import { type CancelSignal, LightAbort } from "../../light-abort.ts";

/** Hands the work a signal that aborts with the given one, or with `late` when the time is over. */
export async function within<T>(
  limit: { readonly ms: number; readonly clock: Clock; readonly late: () => Error },
  signal: CancelSignal,
  work: (signal: CancelSignal) => Promise<T>,
): Promise<T> {
  const both = new LightAbort();
  const giveUp = (): void => both.abort(signal.reason);
  const cancel = limit.clock.after(limit.ms, () => both.abort(limit.late()));
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await work(both);
  } finally {
    cancel();
    signal.removeEventListener("abort", giveUp);
  }
}

/** Resolves after this time, or when the signal aborts. */
export async function pause(ms: number, clock: Clock, signal: CancelSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const cancel = clock.after(ms, over.resolve);
  signal.addEventListener("abort", over.resolve, { once: true });
  if (!signal.aborted) await over.promise;
  cancel();
  signal.removeEventListener("abort", over.resolve);
}
