/**
 * Kept answers of sources. Dropping what a source has brings a new epoch for it: an answer that was under way when the
 * source changed belongs to the old one, and is neither kept nor shared with those who ask afterwards.
 */
import type { Payload } from "../protocol/json/payload.ts";
import { ExpiringLru } from "./structures/expiring-lru.ts";

export class CallCache {
  readonly #kept: ExpiringLru<Payload>;
  readonly #epochs = new Map<string, number>();

  constructor(maxBytes: number) {
    this.#kept = new ExpiringLru(maxBytes);
  }

  epochOf(source: string): number {
    return this.#epochs.get(source) ?? 0;
  }

  get(key: string, now: number): { readonly value: Payload; readonly storedAt: number } | undefined {
    return this.#kept.get(key, now);
  }

  /** Texts are counted at two bytes a character, which is the most they take. */
  set(key: string, value: Payload, expiresAt: number, now: number): void {
    this.#kept.set(key, value, value.text.length * 2, expiresAt, now);
  }

  /** Forgets everything of a source; every key of its answers begins with `prefixOf`. */
  drop(source: string): void {
    this.#kept.deleteWhere(prefixOf(source));
    this.#epochs.set(source, this.epochOf(source) + 1);
  }
}

export function prefixOf(source: string): string {
  return `${source}\n`;
}
