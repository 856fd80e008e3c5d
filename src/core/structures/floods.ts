/** Who asks for much more than can be served. A flood is over when, for a second, most of what was asked could be served. */

const WINDOW_MS = 1_000;
/** Of four that ask, so many may be refused without its being a flood. */
const SOME = 4;
/** Where more are remembered, those that are over are looked for. */
const MANY = 100;

interface Flood {
  since: number;
  asked: number;
  refused: number;
}

export class Floods {
  readonly #floods = new Map<string, Flood>();

  get size(): number {
    return this.#floods.size;
  }

  has(principal: string, now: number): boolean {
    const flood = this.#floods.get(principal);
    if (!flood) return false;
    if (now - flood.since < WINDOW_MS) return true;
    const isOver = now - flood.since > 2 * WINDOW_MS || flood.refused * SOME < flood.asked;
    if (isOver) this.#floods.delete(principal);
    else Object.assign(flood, { since: now, asked: 0, refused: 0 });
    return !isOver;
  }

  /** Begins, if need be, with a refusal. */
  note(principal: string, now: number, isRefused: boolean): void {
    const flood = this.#floods.get(principal);
    if (flood) {
      flood.asked++;
      if (isRefused) flood.refused++;
    } else if (isRefused) this.#begin(principal, now);
  }

  #begin(principal: string, now: number): void {
    if (this.#floods.size >= MANY) for (const known of this.#floods.keys()) this.has(known, now);
    this.#floods.set(principal, { since: now, asked: 1, refused: 1 });
  }
}
