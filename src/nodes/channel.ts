/** A named channel between the same component on all nodes of the cluster. Sending never waits, and any message may be lost. */
import type { Peer } from "../cluster/peer.ts";

export interface Channel {
  /** All other live nodes. */
  others(): readonly Peer[];
  tell(to: Peer, news: unknown): void;
  /** Sends to every other node. */
  cast(news: unknown): void;
  /** Calls the listener whenever a node has joined or left; the returned function unsubscribes it. */
  onMembers(listener: () => void): () => void;
}
