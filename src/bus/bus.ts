/**
 * The message bus between the nodes of one cluster: who can be told something, and what is known of its fate. Sending never
 * waits and never fails; a message that is lost is for the protocol on top to notice. `nats-bus.ts` is the implementation.
 */
import type { Refusal } from "./open.ts";

/** The short name of a node, such as "garage": see `names.ts`. */
export type NodeId = string;

/** JSON as text. A lone surrogate, which `JSON.stringify` never writes, would arrive as U+FFFD. */
export type BusMessage = string;

/** One life of a node: after a restart it has another boot, and knows nothing of what it was told before. */
export interface Sender {
  readonly node: NodeId;
  readonly boot: string;
}

/** With a boot, only that life of the node takes the message; a later one refuses it. A `Sender` can be answered as it is. */
export interface Receiver {
  readonly node: NodeId;
  readonly boot?: string | undefined;
}

export interface Bus {
  /** Our own name. */
  readonly node: NodeId;
  /** Random, another one each time the bus is opened. */
  readonly boot: string;
  /**
   * Gives the number of the message, or 0 where it certainly never left: NATS is away, too much is waiting to be sent, the
   * message is too large, or the receiver is ourselves or no node's name. Messages to one receiver in the same turn may share a
   * number, since they arrive together or not at all. Small messages arrive in order; one that goes in parts may be overtaken.
   */
  send(to: Receiver, message: BusMessage): number;
  /** To all nodes but us; 0 as in `send`. */
  cast(message: BusMessage): number;
  /** The returned function ends it. */
  listen(listener: BusListener): () => void;
  /**
   * Tells which messages of `send` NATS had no listener for. It is a hint and no proof: another tenant who can listen on our
   * subjects can make it up (see docs/bus.md). Use it where repeating the message does no harm.
   */
  watchUnheard(listener: (to: NodeId, number: number) => void): () => void;
  state(): BusState;
  /** Told after each change of the state. */
  watch(listener: (state: BusState) => void): () => void;
  counts(): BusCounts;
  /** Sends what was handed in already, for a second at most, and ends the connection. */
  close(): Promise<void>;
}

export type BusListener = (from: Sender, message: BusMessage) => void;

export interface BusState {
  readonly link: "connected" | "away" | "closed";
  /** Why it is away, or what NATS does not let us do, in plain words without credentials. */
  readonly reason?: string | undefined;
  /** The boot of another process that calls itself as we do and knows the secret, heard within the last half minute. */
  readonly twin?: string | undefined;
}

export interface BusCounts {
  readonly sent: number;
  readonly received: number;
  /** Messages that never left, by the reason. */
  readonly dropped: Readonly<Record<Drop, number>>;
  /** What came and was not taken, by the reason. */
  readonly refused: Readonly<Record<Refusal, number>>;
  /** Large messages of which not all parts came. */
  readonly unfinished: number;
  /** Listeners that threw. */
  readonly faults: number;
}

export type Drop = "away" | "backlog" | "tooLarge" | "noSuchNode";
