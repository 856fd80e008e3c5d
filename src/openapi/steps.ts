/** A budget for all operations of one document: what can be reached again and again from each of them is counted here. */
import { fault } from "./fault.ts";

/** Honest documents of a thousand operations take a tenth of it. */
const MOST_STEPS = 800_000;

export class StepCount {
  #steps = 0;

  add(steps: number): void {
    this.#steps += steps;
    if (this.isSpent) throw fault("", "its parts are used too often to be written out; choose tags or paths");
  }

  /** From here on nothing can be read, so that it is no fault of one operation. */
  get isSpent(): boolean {
    return this.#steps > MOST_STEPS;
  }
}
