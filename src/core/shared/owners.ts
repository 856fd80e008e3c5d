/** Which process holds a source that only one may hold (a child process, a serial line): the port, and the implementation for one process. */

export interface Owners {
  /** Whether this process holds it, or may begin to. */
  isOurs(source: string): boolean;
  /**
   * Told of each source that has come to us or gone from us; the returned function ends it. `isCut`: another process may have it
   * any moment, so that not even what runs may run on.
   */
  watch(listener: (source: string, isCut: boolean) => unknown): () => void;
}

/** Several processes as one of them sees them: who is there, and who holds what. */
export interface ClusterView {
  readonly node: string;
  /** Names of all live nodes, this one included. */
  readonly nodes: readonly string[];
  /** The sources that only one node may hold, with the node that does. */
  readonly sources: readonly { readonly name: string; readonly node: string | null }[];
  /** Whether the others can be reached at all. */
  readonly isConnected: boolean;
}

/** Where there is but one process, it holds everything. */
export class LocalOwners implements Owners {
  isOurs(): boolean {
    return true;
  }

  watch(): () => void {
    return () => {};
  }
}
