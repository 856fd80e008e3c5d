/** How long a newcomer will wait, from how long calls took lately. */

/** What the latest call weighs in the mean: the last ten or so decide. */
const WEIGHT_OF_LATEST = 0.2;

export class WaitEstimate {
  #mean: number | undefined;

  finished(ms: number): void {
    if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY)) return;
    this.#mean = this.#mean === undefined ? ms : this.#mean + WEIGHT_OF_LATEST * (ms - this.#mean);
  }

  /**
   * Milliseconds until `waiting` calls have been taken up by `concurrency` workers that are all busy now; 0 as long as
   * nothing has finished, for then nobody can tell.
   */
  estimate(waiting: number, concurrency: number): number {
    return Math.ceil(((this.#mean ?? 0) * Math.max(0, waiting)) / Math.max(1, concurrency));
  }
}
