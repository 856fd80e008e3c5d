/**
 * Sessions in a cluster, as doors see them. What a client returns to by an id (a session, a stream, a suspended call) is held by
 * one node, whichever node receives the request; the others forward to it. A hub that runs alone has no `SessionNodes`.
 */
import type { CancelSignal } from "../../light-abort.ts";
import type { Exchange } from "../door.ts";

export interface SessionNodes {
  /** The end of every id that this node issues; it names the node. */
  readonly idSuffix: string;
  /** The other node that issued this id, if it is alive. */
  issuerOf(id: string): SessionNode | undefined;
  /** While this node drains, another node that opens new sessions in its place; undefined while this node may open them. */
  successor(): SessionNode | undefined;
  /**
   * Finds a session that is not held here. The result is the node that holds it or, if that node is gone, the stored session, which
   * belongs to this node from then on. Undefined if there is no session that `isMeant` accepts.
   */
  locate(id: string, isMeant: (session: StoredSession) => boolean): Promise<SessionNode | StoredSession | undefined>;
  /** Stores a session so that other nodes can take it over. If the write fails, the session is lost with this node. */
  store(session: StoredSession): Promise<void>;
  /** Removes a session that has ended, so that no node takes it over. */
  delete(id: string): Promise<void>;
  /** Marks these sessions as in use, so that they are not deleted as expired. */
  touch(ids: readonly string[]): void;
  /** Registers how a door resumes its suspended calls, for clients that return to other nodes. */
  resumeWith(door: string, resume: Resume): void;
}

/** The request with which a client returns to a suspended call. */
export interface ComeBack {
  readonly state: string;
  /** Proves that it is the same client with the same call. */
  readonly proof: string;
  readonly account: string;
  /** The JSON text that the client sent. */
  readonly inputResponses: string | undefined;
}

/** Resolves with the text of the result. The signal is aborted when the client leaves; `notify` takes notifications until then. */
export type Resume = (back: ComeBack, signal: CancelSignal, notify: (message: string) => void) => Promise<string>;

/** Another node, to which a request about its session can be forwarded. */
export interface SessionNode {
  /** Has that node answer the request. Rejects if it cannot be reached, or is lost before its answer begins. */
  forward(exchange: Exchange, body?: string): Promise<void>;
  /** Sends that node a copy of the request, and ignores its answer. */
  forwardCopy(exchange: Exchange, body: string): void;
  /** Has that node resume a call that it has suspended at this door. */
  resume(door: string, ...back: Parameters<Resume>): Promise<string>;
}

/** What a node needs to take over a session of another node. */
export interface StoredSession {
  readonly id: string;
  readonly door: string;
  readonly scope: string;
  readonly principalId: string;
  /** The client's requests that determine the session's state, `initialize` first; the new node replays them. */
  readonly requests: readonly string[];
}

export function isSessionNode(found: SessionNode | StoredSession): found is SessionNode {
  return "forward" in found;
}
