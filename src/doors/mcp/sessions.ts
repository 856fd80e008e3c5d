/**
 * Sessions of the handshake revisions: ids that cannot be guessed, each bound to the principal that opened it (a
 * session never authenticates anybody), bounded in number and in idleness. An unknown id allocates nothing.
 */
import { randomBytes, randomInt } from "node:crypto";
import { accountOf } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import type { SharedByDoors } from "../../core/shared/for-doors.ts";
import type { SessionEntry, SessionTable } from "../../core/shared/session-table.ts";
import { ZaguanError } from "../../errors.ts";
import type { ScanLimits } from "../../protocol/json/scan.ts";
import { ClientLink } from "./client-link.ts";
import type { HandshakeCodec } from "./handshake-codec.ts";
import type { SessionNodes } from "./session-nodes.ts";
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
  /** The requests that determine the session's state, by method and URI; undefined where no other node can take it over. */
  requests: Map<string, string> | undefined;
}

interface SessionLimits extends ScanLimits {
  readonly sessions: number;
  readonly sessionIdleMs: number;
}

/** Clients of older revisions take an event without data for a broken message. */
const FIRST_PRIMED_VERSION = "2025-11-25";
const UNCONFIRMED_MS = 60_000;
const SWEEP_MS = 30_000;
/** After this many sweeps the stored sessions that are in use are touched. */
const SWEEPS_PER_TOUCH = 10;
/** The most characters of requests that are stored of one session; a larger session cannot be taken over. */
const MOST_STORED = 65_536;

export class Sessions {
  readonly #door: string;
  readonly #limits: () => SessionLimits;
  readonly #shared: SharedByDoors;
  readonly #nodes: SessionNodes | undefined;
  readonly #table: SessionTable<Session>;
  readonly #sweeper: NodeJS.Timeout;
  #sweeps = 0;

  constructor(door: string, limits: () => SessionLimits, shared: SharedByDoors, nodes?: SessionNodes) {
    this.#door = door;
    this.#nodes = nodes;
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

  /** Whether this node holds the session, whoever it belongs to. */
  holds(id: string): boolean {
    return this.#table.has(id);
  }

  /** @param id the id of a session that is taken over from another node */
  open(principal: Principal, codec: HandshakeCodec, version: string, scope = "", id = this.#newId()): Session {
    const account = accountOf(principal);
    if (!this.#table.hasRoom(account)) this.#makeRoom(account);
    if (!this.#table.hasRoom(account)) throw tooManySessions(this.#table.size);
    const primes = version >= FIRST_PRIMED_VERSION;
    const idSuffix = this.#nodes?.idSuffix;
    const streams = new SessionStreams({ sessionId: id, primes, logs: this.#shared.replay, idSuffix });
    const session: Session = {
      id,
      principalId: principal.id,
      account,
      scope,
      codec,
      client: this.#makeClient(streams),
      streams,
      version,
      lastUsed: Date.now(),
      confirmed: false,
      requests: undefined,
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
    // A late answer to a question of the node that had the session before must not be taken for one to ours.
    const firstId = this.#nodes && randomInt(1, 2 ** 20) * 2 ** 20;
    const client = new ClientLink({ depth, elements }, firstId);
    client.addOutlet((message) => streams.tell(message));
    return client;
  }

  /** Records a request that changed the session, and stores the session so that other nodes can take it over. */
  async store(session: Session, key: string, request: string | undefined): Promise<void> {
    session.requests ??= new Map();
    if (request === undefined) session.requests.delete(key);
    else session.requests.set(key, request);
    const requests = [...session.requests.values()];
    const { id, scope, principalId } = session;
    const isSmall = requests.reduce((sum, text) => sum + text.length, 0) <= MOST_STORED;
    if (isSmall) await this.#nodes?.store({ id, door: this.#door, scope, principalId, requests });
  }

  /** Resolves when the stored session is deleted, so that no other node can take it over. */
  end(session: Session): Promise<void> | undefined {
    this.#table.remove(session);
    const deleted = session.requests && this.#nodes?.delete(session.id);
    session.codec.end();
    session.client.end();
    session.streams.end();
    return deleted;
  }

  close(): void {
    clearInterval(this.#sweeper);
    for (const { codec, streams } of this.#table.held()) {
      codec.stopWatching();
      streams.stopListening();
    }
  }

  #newId(): string {
    return randomBytes(24).toString("base64url") + (this.#nodes?.idSuffix ?? "");
  }

  /** A principal's own session to which it never came back gives way to its next; nobody else's does. */
  #makeRoom(account: string): void {
    this.#sweep(Date.now());
    if (this.#table.hasRoom(account)) return;
    const own = [...this.#table.held()].find((one) => !one.confirmed && one.account === account);
    if (own) void this.end(own);
  }

  #sweep(now: number): void {
    const idleMs = this.#limits().sessionIdleMs;
    if (this.#sweeps++ % SWEEPS_PER_TOUCH === 0) this.#nodes?.touch([...this.#table.held()].map(({ id }) => id));
    for (const session of this.#table.held()) {
      const limit = session.confirmed ? idleMs : Math.min(idleMs, UNCONFIRMED_MS);
      session.streams.sweep(now);
      if (now - session.lastUsed > limit && !session.streams.isConnected) void this.end(session);
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
