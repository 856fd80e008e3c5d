/**
 * One strict pass over JSON text before anything else looks at it: proves the grammar, bounds depth and size, refuses
 * duplicate keys, and tells where the members of the outermost object (and of the objects directly inside it) begin and
 * end, so that what only passes through is cut out and sent on as it came. A state machine over characters, hence long.
 *
 * Duplicate keys are refused because two parsers may disagree on which one counts: a policy would check one tool and a
 * source run another. The wording of syntax errors is that of Python's `json`, which seed 000 shows to its clients.
 */

export interface ScanLimits {
  readonly depth: number;
  /** Members and elements in the whole text. */
  readonly elements: number;
}

export type JsonKind = "object" | "array" | "string" | "number" | "literal";

export interface Member {
  readonly key: string;
  readonly kind: JsonKind;
  /** Where the value's text begins and ends. */
  readonly start: number;
  readonly end: number;
  /** The value's own members, if it is an object directly inside the outermost one. */
  readonly members: readonly Member[];
}

export type Scan =
  | { readonly ok: true; readonly kind: JsonKind; readonly members: readonly Member[] }
  | { readonly ok: false; readonly problem: Problem; readonly reason: string; readonly offset: number };

export type Problem = "syntax" | "depth" | "elements" | "duplicate" | "forbidden";

export interface ScanOptions {
  /** Off for what a source sends, which we only pass on. */
  readonly refuseDuplicates: boolean;
}

const STRICT: ScanOptions = { refuseDuplicates: true };

export function scanJson(text: string, limits: ScanLimits, options: ScanOptions = STRICT): Scan {
  return new Scanner(text, limits, options).run();
}

/** The member of that exact name. */
export function memberOf(members: readonly Member[], key: string): Member | undefined {
  for (const member of members) if (member.key === key) return member;
  return undefined;
}

const NO_MEMBERS: readonly Member[] = Object.freeze([]);
/** Past this many keys in one object a set finds duplicates faster than comparing. */
const FEW_KEYS = 8;

class ScanError extends Error {
  readonly problem: Problem;
  readonly offset: number;
  constructor(problem: Problem, message: string, offset: number) {
    super(message);
    this.problem = problem;
    this.offset = offset;
  }
}

class Scanner {
  readonly #text: string;
  readonly #limits: ScanLimits;
  readonly #refuseDuplicates: boolean;
  #at = 0;
  #elements = 0;
  /** How many arrays we are inside of: objects in there are nobody's members. */
  #arrays = 0;
  #kind: JsonKind = "literal";
  #members: readonly Member[] = NO_MEMBERS;

  constructor(text: string, limits: ScanLimits, options: ScanOptions) {
    this.#text = text;
    this.#limits = limits;
    this.#refuseDuplicates = options.refuseDuplicates;
  }

