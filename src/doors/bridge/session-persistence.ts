/**
 * Sessions as the store keeps them. Sliding is written only now and then: so the store is told an end that is later by as
 * long as that may take, and a crash takes nothing from anybody that was promised.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { BridgeSessionRecord, BridgeSessionTable } from "../../store/store.ts";
import type { BridgeSession } from "./session-index.ts";

/** Sessions in one write; between two writes the event loop gets its turn. */
const WRITTEN_AT_ONCE = 500;

export class SessionPersistence {
  readonly #table: BridgeSessionTable;

  constructor(table: BridgeSessionTable) {
    this.#table = table;
  }

  /** The stored sessions, the soonest to expire first; expired ones are deleted from the store. */
  async load(most: number, now: number): Promise<readonly BridgeSession[]> {
    const records = await this.#table.list(most);
    await this.#table.deleteExpired(utc(now));
    return records.map(remembered);
  }

  /**
   * The id is free, as far as memory knows: what the store still has of it is over, or another hub's on the same store.
   * False if it is that.
   */
  put(session: BridgeSession, now: number, ahead: number): Promise<boolean> {
    session.isDirty = false;
    session.storedExpiry = session.expiresAt + ahead;
    return this.#table.put(recordOf(session), utc(now + ahead));
  }

  async find(id: string): Promise<BridgeSession | undefined> {
    const record = await this.#table.get(id);
    return record && remembered(record);
  }

  delete(id: string): Promise<boolean> {
    return this.#table.delete(id);
  }

  /** Deletes these, except those that another hub on the same store has prolonged since. */
  async deleteExpired(sessions: readonly BridgeSession[], now: number, ahead: number): Promise<void> {
    const ids = sessions.map(({ id }) => id);
    if (ids.length > 0) await this.#table.deleteExpired(utc(now + ahead), ids);
  }

  async slide(sessions: readonly BridgeSession[], ahead: number): Promise<void> {
    for (let start = 0; start < sessions.length; start += WRITTEN_AT_ONCE) {
      if (start > 0) await turn();
      await this.#slidePart(sessions.slice(start, start + WRITTEN_AT_ONCE), ahead);
    }
  }

  async #slidePart(part: readonly BridgeSession[], ahead: number): Promise<void> {
    const written = part.map((session) => ({ session, expiry: session.expiresAt + ahead }));
    await this.#table.slide(written.map(({ session, expiry }) => ({ id: session.id, expiresUtc: utc(expiry) })));
    for (const { session, expiry } of written) {
      session.storedExpiry = expiry;
      session.isDirty = session.expiresAt + ahead !== expiry;
    }
  }
}

function recordOf(session: BridgeSession): BridgeSessionRecord {
  const { id, principalId, protocolVersion, clientId, createdAt, storedExpiry } = session;
  return { id, principalId, protocolVersion, clientId, createdUtc: utc(createdAt), expiresUtc: utc(storedExpiry) };
}

function remembered({ createdUtc, expiresUtc, clientId, ...rest }: BridgeSessionRecord): BridgeSession {
  const expiresAt = Date.parse(expiresUtc);
  const createdAt = Date.parse(createdUtc);
  const untouched = { lastUsed: createdAt, isDirty: false, busy: 0, isSeen: false, checkedAt: 0 };
  return { ...rest, clientId, createdAt, expiresAt, storedExpiry: expiresAt, ...untouched };
}

function utc(ms: number): string {
  return new Date(ms).toISOString();
}
