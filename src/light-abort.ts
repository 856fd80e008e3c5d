/**
 * A cancellation signal that costs one small object. Every call has one and hardly any is cancelled, so that the platform's
 * `AbortController`, which costs microseconds, is made only where somebody needs it. `AbortSignal` fits the same contract.
 */

/** What work looks at and listens to. */
export interface CancelSignal {
  readonly aborted: boolean;
  /** What `abort` was given. */
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Its own signal: who gets it as a `CancelSignal` can only listen. Listeners are called once, in their order. */
export class LightAbort implements CancelSignal {
  aborted = false;
  reason: unknown;
  /** Most have one listener, some none. */
  #first: (() => void) | undefined;
  #others: Set<() => void> | undefined;
  #platform: AbortController | undefined;

  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason ?? new Error("stopped");
    const [first, others] = [this.#first, this.#others];
    this.#first = undefined;
    this.#others = undefined;
    first?.();
    for (const listener of others ?? []) listener();
    this.#platform?.abort(this.reason);
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (this.aborted || this.#first === listener) return;
    if (this.#others) this.#others.add(listener);
    else if (this.#first) this.#others = new Set([listener]);
    else this.#first = listener;
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    if (this.#first === listener) this.#first = undefined;
    else this.#others?.delete(listener);
  }

  /** The same as the platform knows it, made when first needed. */
  asAbortSignal(): AbortSignal {
    this.#platform ??= new AbortController();
    if (this.aborted) this.#platform.abort(this.reason);
    return this.#platform.signal;
  }
}

/** Aborted as soon as one of them is. It holds on to none of them. */
export function anyOf(...signals: readonly CancelSignal[]): AbortSignal {
  return AbortSignal.any(signals.map(asAbortSignal));
}

export function asAbortSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  if (signal instanceof LightAbort) return signal.asAbortSignal();
  throw new TypeError("neither a LightAbort nor an AbortSignal");
}
