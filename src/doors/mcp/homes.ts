/**
 * Several nodes as one hub, as doors see it: what a client comes back to by an id (a session, a stream, a suspended call) is held
 * by one node, its home, whichever node the client comes to. There is none of this where the hub is one process.
 */
import type { CancelSignal } from "../../light-abort.ts";
import type { Exchange } from "../door.ts";

export interface Homes {
  /** Ends every id that this node gives to clients. */
  readonly mark: string;
  /** The other node that gave this id, if it is alive. */
  of(id: string): Home | undefined;
  /** Another node that begins what this one must not begin any more, since it drains; undefined while it may. */
  heir(): Home | undefined;
  /**
   * Finds a session that is not held here: it is at its home or, where that is gone, ours from now on, if it is the one that is
   * meant. Undefined if there is none; nobody waits for a node that does not answer.
   */
  locate(id: string, isMeant: (session: KeptSession) => boolean): Promise<Home | KeptSession | undefined>;
  /** Lets other nodes go on with a session. Where that cannot be written down, the session ends with this node. */
  keep(session: KeptSession): Promise<void>;
  /** Nobody goes on with it any more. */
  drop(id: string): Promise<void>;
  /** They are still in use. */
  touch(ids: readonly string[]): void;
  /** How a door goes on with its suspended calls, for clients who come back at other nodes. */
  resumeWith(door: string, resume: Resume): void;
}

/** A client has come back for a call that was suspended. */
export interface ComeBack {
  readonly state: string;
  /** Of who asks what. */
  readonly proof: string;
  readonly principalId: string;
  /** As the client wrote them. */
  readonly inputResponses: string | undefined;
}

/** Resolves with the text of the result. The signal says that the client has left; `notify` takes what is said meanwhile. */
export type Resume = (back: ComeBack, signal: CancelSignal, notify: (message: string) => void) => Promise<string>;

export interface Home {
  /** Lets that node answer. Rejects if it cannot be reached, or is lost before its answer begins. */
  carry(exchange: Exchange, body?: string): Promise<void>;
  /** Tells that node the same; nobody waits for what it says. */
  tell(exchange: Exchange, body: string): void;
  /** Lets that node go on with a call that it has suspended at this door. */
  resume(door: string, ...back: Parameters<Resume>): Promise<string>;
}

/** What a node needs in order to go on with a session of another. */
export interface KeptSession {
  readonly id: string;
  readonly door: string;
  readonly scope: string;
  readonly principalId: string;
  /** Requests of its client that made it what it is, `initialize` first. */
  readonly requests: readonly string[];
}

export function isHome(found: Home | KeptSession): found is Home {
  return "carry" in found;
}
