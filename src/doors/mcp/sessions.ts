/**
 * Sessions of the handshake revisions: ids that cannot be guessed, each bound to the principal that opened it (a
 * session never authenticates anybody), bounded in number and in idleness. An unknown id allocates nothing.
 */
import { randomBytes } from "node:crypto";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { ScanLimits } from "../../protocol/json/scan.ts";
import { Places } from "../http/places.ts";
import { ClientLink } from "./client-link.ts";
import { Shelf } from "./event-log.ts";
import type { HandshakeCodec } from "./handshake-codec.ts";
import { DOOR_LIMITS, SessionStreams } from "./session-streams.ts";

export interface Session {
  readonly id: string;
  readonly principalId: string;
  /** What it is about: a session here is unknown elsewhere. */
  readonly scope: string;
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
  readonly #byId = new Map<string, Session>();
  readonly #places = new Places(() => this.#limits().sessions);
  readonly #shelf = new Shelf(DOOR_LIMITS);
  readonly #sweeper: NodeJS.Timeout;

  constructor(limits: () => SessionLimits) {
    this.#limits = limits;
    this.#sweeper = setInterval(() => this.#sweep(Date.now()), SWEEP_MS);
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#byId.size;
  }

  get streams(): number {
    return [...this.#byId.values()].filter(({ streams }) => streams.isConnected).length;
  }

  open(principal: Principal, codec: HandshakeCodec, version: string, scope = ""): Session {
    if (!this.#places.hasRoom(principal.id)) this.#makeRoom(principal.id);
    if (!this.#places.hasRoom(principal.id)) throw tooManySessions(this.#byId.size);
    const id = randomBytes(24).toString("base64url");
    const primes = version >= FIRST_PRIMED_VERSION;
    const streams = new SessionStreams({ sessionId: id, primes, shelf: this.#shelf });
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
    this.#byId.set(id, session);
    this.#places.take(principal.id);
    return session;
  }

  /** Somebody else's session is answered like one that never was. */
  find(id: string, principal: Principal, scope = ""): Session {
    const session = this.#byId.get(id);
    if (session?.principalId !== principal.id || session.scope !== scope)
      throw new ZaguanError("UNKNOWN_SESSION", { data: { suggestion: "initialize" } });
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
    if (this.#byId.delete(session.id)) this.#places.leave(session.principalId);
    session.codec.end();
    session.client.end();
    session.streams.end();
  }

  close(): void {
    clearInterval(this.#sweeper);
    for (const { codec, streams } of this.#byId.values()) {
      codec.stopWatching();
      streams.stopListening();
    }
  }

  /** A principal's own session to which it never came back gives way to its next; nobody else's does. */
  #makeRoom(principalId: string): void {
    this.#sweep(Date.now());
    if (this.#places.hasRoom(principalId)) return;
    const own = [...this.#byId.values()].find((one) => !one.confirmed && one.principalId === principalId);
    if (own) this.end(own);
  }

  #sweep(now: number): void {
    const idleMs = this.#limits().sessionIdleMs;
    for (const session of this.#byId.values()) {
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
