/**
 * A cache of who holds which key, from announcements, from the database, and from owners that refused a call and named the next
 * one. A stale entry costs one refused offer. The cache is bounded: it has two halves, and when the newer one is full, the older
 * one is dropped as a whole, because a `Map` from which the oldest entry is deleted again and again becomes slow.
 */
import type { Owner } from "./peer.ts";

const HALF = 50_000;

export class OwnerDirectory {
  #newer = new Map<string, Owner>();
  #older = new Map<string, Owner>();

  of(key: string): Owner | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  /** Records an owner, unless one with a higher epoch is known. */
  learn(key: string, { node, boot, epoch }: Owner): void {
    if ((this.of(key)?.epoch ?? 0) > epoch) return;
    this.#newer.set(key, { node, boot, epoch });
    if (this.#newer.size < HALF) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }

  /** Removes the owner if its epoch is not higher than this one. */
  forget(key: string, epoch: number): void {
    if ((this.of(key)?.epoch ?? Number.POSITIVE_INFINITY) > epoch) return;
    this.#newer.delete(key);
    this.#older.delete(key);
  }
}
