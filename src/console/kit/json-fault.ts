/** Where a text stops being JSON. Browsers tell it each in their own words, or not at all. */

/** Both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export const START: Place = { line: 1, column: 1 };

const BLANK = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SIMPLE = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

type Expected = "value" | "item or end" | "name" | "name or end" | "colon" | "comma or end" | "nothing";

/** The first place at which something else would have to stand, or the end. Undefined where all of it is JSON. */
export function faultPlace(text: string): Place | undefined {
  const at = new Scan(text).fault();
  if (at === undefined) return undefined;
  const lines = text.slice(0, at).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

class Scan {
  readonly #text: string;
  #at = 0;
  #expected: Expected = "value";
  /** The brackets that will end what is open. */
  readonly #open: ("}" | "]")[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  fault(): number | undefined {
    for (this.#skip(BLANK); this.#at < this.#text.length; this.#skip(BLANK)) if (!this.#step()) return this.#at;
    return this.#expected === "nothing" ? undefined : this.#at;
  }

  /** Reads one token; false where it may not stand here. */
  #step(): boolean {
    const next = this.#text[this.#at];
    switch (this.#expected) {
      case "value":
        return this.#value(next);
      case "item or end":
        return next === "]" ? this.#close() : this.#value(next);
      case "name":
        return this.#skip(STRING) && this.#then("colon");
      case "name or end":
        return next === "}" ? this.#close() : this.#skip(STRING) && this.#then("colon");
      case "colon":
        return next === ":" && this.#pass("value");
      case "comma or end":
        if (next === ",") return this.#pass(this.#open.at(-1) === "}" ? "name" : "value");
        return next === this.#open.at(-1) && this.#close();
      default:
        return false;
    }
  }

  #value(next: string | undefined): boolean {
    if (next === "{" || next === "[") {
      this.#open.push(next === "{" ? "}" : "]");
      return this.#pass(next === "{" ? "name or end" : "item or end");
    }
    return (this.#skip(STRING) || this.#skip(SIMPLE)) && this.#ended();
  }

  #close(): boolean {
    this.#open.pop();
    this.#at++;
    return this.#ended();
  }

  #ended(): boolean {
    return this.#then(this.#open.length > 0 ? "comma or end" : "nothing");
  }

  #pass(expected: Expected): boolean {
    this.#at++;
    return this.#then(expected);
  }

  #then(expected: Expected): boolean {
    this.#expected = expected;
    return true;
  }

  #skip(what: RegExp): boolean {
    what.lastIndex = this.#at;
    const [found] = what.exec(this.#text) ?? [];
    if (found === undefined) return false;
    this.#at += found.length;
    return found !== "";
  }
}
