/**
 * Who is waiting for which source, so that a question of the source finds the one it belongs to. A source that several
 * callers use at the same time does not say whose call it asks about; then nobody is asked, since one caller's question
 * must never reach another.
 */
import type { Caller } from "./call.ts";

/** Stands for callers that cannot be asked: their calls may be the ones that the source asks about. */
const UNREACHABLE: unique symbol = Symbol("unreachable");

interface Waiting {
  readonly caller: Caller | typeof UNREACHABLE;
  readonly signal: AbortSignal;
}

export class Callers {
  readonly #waiting = new Map<string, Set<Waiting>>();

  /** A call is on its way to the source; the returned function ends it. */
  enter(source: string, caller: Caller | undefined, signal: AbortSignal): () => void {
    const waiting: Waiting = { caller: caller ?? UNREACHABLE, signal };
    const all = this.#waiting.get(source) ?? new Set<Waiting>();
    this.#waiting.set(source, all.add(waiting));
    return () => {
      all.delete(waiting);
      if (all.size === 0 && this.#waiting.get(source) === all) this.#waiting.delete(source);
    };
  }

  /** The only caller that waits for this source, and the signal of its newest call. */
  only(source: string): { readonly caller: Caller; readonly signal: AbortSignal } | undefined {
    const all = [...(this.#waiting.get(source) ?? [])];
    const last = all.at(-1);
    if (!last || last.caller === UNREACHABLE || all.some(({ caller }) => caller !== last.caller)) return undefined;
    return { caller: last.caller, signal: last.signal };
  }
}
