/**
 * Kept answers of sources: the port, and the implementation for one process. Dropping what a source has brings a new epoch for it: an answer that was under way when the
 * source changed belongs to the old one, and is neither kept nor shared with those who ask afterwards.
 */
import type { Payload } from "../../protocol/json/payload.ts";
import { ENTRY_BYTES, ExpiringLru } from "../structures/expiring-lru.ts";

/** Told of what happens, for whoever counts. */
interface CacheWatch {
  /** Something that may be kept was not there. */
  missed(): void;
  /** So many had to make room for another. */
  evicted(count: number): void;
}

export interface AnswerCache {
  /** Grows with every drop: what was asked in an older epoch is not kept. */
  epochOf(source: string): number;
  get(key: string, now: number): KeptAnswer | undefined;
  /** `now` and `expiresAt` are the clock's milliseconds. */
  set(key: string, value: Payload, expiresAt: number, now: number): void;
  /** Forgets everything of a source; every key of its answers begins with `prefixOf`. */
  drop(source: string): void;
}

interface KeptAnswer {
  readonly value: Payload;
  readonly storedAt: number;
}

export class LocalAnswerCache implements AnswerCache {
  readonly #kept: ExpiringLru<Payload>;
  readonly #maxBytes: number;
  readonly #watch: CacheWatch | undefined;
  readonly #epochs = new Map<string, number>();

  constructor(maxBytes: number, watch?: CacheWatch) {
    this.#kept = new ExpiringLru(maxBytes);
    this.#maxBytes = maxBytes;
    this.#watch = watch;
  }

  /** How much is kept, and how many entries of the size of these would fit. */
  size(): { readonly entries: number; readonly maxEntries: number; readonly bytes: number; readonly maxBytes: number } {
    const { size: entries, bytes } = this.#kept;
    const each = entries === 0 ? ENTRY_BYTES : bytes / entries;
    return { entries, maxEntries: Math.floor(this.#maxBytes / each), bytes, maxBytes: this.#maxBytes };
  }

  epochOf(source: string): number {
    return this.#epochs.get(source) ?? 0;
  }

  get(key: string, now: number): KeptAnswer | undefined {
    const found = this.#kept.get(key, now);
    if (!found) this.#watch?.missed();
    return found;
  }

  /** Texts are counted at two bytes a character, which is the most they take. */
  set(key: string, value: Payload, expiresAt: number, now: number): void {
    const evicted = this.#kept.set(key, value, value.text.length * 2, expiresAt, now);
    if (evicted > 0) this.#watch?.evicted(evicted);
  }

  drop(source: string): void {
    this.#kept.deleteWhere(prefixOf(source));
    this.#epochs.set(source, this.epochOf(source) + 1);
  }
}

export function prefixOf(source: string): string {
  return `${source}\n`;
}
