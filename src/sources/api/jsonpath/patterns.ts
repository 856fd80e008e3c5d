/** `match` and `search`: I-Regexps (RFC 9485) of strangers, matched in linear time. What is none matches nothing. */
import { type LinearPattern, LinearPatterns } from "../../../schema/linear-pattern.ts";
import type { Budget } from "./budget.ts";

const LONGEST = 1_000;
const MOST_INSTRUCTIONS = 4_000;
/** For each character of a pattern that is compiled. */
const STEPS_TO_COMPILE = 200;

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
