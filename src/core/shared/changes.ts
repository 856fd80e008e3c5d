/** What changed for everybody, told to whoever remembers it: the port, and the implementation for one process. */

/** `tools`: what somebody may list. `links`: what agents are linked to. `keys`: who may come in. */
export type Change = "tools" | "links" | "keys";

export interface Changes {
  /** Never fails, and waits for nobody. */
  publish(change: Change): void;
  /** Told of each change, also of those that were published here; the returned function ends it. */
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
