/** Which process holds a source that only one may hold (a child process, a serial line): the port, and the implementation for one process. */

export interface Owners {
  /** Whether this process holds it, or may begin to. */
  isOurs(source: string): boolean;
  /** Told of each source that has come to us or gone from us; the returned function ends it. */
  watch(listener: (source: string) => unknown): () => void;
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
