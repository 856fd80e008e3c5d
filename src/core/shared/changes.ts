/** Changes that invalidate what other parts, or other nodes, have in memory: the port, and the implementation for one process. */

/** `tools`: which tools callers may list. `links`: what agents are linked to. `keys`: which API keys are valid. */
export type Change = "tools" | "links" | "keys";

export interface Changes {
  /** Never fails, and never waits for listeners. */
  publish(change: Change): void;
  /** Calls the listener for each change, including those published here; the returned function unsubscribes it. */
  watch(listener: (change: Change) => void): () => void;
}

export class LocalChanges implements Changes {
  readonly #listeners = new Set<(change: Change) => void>();

  publish(change: Change): void {
    for (const listener of [...this.#listeners]) listener(change);
  }

  watch(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
