/** Simulated time: one queue of what happens when, and one source of chance, so that a seed makes one history. */
import type { Random } from "../support/seed.ts";

interface Scheduled {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export class World {
  readonly random: Random;
  /** True time in milliseconds, which nobody in the simulation can read. */
  now = 0;
  /** What happened, where somebody wants to read it. */
  readonly trace: string[] | undefined;
  readonly #heap: Scheduled[] = [];
  #order = 0;

  constructor(random: Random, isTraced: boolean) {
    this.random = random;
    this.trace = isTraced ? [] : undefined;
  }

  /** A number from `least` to just below `most`. */
  between(least: number, most: number): number {
    return least + this.random.fraction() * (most - least);
  }

  happens(probability: number): boolean {
    return this.random.fraction() < probability;
  }

  note(text: () => string): void {
    this.trace?.push(`${(this.now / 1_000).toFixed(4).padStart(9)} ${text()}`);
  }

  after(ms: number, run: () => void): void {
    const heap = this.#heap;
    const item = { at: this.now + Math.max(0, ms), order: this.#order++, run };
    let index = heap.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (isBefore(heap[parent] as Scheduled, item)) break;
      heap[index] = heap[parent] as Scheduled;
      index = parent;
    }
    heap[index] = item;
  }

  runUntil(end: number): void {
    for (let first = this.#heap[0]; first && first.at <= end; first = this.#heap[0]) {
      this.#removeFirst();
      this.now = first.at;
      first.run();
    }
    this.now = end;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop() as Scheduled;
    if (heap.length === 0) return;
    let index = 0;
    for (let child = 1; child < heap.length; child = 2 * index + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Scheduled, heap[child] as Scheduled)) child++;
      if (!isBefore(heap[child] as Scheduled, last)) break;
      heap[index] = heap[child] as Scheduled;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(one: Scheduled, other: Scheduled): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** A clock that starts anywhere and runs a little too fast or too slow. */
export class SkewedClock {
  readonly #world: World;
  readonly #offset: number;
  readonly #rate: number;

  constructor(world: World, drift: number) {
    this.#world = world;
    this.#offset = world.between(0, 1e6);
    this.#rate = 1 + world.between(-drift, drift);
  }

  now(): number {
    return this.#offset + this.#world.now * this.#rate;
  }

  /** True milliseconds from now until this clock shows the instant. */
  until(at: number): number {
    return (at - this.now()) / this.#rate;
  }
}
