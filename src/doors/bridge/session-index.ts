/**
 * The open sessions in memory, in the order of their last use: who holds how many, and when those that are over ended, as
 * far back as there is room for.
 */
import { Places } from "../../core/structures/places.ts";

export interface BridgeSession {
  readonly id: string;
  /** A session authenticates nobody: it is of use to this principal alone. */
  readonly principalId: string;
  protocolVersion: string;
  /** What its client calls itself. */
  clientId: string | undefined;
  readonly createdAt: number;
  lastUsed: number;
  expiresAt: number;
  /** What the store says of `expiresAt`. */
  storedExpiry: number;
  /** Whether it was used since the store was last told. */
  isDirty: boolean;
  /** Requests under way; a session does not end in the middle of one. */
  busy: number;
  /** False while it is only known from before a restart. */
  isSeen: boolean;
  /** When the store was last asked for it. */
  checkedAt: number;
}

const MOST_ENDED = 1_000;

export class SessionIndex {
  /** In the order of last use, the oldest first. */
  readonly #open = new Map<string, BridgeSession>();
  readonly places: Places;
  readonly #ended = new Map<string, { readonly principalId: string; readonly at: number }>();

  get size(): number {
    return this.#open.size;
  }

  constructor(most: () => number) {
    this.places = new Places(most);
  }

  get(id: string): BridgeSession | undefined {
    return this.#open.get(id);
  }

  all(): IterableIterator<BridgeSession> {
    return this.#open.values();
  }

  add(session: BridgeSession): void {
    this.#open.set(session.id, session);
    this.#ended.delete(session.id);
    this.places.take(session.principalId);
  }

  /** Puts it behind all others. */
  used(session: BridgeSession, now: number, expiresAt: number): void {
    Object.assign(session, { lastUsed: now, expiresAt, isDirty: true, isSeen: true });
    if (this.#open.get(session.id) !== session) return;
    this.#open.delete(session.id);
    this.#open.set(session.id, session);
  }

  remove(session: BridgeSession): void {
    if (this.#open.get(session.id) !== session) return;
    this.#open.delete(session.id);
    this.places.leave(session.principalId);
  }

  /** Remembers when a session ended, so that its holder can be told. */
  rememberEnd({ id, principalId, expiresAt: at }: Pick<BridgeSession, "id" | "principalId" | "expiresAt">): void {
    this.#ended.set(id, { principalId, at });
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MOST_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  endOf(id: string, principalId: string): number | undefined {
    const ended = this.#ended.get(id);
    return ended?.principalId === principalId ? ended.at : undefined;
  }

  /** Removes a session and remembers when it ended. */
  expire(session: BridgeSession): void {
    this.remove(session);
    this.rememberEnd(session);
  }

  /** When the next session expires, among this principal's or among all. */
  nextEnd(principalId?: string): number | undefined {
    for (const session of this.#open.values()) {
      if (principalId === undefined || session.principalId === principalId) return session.expiresAt;
    }
    return undefined;
  }
}

export function isExpired(session: BridgeSession, now: number): boolean {
  return session.busy === 0 && session.expiresAt <= now;
}
