/**
 * What the filters of a JSONPath need: comparisons as in RFC 9535, patterns as in RFC 9485, and a bound for the work of
 * one selection. It grows with the answer, because an honest one does, and not with the path. Steps are counted, not
 * milliseconds: a slow machine gives the same answers.
 */
import { type LinearPattern, LinearPatterns } from "../../../schema/linear-pattern.ts";
import { isFields, plainNumber } from "../arguments.ts";
import type { Comparator } from "./query.ts";

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

/** Undefined is a value that is not there; JSON has none. Nothing here recurses: answers may be of any depth. */
export function compare(left: unknown, is: Comparator, right: unknown, budget: Budget): boolean {
  switch (is) {
    case "==":
      return isSame(left, right, budget);
    case "!=":
      return !isSame(left, right, budget);
    case "<":
      return isLess(left, right, budget);
    case ">":
      return isLess(right, left, budget);
    case "<=":
      return isLess(left, right, budget) || isSame(left, right, budget);
    case ">=":
      return isLess(right, left, budget) || isSame(left, right, budget);
  }
}

function isSame(left: unknown, right: unknown, budget: Budget): boolean {
  const open: [unknown, unknown][] = [[left, right]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    budget.spend(1);
    const [a, b] = [plainNumber(pair[0]), plainNumber(pair[1])];
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false;
      for (const [index, item] of a.entries()) open.push([item, b[index]]);
    } else if (isFields(a) && isFields(b)) {
      const keys = Object.keys(a);
      if (keys.length !== Object.keys(b).length || keys.some((key) => !Object.hasOwn(b, key))) return false;
      for (const key of keys) open.push([a[key], b[key]]);
    } else if (a !== b) return false;
  }
  return true;
}

/** Only numbers and texts have an order. */
function isLess(left: unknown, right: unknown, budget: Budget): boolean {
  const [a, b] = [plainNumber(left), plainNumber(right)];
  if (typeof a === "number" && typeof b === "number") return a < b;
  if (typeof a !== "string" || typeof b !== "string") return false;
  budget.spend(Math.min(a.length, b.length) >> 4);
  return inCodePoints(a, b) < 0;
}

/** JavaScript compares halves of characters, which puts U+FFFD behind U+10000. */
function inCodePoints(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  // In the middle of a character, whose first half they share, the second half decides as well.
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

const LONGEST = 1_000;
const MOST_INSTRUCTIONS = 4_000;
/** For each character of a pattern that is compiled. */
const STEPS_TO_COMPILE = 200;

/** `match` and `search`: patterns of strangers, matched in linear time. What is no pattern matches nothing. */
export class Patterns {
  readonly #budget: Budget;
  readonly #compiler: LinearPatterns;
  readonly #made = new Map<string, LinearPattern | undefined>();

  constructor(budget: Budget) {
    this.#budget = budget;
    this.#compiler = new LinearPatterns((steps) => budget.spend(steps));
  }

  test(text: unknown, pattern: unknown, isWhole: boolean): boolean {
    if (typeof text !== "string" || typeof pattern !== "string" || pattern.length > LONGEST) return false;
    return this.#get(isWhole ? `^(?:${inJavaScript(pattern)})$` : inJavaScript(pattern))?.test(text) ?? false;
  }

  #get(pattern: string): LinearPattern | undefined {
    if (!this.#made.has(pattern)) {
      this.#budget.spend(pattern.length * STEPS_TO_COMPILE);
      this.#made.set(pattern, this.#compiler.make(pattern, MOST_INSTRUCTIONS));
    }
    return this.#made.get(pattern);
  }
}

/** There a dot is anything but the end of a line, and only two characters end one. */
function inJavaScript(pattern: string): string {
  return pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\./gsu, (token) => (token === "." ? "[^\\n\\r]" : token));
}
