/**
 * A bounded memory of values that grow old. The bound is in bytes and counts what an entry costs besides its value, so
 * that a million empty values are not free. What has expired is never given out; when room is needed, whatever was used
 * longest ago goes.
 */

/** What one entry costs besides its value and the characters of its key: about what the engine needs for it. */
export const ENTRY_BYTES = 128;

interface Entry<V> {
  readonly value: V;
  readonly storedAt: number;
  readonly expiresAt: number;
  readonly bytes: number;
}

export class ExpiringLru<V> {
  readonly #maxBytes: number;
  /** In the order of use. */
  readonly #entries = new Map<string, Entry<V>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string, now: number): { readonly value: V; readonly storedAt: number } | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    if (entry.expiresAt <= now) {
      this.#bytes -= entry.bytes;
      return undefined;
    }
    this.#entries.set(key, entry);
    return { value: entry.value, storedAt: entry.storedAt };
  }

  /**
   * Takes the place of what the key had; a value that is too large or already expired is not kept. Tells how many others
   * had to go.
   */
  set(key: string, value: V, bytes: number, expiresAt: number, now: number): number {
    this.delete(key);
    const cost = bytes + 2 * key.length + ENTRY_BYTES;
    if (cost > this.#maxBytes || expiresAt <= now) return 0;
    const evicted = this.#makeRoom(cost);
    this.#entries.set(key, { value, storedAt: now, expiresAt, bytes: cost });
    this.#bytes += cost;
    return evicted;
  }

  #makeRoom(cost: number): number {
    let evicted = 0;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes + cost <= this.#maxBytes) break;
      this.delete(oldest);
      evicted++;
    }
    return evicted;
  }

  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    return true;
  }

  /** Forgets every key that begins so; how many that were. */
  deleteWhere(prefix: string): number {
    let count = 0;
    for (const key of this.#entries.keys()) if (key.startsWith(prefix) && this.delete(key)) count++;
    return count;
  }
}
