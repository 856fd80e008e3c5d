/**
 * A cache of API keys for while the shared database is away or slow. All keys are read at the start. When a key is revoked at any
 * node, the cache is cleared before the keys are read again: a revoked key must not stay valid because the database went away at
 * that moment.
 */
import { FALLBACK_AFTER_MS, orFallback } from "./fallback-cache.ts";
import type { KeyRecord, KeyTable } from "./store.ts";

/** The most cached keys, newest first; others need the database. */
const MOST = 20_000;

export class KnownKeys implements Pick<KeyTable, "findByHash" | "touch"> {
  readonly #keys: KeyTable;
  readonly #fallbackAfterMs: number;
  #byHash = new Map<string, KeyRecord>();

  constructor(keys: KeyTable, fallbackAfterMs: number = FALLBACK_AFTER_MS) {
    this.#keys = keys;
    this.#fallbackAfterMs = fallbackAfterMs;
  }

  async findByHash(hash: string): Promise<KeyRecord | undefined> {
    const asked = this.#ask(hash);
    // Looked up when the database has failed, not before: the cache may have been cleared meanwhile.
    return await (this.#byHash.has(hash)
      ? orFallback(asked, this.#fallbackAfterMs, () => this.#byHash.get(hash))
      : asked);
  }

  touch(id: string, usedUtc: string): Promise<void> {
    return this.#keys.touch(id, usedUtc);
  }

  /** Clears the cache, then reads all active keys. */
  async refresh(): Promise<void> {
    this.#byHash = new Map();
    const byHash = this.#byHash;
    const active = (await this.#keys.list()).filter(({ revokedUtc }) => revokedUtc === undefined);
    for (const record of active.slice(-MOST)) byHash.set(record.hash, record);
  }

  async #ask(hash: string): Promise<KeyRecord | undefined> {
    const byHash = this.#byHash;
    const found = await this.#keys.findByHash(hash);
    if (!found) byHash.delete(hash);
    else if (byHash.size < MOST) byHash.set(hash, found);
    return found;
  }
}
