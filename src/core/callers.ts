/**
 * Who is waiting for which source, so that what the source says without naming a request finds the one it belongs to. A
 * source that several principals use at the same time does not say whose call it means; then nobody is told, since what is
 * meant for one must never reach another.
 */

import { type IndexedMember, IndexedSet } from "../indexed-set.ts";
import type { Payload } from "../protocol/json/payload.ts";
import type { Caller, NotificationSink } from "./call.ts";

/** One call that is on its way. */
export interface Waiting extends IndexedMember {
  /** Grows from one to the next. */
  readonly id: number;
  readonly source: string;
  readonly caller: Caller | undefined;
  readonly principalId: string;
  readonly onNotification: NotificationSink | undefined;
  /** Ends it, as if its caller had left. */
  leave(): void;
}

interface Joined {
  readonly principalId: string;
}

/** Stands for all sources: clients of the whole catalogue stay with each of them. */
export const EVERYWHERE = "*";

export class Callers {
  /** By source. */
  readonly #waiting = new Map<string, IndexedSet<Waiting>>();
  readonly #joined = new SetsByName<Joined>();

  /** A call is on its way to its source. */
  enter(waiting: Waiting): void {
    let set = this.#waiting.get(waiting.source);
    if (!set) {
      set = new IndexedSet();
      this.#waiting.set(waiting.source, set);
    }
    set.add(waiting);
  }

  /** How many calls are on their way, to whichever source. */
  get waiting(): number {
    let sum = 0;
    for (const set of this.#waiting.values()) sum += set.size;
    return sum;
  }

  allWaiting(): readonly Waiting[] {
    return [...this.#waiting.values()].flatMap((set) => set.all());
  }

  leave(waiting: Waiting): void {
    this.#waiting.get(waiting.source)?.delete(waiting);
  }

  /** The source is gone for good. */
  forget(source: string): void {
    if (this.#waiting.get(source)?.size === 0) this.#waiting.delete(source);
  }

  /** A client stays with a source, call or no call; the returned function ends it. */
  join(source: string, principalId: string): () => void {
    const joined = { principalId };
    this.#joined.add(source, joined);
    return () => this.#joined.delete(source, joined);
  }

  /** Whether all clients that stay with the source belong to one principal. */
  isOnePrincipals(source: string): boolean {
    return new Set(this.#with(source).map(({ principalId }) => principalId)).size === 1;
  }

  /** False if nobody is waiting. */
  tellWaiting(source: string, method: string, params: Payload): boolean {
    const waiting = this.#waitingFor(source);
    const all = [...waiting, ...this.#with(source)];
    const isOnePrincipal = new Set(all.map(({ principalId }) => principalId)).size === 1;
    if (isOnePrincipal) for (const sink of sinksOf(waiting)) sink(method, params);
    return waiting.length > 0;
  }

  /** The newest last. */
  #waitingFor(source: string): readonly Waiting[] {
    return [...(this.#waiting.get(source)?.all() ?? [])].sort((a, b) => a.id - b.id);
  }

  #with(source: string) {
    return [...this.#joined.of(source), ...this.#joined.of(EVERYWHERE)];
  }
}

/** A client with several calls under way is told once, beside the newest of them. */
function sinksOf(waiting: readonly Waiting[]): readonly NotificationSink[] {
  const byClient = new Map<unknown, NotificationSink>();
  for (const each of waiting) if (each.onNotification) byClient.set(each.caller ?? each, each.onNotification);
  return [...byClient.values()];
}

class SetsByName<T> {
  readonly #sets = new Map<string, Set<T>>();

  add(name: string, item: T): void {
    const all = this.#sets.get(name);
    if (all) all.add(item);
    else this.#sets.set(name, new Set([item]));
  }

  delete(name: string, item: T): void {
    const all = this.#sets.get(name);
    all?.delete(item);
    if (all?.size === 0) this.#sets.delete(name);
  }

  of(name: string): readonly T[] {
    return [...(this.#sets.get(name) ?? [])];
  }
}
