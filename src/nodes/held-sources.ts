/**
 * The sources that only one node may hold, and which of them this node holds by lease. It is the hub's port for ownership
 * (`core/shared/owners.ts`) and the index of all keys for the cluster's state machine.
 */
import { isDeepStrictEqual } from "node:util";
import { slotOf } from "../cluster/placement.ts";
import type { KeyIndex } from "../cluster/shares.ts";
import type { Owners } from "../core/shared/owners.ts";

export class HeldSources implements Owners, KeyIndex {
  /** All sources that only one node may hold, with the nodes that each is pinned to. */
  readonly #all = new Map<string, readonly string[] | undefined>();
  readonly #kinds = new Map<string, readonly string[]>();
  readonly #bySlot = new Map<number, Set<string>>();
  /** The held sources, each with a promise that resolves when it is attached to the hub. */
  readonly #held = new Map<string, Promise<void>>();
  readonly #listeners = new Set<(source: string, isLost: boolean) => unknown>();
  #onChange: (source: string, isThere: boolean) => void = () => {};

  /** Sets the listener for each source that is added or removed. */
  onChange(listener: (source: string, isThere: boolean) => void): void {
    this.#onChange = listener;
  }

  isOurs(source: string): boolean {
    return this.#held.has(source);
  }

  watch(listener: (source: string, isLost: boolean) => unknown): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Replaces all sources of a kind, each with the nodes that it is pinned to. No name may be in two kinds. */
  replace(kind: "sources" | "endpoints", all: ReadonlyMap<string, readonly string[] | undefined>): void {
    for (const source of this.#kinds.get(kind) ?? []) if (!all.has(source)) this.#remove(source);
    this.#kinds.set(kind, [...all.keys()]);
    for (const [source, pins] of all)
      if (!this.#all.has(source) || !isDeepStrictEqual(this.#all.get(source), pins)) this.#add(source, pins);
  }

  /** The lease is ours: resolves when the hub has attached the source. */
  begin(source: string): Promise<void> {
    const begun = Promise.withResolvers<void>();
    this.#held.set(source, begun.promise);
    const notified = this.#notify(source);
    notified.then(begun.resolve, () => begun.resolve());
    return notified;
  }

  /** Resolves when a held source is attached to the hub, or has failed to be. */
  async whenBegun(source: string): Promise<void> {
    await this.#held.get(source);
  }

  /** The lease is over: resolves when nothing of the source runs here any more. @param isLost another node may hold it soon */
  end(source: string, isLost = false): Promise<void> {
    this.#held.delete(source);
    return this.#notify(source, isLost);
  }

  /** The sources that this node holds. */
  held(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** All sources that only one node may hold, whichever node does. */
  all(): readonly string[] {
    return [...this.#all.keys()];
  }

  inSlot(slot: number): Iterable<string> {
    return this.#bySlot.get(slot) ?? [];
  }

  *pinned(): Iterable<readonly [string, readonly string[]]> {
    for (const [source, pins] of this.#all) if (pins) yield [source, pins];
  }

  pinsOf(source: string): readonly string[] | undefined {
    return this.#all.get(source);
  }

  has(source: string): boolean {
    return this.#all.has(source);
  }

  #add(source: string, pins: readonly string[] | undefined): void {
    this.#drop(source);
    this.#all.set(source, pins);
    if (!pins) this.#slot(source).add(source);
    this.#onChange(source, true);
  }

  #remove(source: string): void {
    this.#drop(source);
    this.#onChange(source, false);
  }

  #drop(source: string): void {
    this.#all.delete(source);
    this.#slot(source).delete(source);
  }

  #slot(source: string): Set<string> {
    const slot = slotOf(source);
    const known = this.#bySlot.get(slot);
    if (known) return known;
    const made = new Set<string>();
    this.#bySlot.set(slot, made);
    return made;
  }

  async #notify(source: string, isLost = false): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener(source, isLost)));
  }
}
