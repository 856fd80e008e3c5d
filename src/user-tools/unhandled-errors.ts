/**
 * What a module lets go of and nobody catches: a promise without `await`, a timer that throws. Node would end the whole
 * house for it. Here it is told to its owner; what is not a module's is left to end the process as ever.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { CancelSignal } from "../light-abort.ts";

export interface Owner {
  onUnhandledError(error: unknown): void;
}

const OWNERS = new AsyncLocalStorage<Owner>();

/** Runs it so that whatever comes of it, however late, is known to be this owner's. */
export function within<T>(owner: Owner, run: () => T): T {
  return OWNERS.run(owner, run);
}

/** What we do because of it is not its doing. */
export function outside(run: () => void): void {
  OWNERS.exit(run);
}

/** The same signal, whose listeners are the owner's even if somebody else aborts it. */
export function signalWithin(owner: Owner, signal: CancelSignal): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => within(owner, () => controller.abort(signal.reason));
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return controller.signal;
}

let isCatching = false;

/** For good: code that was loaded cannot be unloaded, and its timers go on. */
export function catchUnhandledErrors(): void {
  if (isCatching) return;
  isCatching = true;
  process.on("uncaughtException", onException);
  process.on("unhandledRejection", onRejection);
}

function onException(error: unknown): void {
  tell(error, "uncaughtException");
}

function onRejection(reason: unknown): void {
  tell(reason, "unhandledRejection");
}

function tell(error: unknown, event: "uncaughtException" | "unhandledRejection"): void {
  const owner = OWNERS.getStore();
  if (owner) owner.onUnhandledError(error);
  else if (process.listenerCount(event) === 1) endAsEver(error);
}

/** Ends the process as Node does without our listeners; if others keep it alive, ours are installed again. */
function endAsEver(error: unknown): void {
  process.off("uncaughtException", onException);
  process.off("unhandledRejection", onRejection);
  isCatching = false;
  queueMicrotask(() => {
    throw error;
  });
  setImmediate(catchUnhandledErrors);
}
