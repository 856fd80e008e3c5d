/**
 * Which sources this node holds: those that only one node may hold, as the leases say. It is the hub's port for that
 * (`core/shared/owners.ts`), and the machine's index of all there are.
 */
import { isDeepStrictEqual } from "node:util";
import { slotOf } from "../cluster/placement.ts";
import type { KeyIndex } from "../cluster/shares.ts";
import type { Owners } from "../core/shared/owners.ts";

export class HeldSources implements Owners, KeyIndex {
  /** All that only one node may hold, with the nodes that they are pinned to. */
  readonly #all = new Map<string, readonly string[] | undefined>();
  readonly #kinds = new Map<string, readonly string[]>();
  readonly #bySlot = new Map<number, Set<string>>();
  /** Each with what resolves when it stands under the hub. */
  readonly #held = new Map<string, Promise<void>>();
  readonly #listeners = new Set<(source: string, isLost: boolean) => unknown>();
  #onChange: (source: string, isThere: boolean) => void = () => {};

  /** Told of each that was added or removed. */
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

  /** All of a kind that there are now, with the nodes that each is pinned to. Kinds have no names in common. */
  replace(kind: "sources" | "endpoints", all: ReadonlyMap<string, readonly string[] | undefined>): void {
    for (const source of this.#kinds.get(kind) ?? []) if (!all.has(source)) this.#remove(source);
    this.#kinds.set(kind, [...all.keys()]);
    for (const [source, pins] of all)
      if (!this.#all.has(source) || !isDeepStrictEqual(this.#all.get(source), pins)) this.#add(source, pins);
  }

  begin(source: string): Promise<void> {
    const begun = Promise.withResolvers<void>();
    this.#held.set(source, begun.promise);
    const told = this.#tell(source);
    told.then(begun.resolve, () => begun.resolve());
    return told;
  }

  /** Resolves when what this node holds runs here, or could not be brought to that. */
  async begun(source: string): Promise<void> {
    await this.#held.get(source);
  }

  /** Resolves when nothing of it runs here any more. @param isLost another node may have it soon */
  end(source: string, isLost = false): Promise<void> {
    this.#held.delete(source);
    return this.#tell(source, isLost);
  }

  /** Those that this node holds. */
  held(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** All that only one node may hold, whichever does. */
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

  async #tell(source: string, isLost = false): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener(source, isLost)));
  }
}
