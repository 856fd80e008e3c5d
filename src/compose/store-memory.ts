/** What a hub remembers of a database that can be away, so that it goes on reading. Loaded where there is such a one. */
import { KnownKeys } from "../store/known-keys.ts";
import { type RememberedStore, rememberReads } from "../store/last-known.ts";
import type { Store } from "../store/store.ts";

export interface StoreMemory extends RememberedStore {
  /** For whoever lets callers in. */
  readonly knownKeys: KnownKeys;
}

export function rememberStore(store: Store): StoreMemory {
  return { ...rememberReads(store), knownKeys: new KnownKeys(store.keys) };
}
