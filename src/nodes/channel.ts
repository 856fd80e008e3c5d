/** How one part of the hub speaks with its like on the other nodes of the cluster. Nothing is waited for, and any message may be lost. */
import type { Peer } from "../cluster/peer.ts";

export interface Channel {
  /** All other nodes that are alive. */
  others(): readonly Peer[];
  tell(to: Peer, news: unknown): void;
  /** To every other node. */
  cast(news: unknown): void;
  /** Told whenever a node has come or gone; the returned function ends it. */
  onMembers(listener: () => void): () => void;
}
