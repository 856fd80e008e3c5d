/**
 * Sessions of the handshake revisions: ids that cannot be guessed, each bound to the principal that opened it (a
 * session never authenticates anybody), bounded in number and in idleness. An unknown id allocates nothing.
 */
import { randomBytes } from "node:crypto";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import type { ScanLimits } from "../../protocol/json/scan.ts";
import type { EventStream } from "../http/event-stream.ts";
import { ClientLink } from "./client-link.ts";
import type { Dialogue } from "./conversation.ts";

export interface Session {
  readonly id: string;
  readonly principalId: string;
  /** What it is about: a session here is unknown elsewhere. */
  readonly scope: string;
  readonly conversation: Dialogue;
  /** The way back to the client, for what sources ask. */
  readonly client: ClientLink;
  /** What the server says unasked goes here, while the client listens. */
  stream: EventStream | undefined;
  /** The revision that was agreed on. */
  version: string;
  lastUsed: number;
  /** False until the client came back after `initialize`; such a session does not stay long. */
  confirmed: boolean;
}

export interface SessionLimits extends ScanLimits {
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

  open(principal: Principal, conversation: Dialogue, scope = ""): Session {
    if (this.#byId.size >= this.#limits().sessions) this.#makeRoom();
    if (this.#byId.size >= this.#limits().sessions) throw tooManySessions(this.#byId.size);
    const id = randomBytes(24).toString("base64url");
    const session = {
      id,
      principalId: principal.id,
      scope,
      conversation,
      client: this.#makeClient(id),
      stream: undefined,
      version: "",
      lastUsed: Date.now(),
      confirmed: false,
    };
    this.#byId.set(id, session);
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
  #makeClient(id: string): ClientLink {
    const { depth, elements } = this.#limits();
    const client = new ClientLink({ depth, elements });
    client.addOutlet((message) => {
      const stream = this.#byId.get(id)?.stream;
      stream?.send(message);
      return stream !== undefined;
    });
    return client;
  }

  end(session: Session): void {
    this.#byId.delete(session.id);
    session.conversation.end();
    session.client.end();
    session.stream?.end();
  }

  broadcast(message: string, isMeant: (conversation: Dialogue) => boolean = () => true): void {
    for (const session of this.#byId.values()) if (isMeant(session.conversation)) session.stream?.send(message);
  }

  /** What belongs to a call under way goes where its answer will go. */
  tellWaiting(message: string, isMeant: (conversation: Dialogue) => boolean): void {
    for (const session of this.#byId.values()) if (isMeant(session.conversation)) session.client.tell(message);
  }

  dialogues(): readonly Dialogue[] {
    return [...this.#byId.values()].map(({ conversation }) => conversation);
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

/** The refusal of one session more than there may be; `open` is how many there are. */
export function tooManySessions(open: number): ZaguanError {
  return new ZaguanError("NO_CAPACITY", {
    params: { source: "sessions", waiting: open, seconds: SWEEP_MS / 1_000 },
    data: { queue_size: open, estimated_wait_ms: SWEEP_MS },
    retryAfterMs: SWEEP_MS,
  });
}
