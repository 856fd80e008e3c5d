/**
 * Which process holds a source that only one may hold (a child process, a serial line): the port, and the implementation for one
 * process.
 */

export interface Owners {
  /** Whether this process holds the source, or may start it. */
  isOurs(source: string): boolean;
  /**
   * Calls the listener for each source that this process has gained or given up; the returned function unsubscribes it. `isLost`:
   * another process may hold the source soon, even while something of it still runs here.
   */
  watch(listener: (source: string, isLost: boolean) => unknown): () => void;
}

/** The view of one node: which nodes are alive, and which source each of them holds. */
export interface ClusterView {
  readonly node: string;
  /** Names of all live nodes, this one included. */
  readonly nodes: readonly string[];
  /** The sources that only one node may hold, with the node that does. */
  readonly sources: readonly { readonly name: string; readonly node: string | null }[];
  /** Whether the other nodes can be reached at all. */
  readonly isConnected: boolean;
  /** Whether the database says who holds what: without it a source that its node has lost is taken by no other. */
  readonly hasDatabase: boolean;
}

/** A single process holds every source. */
export class LocalOwners implements Owners {
  isOurs(): boolean {
    return true;
  }

  watch(): () => void {
    return () => {};
  }
}
