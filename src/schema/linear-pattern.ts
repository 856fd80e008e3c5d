/**
 * Regular expressions of strangers, matched in time that grows with pattern × text and never faster (RE2). What RE2
 * cannot say (look-around, back references) and what would compile into something huge is refused, not approximated.
 * Everything that RE2 keeps to be quick is thrown away together once it may have grown past a fixed size.
 */
import { createRequire } from "node:module";
import type { RE2JS } from "re2js";
import { OutOfSteps } from "./step-budget.ts";

const MAX_LENGTH = 2_000;
/** Instructions of one compiled pattern, and of all patterns of one schema: about ten milliseconds of compiling. */
const MAX_PROGRAM = 3_000;
export const MAX_PROGRAMS_PER_SCHEMA = 5_000;
/** A class of Unicode has hundreds of ranges. */
const CLASS_SIZE = 10;

/** The worst patterns look at every instruction for every character; honest ones come nowhere near that. */
const STEPS_PER_MATCH_STEP = 0.5;
/** For one match, which nobody can interrupt. */
const MAX_MATCH_STEPS = 150_000;
/** Compiling one instruction takes as long as this many steps of a check. */
const STEPS_PER_INSTRUCTION = 100;
const MAX_KEPT_BYTES = 64 * 1_024 * 1_024;
const BYTES_PER_INSTRUCTION = 256;
/** An automaton gains at most one state with each character, and keeps at most eight megabytes. */
const BYTES_PER_STATE = 1_024;
const MAX_AUTOMATON_BYTES = 8 * 1_024 * 1_024;

/** What the schema compiler needs of a regular expression. */
export interface LinearPattern {
  /** An estimate from above, in instructions. */
  readonly size: number;
  test(text: string): boolean;
  toString(): string;
}

export class LinearPatterns {
  readonly #spend: (steps: number) => void;
  readonly #compiled = new Map<string, RE2JS>();
  #keptBytes = 0;

  /** `spend` is told what each match costs, and may throw. */
  constructor(spend: (steps: number) => void) {
    this.#spend = spend;
  }

  /** Undefined where the pattern cannot be matched safely, or is larger than there is room for. */
  make(pattern: string, room: number): LinearPattern | undefined {
    if (pattern.length > Math.min(room, MAX_LENGTH)) return undefined;
    const counted = splitCounted(pattern);
    const plain = counted?.pattern ?? pattern;
    const size = programSize(plain);
    if (size > Math.min(room, MAX_PROGRAM) || !this.#canCompile(plain, size)) return undefined;
    const matches = (text: string) => this.#test(plain, size, text);
    const fits = (text: string) => counted === undefined || counted.fits(text);
    return { size, test: (text) => fits(text) && matches(text), toString: () => pattern };
  }

  #canCompile(pattern: string, size: number): boolean {
    try {
      this.#compile(pattern, size);
      return true;
    } catch {
      return false;
    }
  }

  #test(pattern: string, size: number, text: string): boolean {
    const steps = STEPS_PER_MATCH_STEP * size * (text.length + 1);
    if (steps > MAX_MATCH_STEPS) throw new OutOfSteps();
    this.#spend(steps);
    let compiled = this.#compiled.get(pattern);
    if (!compiled) {
      this.#spend(size * STEPS_PER_INSTRUCTION);
      compiled = this.#compile(pattern, size);
    }
    this.#keep(Math.min(MAX_AUTOMATON_BYTES, text.length * (BYTES_PER_STATE + 16 * size)));
    return compiled.test(text);
  }

  #compile(pattern: string, size: number): RE2JS {
    const known = this.#compiled.get(pattern);
    if (known) return known;
    const re2 = engine();
    const compiled = re2.compile(re2.translateRegExp(widenSpaces(pattern)));
    this.#keep(size * BYTES_PER_INSTRUCTION);
    this.#compiled.set(pattern, compiled);
    return compiled;
  }

  #keep(bytes: number): void {
    this.#keptBytes += bytes;
    if (this.#keptBytes <= MAX_KEPT_BYTES) return;
    this.#keptBytes = bytes;
    this.#compiled.clear();
  }
}

let loaded: typeof RE2JS | undefined;

/** Loaded at the first pattern: most starts need none. */
function engine(): typeof RE2JS {
  loaded ??= (createRequire(import.meta.url)("re2js") as { RE2JS: typeof RE2JS }).RE2JS;
  return loaded;
}

/** `^[a-z]{1,500}$`, the one common form whose program is as long as its count: the count is taken apart from it. */
const COUNTED = /^\^(\[\^?(?:\\.|[^\]\\])+\]|\\[dwsDWS]|\.)\{(\d{1,9})(,(\d{0,9}))?\}\$$/su;

function splitCounted(pattern: string): { pattern: string; fits(text: string): boolean } | undefined {
  const [, atom, from, range, to] = COUNTED.exec(pattern) ?? [];
  if (atom === undefined) return undefined;
  const least = Number(from);
  const most = range === undefined ? least : to ? Number(to) : Number.POSITIVE_INFINITY;
  const fits = (text: string) => {
    const length = text.length <= 2 * most ? codePoints(text) : text.length;
    return length >= least && length <= most;
  };
  return { pattern: `^${atom}*$`, fits };
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const TOKENS = /\\[pPux]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;

/** How many instructions a pattern compiles into, or more; nothing is compiled to find out. */
function programSize(pattern: string): number {
  const groups: number[] = [];
  let sum = 2;
  let last = 0;
  for (const [token, from, to] of pattern.matchAll(TOKENS)) {
    if (token === "(") {
      groups.push(sum);
      sum = last = 0;
    } else if (token === ")") {
      last = sum + 2;
      sum = (groups.pop() ?? 0) + last;
    } else if (from !== undefined) {
      // What may be left out needs a branch each time.
      const times = Math.max(Number(from), Number(to || 0), 1);
      sum += (last + 1) * times - last;
      last = (last + 1) * times;
    } else {
      const repeats = token === "*" || token === "+" || token === "?" || token === "|";
      const added = /\\p/i.test(token) ? CLASS_SIZE : 1;
      last = repeats ? last + 1 : added;
      sum += added;
    }
    if (sum > MAX_PROGRAM) return sum;
  }
  return groups.reduce((total, size) => total + size, sum);
}

const UNICODE_SPACES = "\\v\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";

/** JavaScript's `\s` knows every Unicode space, RE2's only five: without this, text that fits would be refused. */
function widenSpaces(pattern: string): string {
  return pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gsu, (token) => {
    if (token === "\\s") return `[\\s${UNICODE_SPACES}]`;
    return token.startsWith("[")
      ? token.replace(/\\./gsu, (part) => (part === "\\s" ? part + UNICODE_SPACES : part))
      : token;
  });
}
