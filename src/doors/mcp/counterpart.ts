/**
 * Whom a client on a two-way carrier talks to: the whole catalogue, or one server under its own names. A carrier begins a
 * conversation of the handshake revisions with it, hands it every request of the stateless ones, and lets it speak unasked.
 */
import type { Principal } from "../../core/call.ts";
import type { Dialogue } from "./conversation.ts";
import type { StatelessFace } from "./stateless/face.ts";

export interface Counterpart {
  readonly stateless: StatelessFace;
  converse(client: Interlocutor): Dialogue;
  /** Says to this hearer what is said unasked, until the returned function is called. */
  listen(hearer: Hearer): () => void;
}

export interface Interlocutor {
  readonly principal: Principal;
  /** Whether it is told of wrong arguments as bare JSON-RPC does, by an error. */
  isBare(): boolean;
  /** Whether it is spoken to as to a device. */
  isDevice?(): boolean;
}

export interface Hearer {
  readonly dialogue: Dialogue;
  /** Nothing is said unasked to who never did a handshake. */
  hasGreeted(): boolean;
  tell(message: string): void;
}

/** What all counterparts of one door are made with. */
export interface CounterpartOptions {
  readonly door: string;
  /** How many may listen, and how many calls may wait for their client. */
  limit(): number;
  report(cause: unknown): string;
}
