/** Documents that live as long as the process. Values are kept as JSON text, so that nobody shares an object with it. */
import type { DocumentTable } from "./store.ts";

export function memoryDocuments(): DocumentTable {
  return new MemoryDocuments();
}

class MemoryDocuments implements DocumentTable {
  readonly #texts = new Map<string, string>();

  async get(collection: string, key: string): Promise<unknown> {
    return this.#read(placeOf(collection, key));
  }

  async list(collection: string): Promise<readonly { readonly key: string; readonly value: unknown }[]> {
    const places = [...this.#texts.keys()].map((place) => ({ place, names: JSON.parse(place) as [string, string] }));
    return places
      .filter(({ names }) => names[0] === collection)
      .map(({ place, names: [, key] }) => ({ key, value: this.#read(place) }))
      .sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  async put(collection: string, key: string, value: unknown): Promise<void> {
    this.#write(placeOf(collection, key), value);
  }

  async delete(collection: string, key: string, only?: unknown): Promise<void> {
    const place = placeOf(collection, key);
    if (only === undefined || this.#texts.get(place) === JSON.stringify(only)) this.#texts.delete(place);
  }

  /** Never waits between reading and writing: that alone makes it one step. */
  async update(collection: string, key: string, change: (value: unknown) => unknown): Promise<unknown> {
    const place = placeOf(collection, key);
    this.#write(place, change(this.#read(place)));
    return this.#read(place);
  }

  #read(place: string): unknown {
    const text = this.#texts.get(place);
    return text === undefined ? undefined : JSON.parse(text);
  }

  #write(place: string, value: unknown): void {
    this.#texts.set(place, JSON.stringify(value) ?? "null");
  }
}

/** One key made of two names; no other two names give the same. */
function placeOf(collection: string, key: string): string {
  return JSON.stringify([collection, key]);
}
