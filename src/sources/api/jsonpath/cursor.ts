/** A place in the text of a JSONPath, and the smallest things that are read from there. */

export class NoPath extends Error {}

const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  "/": "/",
  "\\": "\\",
};
/** Numbers that every JSON parser holds exactly. */
const INTEGER = /(?:0|-?[1-9][0-9]*)/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SHORTHAND = /[A-Za-z_\u0080-\u{d7ff}\u{e000}-\u{10ffff}][A-Za-z0-9_\u0080-\u{d7ff}\u{e000}-\u{10ffff}]*/uy;
const WORD = /[a-z][a-z0-9_]*/y;
const SPACE = /[ \t\n\r]*/y;

export class Cursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  get next(): string {
    return this.#text[this.#at] ?? "";
  }

  take(token: string): boolean {
    const isThere = this.#text.startsWith(token, this.#at);
    if (isThere) this.#at += token.length;
    return isThere;
  }

  need(token: string): void {
    if (!this.take(token)) this.fail();
  }

  skipSpace(): void {
    this.#match(SPACE);
  }

  /** Reads what comes after some space, or stays before the space. */
  afterSpace<T>(read: () => T | undefined): T | undefined {
    const before = this.#at;
    this.skipSpace();
    const found = read();
    if (found === undefined) this.#at = before;
    return found;
  }

  /** The name of a function, or a word such as `true`. */
  word(): string | undefined {
    return this.#match(WORD);
  }

  shorthand(): string | undefined {
    return this.#match(SHORTHAND);
  }

  integer(): number | undefined {
    const text = this.#match(INTEGER);
    if (text === undefined) return undefined;
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : this.fail();
  }

  number(): number | undefined {
    const text = this.#match(NUMBER);
    return text === undefined ? undefined : Number(text);
  }

  /** Undefined where no quote stands. */
  string(): string | undefined {
    const quote = this.next;
    if (quote !== '"' && quote !== "'") return undefined;
    this.#at++;
    let text = "";
    while (!this.take(quote)) text += this.#character(quote);
    return text.isWellFormed() ? text : this.fail();
  }

  fail(): never {
    throw new NoPath(`not a JSONPath at ${this.#at}`);
  }

  #character(quote: string): string {
    if (this.isAtEnd || this.next < " ") this.fail();
    const character = this.#text[this.#at++] as string;
    return character === "\\" ? this.#escaped(quote) : character;
  }

  #escaped(quote: string): string {
    const character = this.#text[this.#at++] ?? "";
    if (character === quote) return quote;
    if (character !== "u") return ESCAPES[character] ?? this.fail();
    const code = this.#text.slice(this.#at, this.#at + 4);
    if (!/^[0-9A-Fa-f]{4}$/.test(code)) this.fail();
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}
