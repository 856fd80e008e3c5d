/**
 * Sessions of the bridge: each bound to the principal that opened it, with an end that slides with every use, bounded in
 * number, and kept over a restart. Opening and ending one is written before it is answered.
 */
import { randomBytes } from "node:crypto";
import type { Principal } from "../../core/call.ts";
import type { BridgeSessionTable } from "../../store/store.ts";
import type { DoorLimits } from "../door.ts";
import { noSessions, noSuchSession, sessionTaken, wholeSecond } from "./reply.ts";
import type { SessionWish } from "./request.ts";
import { type BridgeSession, isExpired, SessionIndex } from "./session-index.ts";
import { SessionPersistence } from "./session-persistence.ts";

interface BridgeSessionsOptions {
  readonly table: BridgeSessionTable;
  /** Read at every use, so that a changed configuration counts at once. */
  limits(): Pick<DoorLimits, "sessions" | "sessionIdleMs">;
  /** Takes failures that nobody waits for. */
  report(cause: unknown): unknown;
  /** The time of day in milliseconds; the system's unless given. */
  now?(): number;
  /** Whether other nodes use the same store, so that it may know more of a session than we do. */
  readonly isShared?: boolean | undefined;
}

/** The last three sum up to `total`. */
interface BridgeSessionCounts {
  readonly total: number;
  /** How many more may be opened. */
  readonly available: number;
  /** Used in the last five minutes. */
  readonly healthy: number;
  readonly idle: number;
  /** Carried over a restart, and not seen again yet. */
  readonly reconnecting: number;
}

export interface NewSession extends SessionWish {
  readonly clientId: string | undefined;
}

const HEALTHY_MS = 300_000;
const MOST_BETWEEN_WRITES_MS = 60_000;
const LEAST_BETWEEN_WRITES_MS = 1_000;
const SOON_MS = 1_000;
/** So long what another node did to a session may go unseen here. */
const LOOK_MS = 1_000;

export class BridgeSessions {
  readonly #options: BridgeSessionsOptions;
  readonly #index = new SessionIndex(() => this.#options.limits().sessions);
  readonly #persistence: SessionPersistence;
  #timer: NodeJS.Timeout | undefined;
  #tending: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** Loads the sessions from before a restart. */
  static async open(options: BridgeSessionsOptions): Promise<BridgeSessions> {
    const sessions = new BridgeSessions(options);
    await sessions.#load();
    sessions.#tendLater();
    return sessions;
  }

  private constructor(options: BridgeSessionsOptions) {
    this.#options = options;
    this.#persistence = new SessionPersistence(options.table);
  }

