/**
 * How much work one check may be. Every piece of the work is paid for before or while it is done, so that no schema,
 * however it is built, can hold up the process: a check that has spent its steps is given up. The allowance grows with
 * the value, because an honest check does; it does not grow with the schema. Steps are counted, so that a slow machine gives
 * the same answers; since steps differ in what they take, a long check also looks at the processor time of its thread, which
 * other processes do not lengthen.
 */

/** For the smallest value: about a hundred times what an honest schema needs. */
const BASE_STEPS = 100_000;
const STEPS_PER_UNIT = 64;
/** For the largest value. */
const MAX_STEPS = 1_000_000;
/** After so many steps, a few milliseconds, the time is looked at. */
const STEPS_PER_LOOK = 10_000;
/** Nobody else is served while a value is checked. */
const MAX_CPU_MS = 15;
const MAX_UNITS = (MAX_STEPS - BASE_STEPS) / STEPS_PER_UNIT;

/** Members of one object: going over the names of more takes longer than anybody should wait. */
const MAX_WIDTH = 10_000;

/** Of a value that is copied to be coerced. */
const MAX_COPIED_UNITS = 5_000;

/** How many characters weigh as much as one number. */
const CHARACTERS_PER_UNIT = 4;

export class OutOfSteps extends Error {
  override readonly name = "OutOfSteps";
}

export class StepBudget {
  #left = 0;
  #untilLook = 0;
  #startedMs: number | undefined;

  startFor(value: unknown): void {
    this.#left = BASE_STEPS + STEPS_PER_UNIT * unitsOf(value);
    this.#untilLook = STEPS_PER_LOOK;
    this.#startedMs = undefined;
  }

  /** Throws once more was spent than there was. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new OutOfSteps();
    this.#untilLook -= steps;
    if (this.#untilLook < 0) this.#look();
  }

  #look(): void {
    this.#untilLook = STEPS_PER_LOOK;
    const now = cpuMs();
    this.#startedMs ??= now;
    if (now - this.#startedMs > MAX_CPU_MS) throw new OutOfSteps();
  }

  /** What looking at a value costs, without what is inside its members. */
  spendOn(value: unknown, weight: number): void {
    this.spend(weight + widthOf(value));
  }
}

/** Processor time of this thread. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function widthOf(value: unknown): number {
  if (typeof value === "string") return value.length >> 4;
  if (typeof value !== "object" || value === null) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

function membersOf(value: object): readonly unknown[] {
  if (Object.keys(value).length > MAX_WIDTH) throw new OutOfSteps();
  return Object.values(value);
}

/** Whether copying it would take too long. */
export function isLarge(value: unknown): boolean {
  return unitsOf(value) > MAX_COPIED_UNITS;
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
    else if (typeof next === "object" && next !== null) for (const member of membersOf(next)) open.push(member);
  }
  return Math.min(units, MAX_UNITS);
}
