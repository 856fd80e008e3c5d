/** Something that changes and that parts of the page show. Who looks at a piece of it is drawn anew when that piece changed. */
import { useEffect, useState } from "preact/hooks";

export class Store<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  change(change: (value: Value) => Value): void {
    this.set(change(this.#value));
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** `pick` must give the same object for the same state, or the part is drawn with every change. */
export function useStore<Value>(store: Store<Value>): Value;
export function useStore<Value, Piece>(store: Store<Value>, pick: (value: Value) => Piece): Piece;
export function useStore<Value>(store: Store<Value>, pick: (value: Value) => unknown = (value) => value): unknown {
  const piece = pick(store.get());
  const [, redraw] = useState({});
  useEffect(() => {
    let shown = piece;
    const look = (): void => {
      const now = pick(store.get());
      if (Object.is(now, shown)) return;
      shown = now;
      redraw({});
    };
    // The store may have changed between drawing and this effect.
    look();
    return store.subscribe(look);
  }, [store, piece]);
  return piece;
}
