/** Caches for a database that can be away, so that reads still work then. Loaded only if a database is configured. */

import { type FallbackStore, withFallbacks } from "../store/fallback-cache.ts";
import { KnownKeys } from "../store/known-keys.ts";
import type { Store } from "../store/store.ts";

export interface StoreMemory extends FallbackStore {
  /** For the authentication of callers. */
  readonly knownKeys: KnownKeys;
}

export function rememberStore(store: Store): StoreMemory {
  return { ...withFallbacks(store), knownKeys: new KnownKeys(store.keys) };
}
