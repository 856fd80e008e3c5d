/**
 * Who holds which key, as far as this node has heard: from the database, or from an owner that refused a call and named the
 * next. It may be out of date, which costs a refused offer and nothing else. Bounded; what was learned longest ago goes first.
 */
import type { Owner } from "./peer.ts";

const MOST = 100_000;

export class OwnerDirectory {
  readonly #owners = new Map<string, Owner>();

  of(key: string): Owner | undefined {
    return this.#owners.get(key);
  }

  /** The higher epoch is the newer truth. */
  learn(key: string, { node, boot, epoch }: Owner): void {
    if ((this.#owners.get(key)?.epoch ?? 0) > epoch) return;
    this.#owners.delete(key);
    this.#owners.set(key, { node, boot, epoch });
    if (this.#owners.size > MOST) this.#owners.delete(this.#owners.keys().next().value ?? key);
  }

  /** Nobody holds it under this epoch or an earlier one. */
  forget(key: string, epoch: number): void {
    if ((this.#owners.get(key)?.epoch ?? Number.POSITIVE_INFINITY) <= epoch) this.#owners.delete(key);
  }
}
