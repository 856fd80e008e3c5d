/** Sessions that clients come back to by an id: the port, and the implementation for one process. */
import { Places } from "../structures/places.ts";

export interface SessionEntry {
  readonly id: string;
  /** A session authenticates nobody: it is of use to this principal alone. */
  readonly principalId: string;
  /** Whose share it takes up. */
  readonly account: string;
  /** What it is about: a session here is unknown elsewhere. */
  readonly scope: string;
}

export interface SessionTable<S extends SessionEntry> {
  readonly size: number;
  /** Whether one more may be opened for this account. */
  hasRoom(account: string): boolean;
  add(session: S): void;
  /** Whether this process holds it, whosever it is. */
  has(id: string): boolean;
  /** Undefined for one that never was, that is over, or that is somebody else's. */
  find(id: string, principalId: string, scope: string): S | undefined;
  /** Does nothing if it is gone already. */
  remove(session: S): void;
  /** Those that this process holds. */
  held(): Iterable<S>;
}

export class LocalSessionTable<S extends SessionEntry> implements SessionTable<S> {
  readonly #byId = new Map<string, S>();
  readonly #places: Places;

  /** @param most sessions at a time, read whenever one is opened */
  constructor(most: () => number) {
    this.#places = new Places(most);
  }

  get size(): number {
    return this.#byId.size;
  }

  hasRoom(account: string): boolean {
    return this.#places.hasRoom(account);
  }

  add(session: S): void {
    this.#byId.set(session.id, session);
    this.#places.take(session.account);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  find(id: string, principalId: string, scope: string): S | undefined {
    const session = this.#byId.get(id);
    return session?.principalId === principalId && session.scope === scope ? session : undefined;
  }

  remove(session: S): void {
    if (this.#byId.delete(session.id)) this.#places.leave(session.account);
  }

  held(): Iterable<S> {
    return this.#byId.values();
  }
}
