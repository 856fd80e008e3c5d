/**
 * Who is waiting for which source, so that what the source asks and says without naming a request finds the one it
 * belongs to. A source that several callers use at the same time does not say whose call it means; then nobody is asked or
 * told, since what is meant for one caller must never reach another.
 */

import { Crowd, type CrowdMember } from "../crowd.ts";
import type { Payload } from "../protocol/json/payload.ts";
import { Stop, type StopSignal } from "../stop.ts";
import type { Caller, NotificationSink } from "./call.ts";

/** One call that is on its way. */
export interface Waiting extends CrowdMember {
  /** Grows from one to the next. */
  readonly id: number;
  readonly source: string;
  /** Undefined for those who cannot be asked: their calls may be the ones that the source asks about. */
  readonly caller: Caller | undefined;
  readonly principalId: string;
  readonly signal: StopSignal;
  /** Whether it is one in the middle of which a source may ask something. */
  readonly mayAsk: boolean;
  readonly onNotification: NotificationSink | undefined;
  /** Ends it, as if its caller had left. */
  leave(): void;
}

export interface Askable {
  readonly caller: Caller;
  readonly principalId: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: StopSignal;
}

const GHOST_MS = 30_000;

/** Stands for all sources: clients of the whole catalogue stay with each of them. */
export const EVERYWHERE = "*";

export class Callers {
  /** By source. */
  readonly #waiting = new Map<string, Crowd<Waiting>>();
  readonly #joined = new SetsByName<Askable>();

  /** Whose calls were given up, until when: their source may not know yet, and still ask about them. */
  readonly #ghosts = new Map<string, Map<string, number>>();
  readonly #now: () => number;

  constructor(now: () => number = () => 0) {
    this.#now = now;
  }

  /** A call is on its way to its source. */
  enter(waiting: Waiting): void {
    let crowd = this.#waiting.get(waiting.source);
    if (!crowd) {
      crowd = new Crowd();
      this.#waiting.set(waiting.source, crowd);
    }
    crowd.add(waiting);
  }

  /** How many calls are on their way, to whichever source. */
  get waiting(): number {
    let sum = 0;
    for (const crowd of this.#waiting.values()) sum += crowd.size;
    return sum;
  }

  allWaiting(): readonly Waiting[] {
    return [...this.#waiting.values()].flatMap((crowd) => crowd.all());
  }

  leave(waiting: Waiting): void {
    const { source, principalId, signal } = waiting;
    this.#waiting.get(source)?.delete(waiting);
    if (signal.aborted && waiting.mayAsk) this.#haunt(source, principalId);
  }

  /** The source is gone for good. */
  forget(source: string): void {
    if (this.#waiting.get(source)?.size === 0) this.#waiting.delete(source);
    this.#ghosts.delete(source);
  }

  /** A client stays with a source, call or no call; the returned function ends it. */
  join(source: string, caller: Caller, principalId: string): () => void {
    const signal = new Stop();
    const joined = { caller, principalId, signal };
    this.#joined.add(source, joined);
    return () => {
      this.#joined.delete(source, joined);
      signal.abort();
    };
  }

  /**
   * The only caller that waits for this source, with its newest call; if there is none, the only one that stays with it.
   * Those who do not share the connection are not meant.
   */
  only(source: string, isShared: (caller: Caller) => boolean = () => true): Askable | undefined {
    const waiting = this.#waitingFor(source).filter((each) => each.mayAsk && (!each.caller || isShared(each.caller)));
    const last = waiting.at(-1);
    const found = last ? callerOfAll(waiting) : onlyOne(this.#with(source).filter(({ caller }) => isShared(caller)));
    return found && this.#isHaunted(source, found.principalId) ? undefined : found;
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

  #haunt(source: string, principalId: string): void {
    const ghosts = this.#livingGhosts(source).set(principalId, this.#now() + GHOST_MS);
    this.#ghosts.set(source, ghosts);
  }

  #isHaunted(source: string, principalId: string): boolean {
    return [...this.#livingGhosts(source).keys()].some((ghost) => ghost !== principalId);
  }

  #livingGhosts(source: string): Map<string, number> {
    const ghosts = this.#ghosts.get(source) ?? new Map<string, number>();
    for (const [principalId, until] of ghosts) if (until <= this.#now()) ghosts.delete(principalId);
    if (ghosts.size === 0) this.#ghosts.delete(source);
    return ghosts;
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

/** The newest call, if all are of one caller. */
function callerOfAll(waiting: readonly Waiting[]): Askable | undefined {
  const { caller, principalId, signal } = waiting.at(-1) as Waiting;
  return caller && waiting.every((each) => each.caller === caller) ? { caller, principalId, signal } : undefined;
}

function onlyOne<T>(all: readonly T[]): T | undefined {
  return all.length === 1 ? all[0] : undefined;
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
