/** Those who wait for one thing, each until it comes, until it will not come, or until its own signal says enough. */
import { toZaguanError, withDelivery, ZaguanError } from "../errors.ts";
import type { CancelSignal } from "../light-abort.ts";

interface Waiter<T> {
  readonly signal: CancelSignal;
  readonly onAbort: () => void;
  readonly resolve: (value: T) => void;
  readonly reject: (error: ZaguanError) => void;
}

export class Waiters<T> {
  /** No set: an empty one takes room, and there is one for each of thousands of devices. */
  #waiters: Waiter<T>[] = [];

  get isEmpty(): boolean {
    return this.#waiters.length === 0;
  }

  wait(signal: CancelSignal): Promise<T> {
    if (signal.aborted) return Promise.reject(abortError(signal));
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters = this.#waiters.filter((one) => one !== waiter);
        reject(abortError(signal));
      };
      const waiter: Waiter<T> = { signal, onAbort, resolve, reject };
      this.#waiters.push(waiter);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  resolveAll(value: T): void {
    for (const waiter of this.#takeAll()) waiter.resolve(value);
  }

  rejectAll(error: () => ZaguanError): void {
    for (const waiter of this.#takeAll()) waiter.reject(error());
  }

  #takeAll(): Waiter<T>[] {
    const all = this.#waiters;
    this.#waiters = [];
    for (const { signal, onAbort } of all) signal.removeEventListener("abort", onAbort);
    return all;
  }
}

/** The reason of an abort where it is one of ours, else that the caller cancelled; what only waited never left. */
export function abortError(signal: CancelSignal): ZaguanError {
  const { reason } = signal;
  const error = reason instanceof ZaguanError ? reason : new ZaguanError("CANCELLED", { cause: reason });
  return withDelivery(error, "not_sent");
}

/** Waits for what others wait for as well: who leaves does not take it from them. */
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
