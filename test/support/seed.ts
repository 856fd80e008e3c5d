/**
 * The seed of every test that makes its cases at random, fast-check's included. It is fixed, so that `npm test` tries the
 * same cases every time and fails only because of a change; `npm run test:fuzz` sets a fresh one in ZAGUAN_SEED, and a run
 * is repeated by setting it by hand.
 */
import process from "node:process";
import fc from "fast-check";

const FIXED = 20_261_115;

export const SEED = Number(process.env["ZAGUAN_SEED"] || FIXED);

fc.configureGlobal({ seed: SEED });

/** How often a costly property is tried: the same cases every time need fewer than fresh ones. */
export function runs(fresh: number): number {
  return process.env["ZAGUAN_SEED"] ? fresh : Math.ceil(fresh / 5);
}

export { fc };

/** A small generator of random numbers (mulberry32) that begins with the seed of this run, or one of its own. */
export class Random {
  #state: number;

  constructor(seed = SEED) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `below` - 1. */
  int(below: number): number {
    return Math.floor(this.fraction() * below);
  }

  /** From 0 to just below 1, as Math.random gives it. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(oneIn: number): boolean {
    return this.int(oneIn) === 0;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(from.length)] as T;
  }
}
