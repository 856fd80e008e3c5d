/**
 * The weight of this node when keys are shared out, by its load compared with the mean of all nodes: a quarter less after ten
 * seconds clearly above the mean, a quarter more after a minute below it. Steps are coarse and waits long, because every change
 * moves keys.
 */

const STEP = 0.25;
const BUSY = 1.3;
const EASY = 0.9;
const DOWN_AFTER_MS = 10_000;
const UP_AFTER_MS = 60_000;
/** Below this mean load differences are noise. */
const NOISE = 1;

export class Weight {
  #value = 1;
  #busySince: number | undefined;
  #easySince: number | undefined;

  get value(): number {
    return this.#value;
  }

  update(load: number, others: readonly number[], now: number): void {
    const mean = others.reduce((sum, each) => sum + each, load) / (others.length + 1);
    const isBusy = mean > NOISE && load > mean * BUSY;
    this.#busySince = isBusy ? (this.#busySince ?? now) : undefined;
    this.#easySince = isBusy || load > mean * EASY ? undefined : (this.#easySince ?? now);
    if (this.#busySince !== undefined && now - this.#busySince >= DOWN_AFTER_MS) this.#step(-STEP);
    else if (this.#easySince !== undefined && now - this.#easySince >= UP_AFTER_MS) this.#step(STEP);
  }

  #step(by: number): void {
    this.#value = Math.min(1, Math.max(STEP, this.#value + by));
    this.#busySince = this.#easySince = undefined;
  }
}