  /**
   * Makes a session, or renews the principal's own of that id. It is in the store when this resolves.
   *
   * @param queued how many calls wait in the hub, for the refusal of a session too many
   */
  async begin(principal: Principal, wish: NewSession, queued: number): Promise<BridgeSession> {
    if (wish.sessionId !== undefined) await this.catchUp(wish.sessionId);
    const known = wish.sessionId === undefined ? undefined : this.#live(wish.sessionId);
    if (known && known.principalId !== principal.id) throw sessionTaken();
    const session = known ?? this.#admit(principal, wish, queued);
    session.protocolVersion = wish.protocolVersion;
    session.clientId = wish.clientId ?? session.clientId;
    this.#use(session);
    try {
      if (!(await this.#persistence.put(session, this.#now(), this.#writeEveryMs()))) throw sessionTaken();
    } catch (cause) {
      if (!known) this.#index.remove(session);
      throw cause;
    }
    return session;
  }

  /** Learns what other nodes made of a session; to be called before it is entered. Where the store is away, what is known counts. */
  async catchUp(id: string): Promise<void> {
    const known = this.#index.get(id);
    const now = this.#now();
    if (!this.#options.isShared || (known && now - known.checkedAt < LOOK_MS)) return;
    const stored = await this.#persistence.find(id).catch((cause) => known ?? Promise.reject(cause));
    if (known) known.checkedAt = now;
    if (!stored && known && known.busy === 0) this.#index.remove(known);
    if (stored && known) known.expiresAt = Math.max(known.expiresAt, stored.expiresAt - this.#writeEveryMs());
    if (stored && !this.#index.get(id) && !isExpired(stored, now)) this.#index.add({ ...stored, checkedAt: now });
  }

  /** For one request, which `leave` ends; throws if there is no such session, or it is somebody else's. */
  enter(id: string, principal: Principal): BridgeSession {
    const session = this.#live(id);
    if (session?.principalId !== principal.id) throw noSuchSession(id, this.#index.endOf(id, principal.id));
    session.busy++;
    this.#use(session);
    return session;
  }

  leave(session: BridgeSession): void {
    session.busy--;
    this.#use(session);
  }

  /** Ends a session; it is gone from the store when this resolves. */
  async end(id: string, principal: Principal): Promise<void> {
    this.#index.remove(this.enter(id, principal));
    await this.#persistence.delete(id);
  }

  counts(): BridgeSessionCounts {
    const now = this.#now();
    const counts = { healthy: 0, idle: 0, reconnecting: 0 };
    for (const session of this.#index.all()) if (!isExpired(session, now)) counts[statusOf(session, now)]++;
    const total = counts.healthy + counts.idle + counts.reconnecting;
    return { total, available: Math.max(0, this.#options.limits().sessions - total), ...counts };
  }

  /** Writes down when each of them really ends. To be called when nothing is asked any more, and before the store closes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#tending;
    const inexact = [...this.#index.all()].filter(({ storedExpiry, expiresAt }) => storedExpiry !== expiresAt);
    await this.#persistence.slide(inexact, 0).catch(this.#options.report);
  }

  async #load(): Promise<void> {
    const now = this.#now();
    for (const session of await this.#persistence.load(this.#options.limits().sessions, now)) {
      if (isExpired(session, now)) this.#index.rememberEnd(session);
      else this.#index.add(session);
    }
  }

  #admit(principal: Principal, { sessionId, protocolVersion }: NewSession, queued: number): BridgeSession {
    this.#makeRoom(principal.id, queued);
    const now = this.#now();
    const session: BridgeSession = {
      id: sessionId ?? randomBytes(24).toString("base64url"),
      principalId: principal.id,
      protocolVersion,
      clientId: undefined,
      createdAt: now,
      lastUsed: now,
      expiresAt: now,
      storedExpiry: now,
      isDirty: true,
      busy: 0,
      isSeen: true,
      checkedAt: now,
    };
    this.#index.add(session);
    return session;
  }

  /** Makes room by removing expired sessions; refuses where that is not enough. */
  #makeRoom(principalId: string, queued: number): void {
    const { places } = this.#index;
    if (places.hasRoom(principalId)) return;
    this.#forgetExpired();
    if (places.hasRoom(principalId)) return;
    const isFull = this.#index.size >= this.#options.limits().sessions;
    const next = this.#index.nextEnd(isFull ? undefined : principalId) ?? 0;
    throw noSessions(queued, Math.max(SOON_MS, next - this.#now()));
  }

  #live(id: string): BridgeSession | undefined {
    const session = this.#index.get(id);
    if (!session || !isExpired(session, this.#now())) return session;
    this.#index.expire(session);
    this.#deleteExpired([session]);
    return undefined;
  }

  #use(session: BridgeSession): void {
    const now = this.#now();
    this.#index.used(session, now, wholeSecond(now + this.#options.limits().sessionIdleMs));
  }

  #forgetExpired(): void {
    const now = this.#now();
    const over = [...this.#index.all()].filter((session) => isExpired(session, now));
    for (const session of over) this.#index.expire(session);
    this.#deleteExpired(over);
  }

  #deleteExpired(sessions: readonly BridgeSession[]): void {
    this.#persistence.deleteExpired(sessions, this.#now(), this.#writeEveryMs()).catch(this.#options.report);
  }

  #tendLater(): void {
    this.#timer = setTimeout(() => {
      this.#tending = this.#tend().finally(() => this.#isClosed || this.#tendLater());
    }, this.#writeEveryMs());
    this.#timer.unref();
  }

  async #tend(): Promise<void> {
    this.#forgetExpired();
    const dirty = [...this.#index.all()].filter(({ isDirty }) => isDirty);
    await this.#persistence.slide(dirty, this.#writeEveryMs()).catch(this.#options.report);
  }

  /** A tenth of a session's life, within bounds. */
  #writeEveryMs(): number {
    const tenth = this.#options.limits().sessionIdleMs / 10;
    return Math.max(LEAST_BETWEEN_WRITES_MS, Math.min(tenth, MOST_BETWEEN_WRITES_MS));
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }
}

function statusOf(session: BridgeSession, now: number): "healthy" | "idle" | "reconnecting" {
  if (!session.isSeen) return "reconnecting";
  return session.busy > 0 || now - session.lastUsed <= HEALTHY_MS ? "healthy" : "idle";
}
