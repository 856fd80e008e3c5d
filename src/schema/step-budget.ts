/**
 * How much work one check may be. Every piece of the work is paid for before or while it is done, so that no schema,
 * however it is built, can hold up the process: a check that has spent its steps is given up. The allowance grows with
 * the value, because an honest check does; it does not grow with the schema. Steps are counted, not milliseconds: a
 * slow machine gives the same answers.
 */

/** For the smallest value: about a hundred times what an honest schema needs. */
const BASE_STEPS = 100_000;
const STEPS_PER_UNIT = 64;
/** For the largest value; roughly a tenth of a second. */
const MAX_STEPS = 1_000_000;
const MAX_UNITS = (MAX_STEPS - BASE_STEPS) / STEPS_PER_UNIT;

/** How many characters weigh as much as one number. */
const CHARACTERS_PER_UNIT = 4;

export class OutOfSteps extends Error {
  override readonly name = "OutOfSteps";
}

export class StepBudget {
  #left = 0;

  startFor(value: unknown): void {
    this.#left = BASE_STEPS + STEPS_PER_UNIT * unitsOf(value);
  }

  /** Throws once more was spent than there was. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new OutOfSteps();
  }

  /** What looking at a value costs, without what is inside its members. */
  spendOn(value: unknown, weight: number): void {
    this.spend(weight + widthOf(value));
  }
}

function widthOf(value: unknown): number {
  if (typeof value === "string") return value.length >> 4;
  if (typeof value !== "object" || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** The size of a value; counts no further than the allowance grows. */
function unitsOf(value: unknown): number {
  const open: unknown[] = [value];
  let units = 0;
  while (open.length > 0 && units < MAX_UNITS) {
    const next = open.pop();
    units++;
    if (typeof next === "string") units += next.length / CHARACTERS_PER_UNIT;
    else if (Array.isArray(next)) for (let i = 0; i < next.length && i < MAX_UNITS; i++) open.push(next[i]);
    else if (typeof next === "object" && next !== null) for (const member of Object.values(next)) open.push(member);
  }
  return Math.min(units, MAX_UNITS);
}
