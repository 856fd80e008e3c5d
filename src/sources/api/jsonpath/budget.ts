/**
 * How much work one selection may be: it grows with the answer, because an honest one does, and not with the path. Steps
 * are counted, not milliseconds: a slow machine gives the same answers.
 */

export class TooMuch extends Error {}

/** For the shortest answer; some hundredths of a second. */
const FEWEST_STEPS = 300_000;
/** For the longest; less than it took to read it. */
const MOST_STEPS = 3_000_000;
const CHARACTERS_PER_STEP = 4;

export class Budget {
  #left: number;

  /** `characters`: the length of the answer. */
  constructor(characters: number) {
    this.#left = Math.min(FEWEST_STEPS + characters / CHARACTERS_PER_STEP, MOST_STEPS);
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuch("the selection is too much work");
  }
}
