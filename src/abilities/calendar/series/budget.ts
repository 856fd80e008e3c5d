/** How much counting one question may cost: a calendar of strangers may hold thousands of rules that hardly ever fit. */
export class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** Tells whether there was enough. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }
}
