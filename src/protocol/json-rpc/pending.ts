/**
 * Who waits for which answer, by ids that are handed out here: numbers that only grow, and that are never given twice. A
 * slot is found by the id's last digits; an id whose slot is taken (by a call that takes long) is left out. A `Map` would be
 * made anew every few calls, and keep alive what it held (see `indexed-set.ts`).
 */

const FIRST_SLOTS = 8;

export class Pending<Waiting> {
  #slots: (Waiting | undefined)[] = new Array<Waiting | undefined>(FIRST_SLOTS).fill(undefined);
  /** The id whose waiting one is in each slot. */
  #ids: number[] = new Array<number>(FIRST_SLOTS).fill(0);
  #nextId: number;
  #size = 0;

  constructor(firstId = 1) {
    this.#nextId = firstId;
  }

  get size(): number {
    return this.#size;
  }

  /** The id that the next one to wait will have. */
  reserve(): number {
    if (this.#size >= this.#slots.length / 2) this.#grow();
    while (this.#slots[this.#slotOf(this.#nextId)] !== undefined) this.#nextId++;
    return this.#nextId++;
  }

  /** `id` was reserved, and nothing has been put under it yet. */
  put(id: number, waiting: Waiting): void {
    const slot = this.#slotOf(id);
    // Somebody else may have been put there since, if this one took its time between reserving and coming.
    if (this.#slots[slot] !== undefined) {
      this.#grow();
      this.put(id, waiting);
      return;
    }
    this.#slots[slot] = waiting;
    this.#ids[slot] = id;
    this.#size++;
  }

  get(id: number): Waiting | undefined {
    const slot = this.#slotOf(id);
    return this.#ids[slot] === id ? this.#slots[slot] : undefined;
  }

  take(id: number): Waiting | undefined {
    const waiting = this.get(id);
    if (waiting === undefined) return undefined;
    this.#slots[this.#slotOf(id)] = undefined;
    this.#size--;
    return waiting;
  }

  ids(): readonly number[] {
    return this.#ids.filter((_, slot) => this.#slots[slot] !== undefined).sort((a, b) => a - b);
  }

  #slotOf(id: number): number {
    return id & (this.#slots.length - 1);
  }

  #grow(): void {
    const [slots, ids] = [this.#slots, this.#ids];
    this.#slots = new Array<Waiting | undefined>(slots.length * 2).fill(undefined);
    this.#ids = new Array<number>(slots.length * 2).fill(0);
    // Those that differed in fewer digits differ in more.
    for (const [slot, waiting] of slots.entries()) {
      const id = ids[slot] ?? 0;
      if (waiting === undefined) continue;
      this.#slots[this.#slotOf(id)] = waiting;
      this.#ids[this.#slotOf(id)] = id;
    }
  }
}
