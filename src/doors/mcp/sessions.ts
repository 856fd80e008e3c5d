/**
 * Sessions of the handshake revisions: ids that cannot be guessed, each bound to the principal that opened it (a
 * session never authenticates anybody), bounded in number and in idleness. An unknown id allocates nothing.
 */
import { randomBytes } from "node:crypto";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { EventStream } from "../http/event-stream.ts";
import type { Conversation } from "./conversation.ts";

export interface Session {
  readonly id: string;
  readonly principalId: string;
  readonly conversation: Conversation;
  /** What the server says unasked goes here, while the client listens. */
  stream: EventStream | undefined;
  lastUsed: number;
  /** False until the client came back after `initialize`; such a session does not stay long. */
  confirmed: boolean;
}

export interface SessionLimits {
  readonly sessions: number;
  readonly sessionIdleMs: number;
}

const UNCONFIRMED_MS = 60_000;
const SWEEP_MS = 30_000;

export class Sessions {
  readonly #limits: () => SessionLimits;
  readonly #byId = new Map<string, Session>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(limits: () => SessionLimits) {
    this.#limits = limits;
    this.#sweeper = setInterval(() => this.#sweep(Date.now()), SWEEP_MS);
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#byId.size;
  }

  open(principal: Principal, conversation: Conversation): Session {
    if (this.#byId.size >= this.#limits().sessions) this.#makeRoom();
    if (this.#byId.size >= this.#limits().sessions) throw full(this.#byId.size);
    const id = randomBytes(24).toString("base64url");
    const session = {
      id,
      principalId: principal.id,
      conversation,
      stream: undefined,
      lastUsed: Date.now(),
      confirmed: false,
    };
    this.#byId.set(id, session);
    return session;
  }

  /** Somebody else's session is answered like one that never was. */
  find(id: string, principal: Principal): Session {
    const session = this.#byId.get(id);
    if (session?.principalId !== principal.id)
      throw new ZaguanError("UNKNOWN_SESSION", { data: { suggestion: "initialize" } });
    session.lastUsed = Date.now();
    session.confirmed = true;
    return session;
  }

  end(session: Session): void {
    this.#byId.delete(session.id);
    session.conversation.end();
    session.stream?.end();
  }

  broadcast(message: string): void {
    for (const session of this.#byId.values()) session.stream?.send(message);
  }

  close(): void {
    clearInterval(this.#sweeper);
    for (const session of this.#byId.values()) session.stream?.end();
  }

  /** Those who opened a session and never came back give way to those who come now. */
  #makeRoom(): void {
    this.#sweep(Date.now());
    if (this.#byId.size < this.#limits().sessions) return;
    const oldest = [...this.#byId.values()].find((session) => !session.confirmed);
    if (oldest) this.end(oldest);
  }

  #sweep(now: number): void {
    const idleMs = this.#limits().sessionIdleMs;
    for (const session of this.#byId.values()) {
      const limit = session.confirmed ? idleMs : Math.min(idleMs, UNCONFIRMED_MS);
      if (!session.stream && now - session.lastUsed > limit) this.end(session);
    }
  }
}

function full(open: number): ZaguanError {
  return new ZaguanError("NO_CAPACITY", {
    params: { source: "sessions", waiting: open, seconds: SWEEP_MS / 1_000 },
    data: { queue_size: open, estimated_wait_ms: SWEEP_MS },
    retryAfterMs: SWEEP_MS,
  });
}
