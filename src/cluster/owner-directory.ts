/**
 * Who holds which key, as far as this node has heard: from the database, or from an owner that refused a call and named the
 * next. It may be out of date, which costs a refused offer and nothing else. Bounded: it is kept in two halves, and when the newer
 * one is full, the older one goes, since a `Map` from which the first entry is taken again and again becomes slow.
 */
import type { Owner } from "./peer.ts";

const HALF = 50_000;

export class OwnerDirectory {
  #newer = new Map<string, Owner>();
  #older = new Map<string, Owner>();

  of(key: string): Owner | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  /** The higher epoch is the newer truth. */
  learn(key: string, { node, boot, epoch }: Owner): void {
    if ((this.of(key)?.epoch ?? 0) > epoch) return;
    this.#newer.set(key, { node, boot, epoch });
    if (this.#newer.size < HALF) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }

  /** Nobody holds it under this epoch or an earlier one. */
  forget(key: string, epoch: number): void {
    if ((this.of(key)?.epoch ?? Number.POSITIVE_INFINITY) > epoch) return;
    this.#newer.delete(key);
    this.#older.delete(key);
  }
}
