/**
 * Sessions of the handshake revisions: ids that cannot be guessed, each bound to the principal that opened it (a
 * session never authenticates anybody), bounded in number and in idleness. An unknown id allocates nothing.
 */
import { randomBytes } from "node:crypto";
import type { Principal } from "../../core/call.ts";
import type { SharedByDoors } from "../../core/shared/for-doors.ts";
import type { SessionEntry, SessionTable } from "../../core/shared/session-table.ts";
import { ZaguanError } from "../../errors.ts";
import type { ScanLimits } from "../../protocol/json/scan.ts";
import { ClientLink } from "./client-link.ts";
import type { HandshakeCodec } from "./handshake-codec.ts";
import { SessionStreams } from "./session-streams.ts";

export interface Session extends SessionEntry {
  readonly codec: HandshakeCodec;
  /** The way back to the client, for what sources ask. */
  readonly client: ClientLink;
  readonly streams: SessionStreams;
  /** The revision that was agreed on. */
  readonly version: string;
  lastUsed: number;
  /** False until the client came back after `initialize`; such a session does not stay long. */
  confirmed: boolean;
}

interface SessionLimits extends ScanLimits {
  readonly sessions: number;
  readonly sessionIdleMs: number;
}

/** Clients of older revisions take an event without data for a broken message. */
const FIRST_PRIMED_VERSION = "2025-11-25";
const UNCONFIRMED_MS = 60_000;
const SWEEP_MS = 30_000;

export class Sessions {
  readonly #limits: () => SessionLimits;
  readonly #shared: SharedByDoors;
  readonly #table: SessionTable<Session>;
  readonly #sweeper: NodeJS.Timeout;

  constructor(door: string, limits: () => SessionLimits, shared: SharedByDoors) {
    this.#limits = limits;
    this.#shared = shared;
    this.#table = shared.openSessions(door, () => limits().sessions);
    this.#sweeper = setInterval(() => this.#sweep(Date.now()), SWEEP_MS);
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#table.size;
  }

  get streams(): number {
    return [...this.#table.held()].filter(({ streams }) => streams.isConnected).length;
  }

  open(principal: Principal, codec: HandshakeCodec, version: string, scope = ""): Session {
    if (!this.#table.hasRoom(principal.id)) this.#makeRoom(principal.id);
    if (!this.#table.hasRoom(principal.id)) throw tooManySessions(this.#table.size);
    const id = randomBytes(24).toString("base64url");
    const primes = version >= FIRST_PRIMED_VERSION;
    const streams = new SessionStreams({ sessionId: id, primes, logs: this.#shared.replay });
    const session = {
      id,
      principalId: principal.id,
      scope,
      codec,
      client: this.#makeClient(streams),
      streams,
      version,
      lastUsed: Date.now(),
      confirmed: false,
    };
    this.#table.add(session);
    return session;
  }

  /** Somebody else's session is answered like one that never was. */
  find(id: string, principal: Principal, scope = ""): Session {
    const session = this.#table.find(id, principal.id, scope);
    if (!session) throw new ZaguanError("UNKNOWN_SESSION", { data: { suggestion: "initialize" } });
    session.lastUsed = Date.now();
    session.confirmed = true;
    return session;
  }

  /** The session's own stream is a way to the client whenever there is one; an answer under way is a better one. */
  #makeClient(streams: SessionStreams): ClientLink {
    const { depth, elements } = this.#limits();
    const client = new ClientLink({ depth, elements });
    client.addOutlet((message) => streams.tell(message));
    return client;
  }

  end(session: Session): void {
    this.#table.remove(session);
    session.codec.end();
    session.client.end();
    session.streams.end();
  }

  close(): void {
    clearInterval(this.#sweeper);
    for (const { codec, streams } of this.#table.held()) {
      codec.stopWatching();
      streams.stopListening();
    }
  }

  /** A principal's own session to which it never came back gives way to its next; nobody else's does. */
  #makeRoom(principalId: string): void {
    this.#sweep(Date.now());
    if (this.#table.hasRoom(principalId)) return;
    const own = [...this.#table.held()].find((one) => !one.confirmed && one.principalId === principalId);
    if (own) this.end(own);
  }

  #sweep(now: number): void {
    const idleMs = this.#limits().sessionIdleMs;
    for (const session of this.#table.held()) {
      const limit = session.confirmed ? idleMs : Math.min(idleMs, UNCONFIRMED_MS);
      session.streams.sweep(now);
      if (now - session.lastUsed > limit && !session.streams.isConnected) this.end(session);
    }
  }
}

/** The refusal of one session more than there may be; `open` is how many there are. */
export function tooManySessions(open: number): ZaguanError {
  return new ZaguanError("NO_CAPACITY", {
    params: { source: "sessions", waiting: open, seconds: SWEEP_MS / 1_000 },
    data: { queue_size: open, estimated_wait_ms: SWEEP_MS },
    retryAfterMs: SWEEP_MS,
  });
}