  run(): Scan {
    try {
      this.#space();
      this.#value(0);
      const kind = this.#kind;
      const members = this.#members;
      this.#space();
      if (this.#at < this.#text.length) this.#fail("syntax", "Extra data", this.#at);
      return { ok: true, kind, members };
    } catch (error) {
      if (!(error instanceof ScanError)) throw error;
      return { ok: false, problem: error.problem, reason: this.#explain(error), offset: error.offset };
    }
  }

  /** Leaves kind and, for an object near the top, members of the value it has just passed. */
  #value(depth: number): void {
    switch (this.#text.charCodeAt(this.#at)) {
      case 0x7b:
        this.#members = this.#object(depth + 1);
        this.#kind = "object";
        return;
      case 0x5b:
        this.#array(depth + 1);
        this.#kind = "array";
        break;
      case 0x22:
        this.#string();
        this.#kind = "string";
        break;
      case 0x74:
        this.#literal("true");
        break;
      case 0x66:
        this.#literal("false");
        break;
      case 0x6e:
        this.#literal("null");
        break;
      default:
        this.#number();
        this.#kind = "number";
    }
    this.#members = NO_MEMBERS;
  }

  #object(depth: number): readonly Member[] {
    this.#enter(depth);
    const members: Member[] = [];
    const keys: string[] = [];
    let seen: Set<string> | undefined;
    if (this.#text.charCodeAt(this.#at) === 0x7d) {
      this.#at++;
      return NO_MEMBERS;
    }
    for (;;) {
      const keyAt = this.#at;
      const key = this.#key();
      if (this.#refuseDuplicates) seen = this.#refuseRepeated(key, keys, seen, keyAt);
      const start = this.#at;
      this.#value(depth);
      if (depth <= 2 && this.#arrays === 0)
        members.push({ key, kind: this.#kind, start, end: this.#at, members: this.#members });
      this.#space();
      const next = this.#text.charCodeAt(this.#at);
      if (next === 0x7d) {
        this.#at++;
        return members;
      }
      if (next !== 0x2c) this.#fail("syntax", "Expecting ',' delimiter", this.#at);
      this.#at++;
      this.#space();
    }
  }

  #key(): string {
    const start = this.#at;
    if (this.#text.charCodeAt(start) !== 0x22) {
      this.#fail("syntax", "Expecting property name enclosed in double quotes", start);
    }
    this.#count();
    const escaped = this.#string();
    const raw = this.#text.slice(start + 1, this.#at - 1);
    const key = escaped ? (JSON.parse(`"${raw}"`) as string) : raw;
    if (this.#refuseDuplicates && key === "__proto__")
      this.#fail("forbidden", "Key '__proto__' is not accepted", start);
    this.#space();
    if (this.#text.charCodeAt(this.#at) !== 0x3a) this.#fail("syntax", "Expecting ':' delimiter", this.#at);
    this.#at++;
    this.#space();
    return key;
  }

  #refuseRepeated(key: string, keys: string[], seen: Set<string> | undefined, at: number): Set<string> | undefined {
    const repeated = seen ? seen.has(key) : keys.includes(key);
    if (repeated) this.#fail("duplicate", `Key '${key.slice(0, 50)}' appears twice`, at);
    if (seen) {
      seen.add(key);
      return seen;
    }
    keys.push(key);
    return keys.length > FEW_KEYS ? new Set(keys) : undefined;
  }

  #array(depth: number): void {
    this.#enter(depth);
    if (this.#text.charCodeAt(this.#at) === 0x5d) {
      this.#at++;
      return;
    }
    this.#arrays++;
    for (;;) {
      this.#count();
      this.#value(depth);
      this.#space();
      const next = this.#text.charCodeAt(this.#at);
      if (next === 0x5d) {
        this.#at++;
        this.#arrays--;
        return;
      }
      if (next !== 0x2c) this.#fail("syntax", "Expecting ',' delimiter", this.#at);
      this.#at++;
      this.#space();
    }
  }

  #enter(depth: number): void {
    if (depth > this.#limits.depth) this.#fail("depth", `Nested deeper than ${this.#limits.depth} levels`, this.#at);
    this.#at++;
    this.#space();
  }

  #count(): void {
    if (++this.#elements > this.#limits.elements) {
      this.#fail("elements", `More than ${this.#limits.elements} members and elements`, this.#at);
    }
  }

  /** Passes a string and tells whether it holds escapes. */
  #string(): boolean {
    const text = this.#text;
    const start = this.#at;
    let escaped = false;
    for (let at = start + 1; ; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        this.#at = at + 1;
        return escaped;
      }
      if (code === 0x5c) {
        escaped = true;
        at = this.#escape(at);
      } else if (code < 0x20) this.#fail("syntax", "Invalid control character at", at);
      else if (at >= text.length) this.#fail("syntax", "Unterminated string starting at", start);
    }
  }

  /** Passes one escape and returns the place of its last character. */
  #escape(at: number): number {
    const code = this.#text.charCodeAt(at + 1);
    if (code === 0x75) {
      for (let digit = at + 2; digit < at + 6; digit++) {
        if (!isHex(this.#text.charCodeAt(digit))) this.#fail("syntax", "Invalid \\uXXXX escape", at + 1);
      }
      return at + 5;
    }
    if (!'"\\/bfnrt'.includes(this.#text[at + 1] ?? "-")) this.#fail("syntax", "Invalid \\escape", at);
    return at + 1;
  }

  #literal(word: string): void {
    if (!this.#text.startsWith(word, this.#at)) this.#fail("syntax", "Expecting value", this.#at);
    this.#at += word.length;
    this.#kind = "literal";
  }

  #number(): void {
    const start = this.#at;
    if (this.#text.charCodeAt(this.#at) === 0x2d) this.#at++;
    if (this.#text.charCodeAt(this.#at) === 0x30) this.#at++;
    else if (!this.#digits()) this.#fail("syntax", "Expecting value", start);
    if (this.#text.charCodeAt(this.#at) === 0x2e) {
      this.#at++;
      if (!this.#digits()) this.#fail("syntax", "Expecting value", start);
    }
    const exponent = this.#text.charCodeAt(this.#at);
    if (exponent === 0x65 || exponent === 0x45) {
      this.#at++;
      const sign = this.#text.charCodeAt(this.#at);
      if (sign === 0x2b || sign === 0x2d) this.#at++;
      if (!this.#digits()) this.#fail("syntax", "Expecting value", start);
    }
  }

  #digits(): boolean {
    const start = this.#at;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (!(code >= 0x30 && code <= 0x39)) return this.#at > start;
      this.#at++;
    }
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #fail(problem: Problem, message: string, offset: number): never {
    throw new ScanError(problem, message, offset);
  }

  #explain(error: ScanError): string {
    if (error.problem !== "syntax") return error.message;
    const before = this.#text.slice(0, error.offset);
    const line = before.split("\n").length;
    const column = error.offset - before.lastIndexOf("\n");
    return `${error.message}: line ${line} column ${column} (char ${error.offset})`;
  }
}

function isHex(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}
