/**
 * Keys as they were last known, for while a store that several nodes share is away or slow. All of them are read at the start. When
 * one was revoked, anywhere, they are forgotten before they are read anew: a revoked key must not live on because the store went
 * away in that moment.
 */
import { PATIENCE_MS, unlessAway } from "./last-known.ts";
import type { KeyRecord, KeyTable } from "./store.ts";

/** The newest; for the others the store must be there. */
const MOST = 20_000;

export class KnownKeys implements Pick<KeyTable, "findByHash" | "touch"> {
  readonly #keys: KeyTable;
  readonly #patienceMs: number;
  #byHash = new Map<string, KeyRecord>();

  constructor(keys: KeyTable, patienceMs: number = PATIENCE_MS) {
    this.#keys = keys;
    this.#patienceMs = patienceMs;
  }

  async findByHash(hash: string): Promise<KeyRecord | undefined> {
    const asked = this.#ask(hash);
    // Looked up again when the store has failed: it may have been forgotten meanwhile.
    return await (this.#byHash.has(hash) ? unlessAway(asked, this.#patienceMs, () => this.#byHash.get(hash)) : asked);
  }

  touch(id: string, usedUtc: string): Promise<void> {
    return this.#keys.touch(id, usedUtc);
  }

  /** Reads all; until then none is known. */
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
