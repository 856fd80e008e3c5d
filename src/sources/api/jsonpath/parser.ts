/** Reads a JSONPath as RFC 9535 writes it, types of functions included. Throws NoPath for anything else. */
import { Cursor } from "./cursor.ts";
import type { Comparator, MatchTest, Operand, Query, Segment, Selector, Test } from "./query.ts";

const LONGEST = 2_000;
/** Of brackets in brackets. */
const DEEPEST = 32;
const COMPARATORS: readonly Comparator[] = ["==", "!=", "<=", ">=", "<", ">"];
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

export function parsePath(text: string): Query {
  const cursor = new Cursor(text);
  if (text.length > LONGEST || !cursor.take("$")) cursor.fail();
  const segments = new Parser(cursor).segments();
  if (!cursor.isAtEnd) cursor.fail();
  return { isRelative: false, segments };
}

/** A comparison's side, or a test by itself, before it is known which. */
type Term = Operand | MatchTest | { readonly kind: "nodes"; readonly query: Query };

class Parser {
  readonly #cursor: Cursor;
  #depth = 0;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  segments(): Segment[] {
    const found: Segment[] = [];
    for (;;) {
      const segment = this.#cursor.afterSpace(() => this.#segment());
      if (!segment) return found;
      found.push(segment);
    }
  }

  #segment(): Segment | undefined {
    const cursor = this.#cursor;
    const descends = cursor.take("..");
    if (cursor.next === "[") return { descends, selectors: this.#bracketed() };
    if (!descends && !cursor.take(".")) return undefined;
    if (cursor.take("*")) return { descends, selectors: [{ kind: "wildcard" }] };
    return { descends, selectors: [{ kind: "name", name: cursor.shorthand() ?? cursor.fail() }] };
  }

  #bracketed(): Selector[] {
    const selectors = this.#between("[", "]", () => this.#list(() => this.#selector()));
    return selectors;
  }

  #selector(): Selector {
    const cursor = this.#cursor;
    const name = cursor.string();
    if (name !== undefined) return { kind: "name", name };
    if (cursor.take("*")) return { kind: "wildcard" };
    if (cursor.take("?")) {
      cursor.skipSpace();
      return { kind: "filter", test: this.#either() };
    }
    return this.#indexOrSlice();
  }

  #indexOrSlice(): Selector {
    const cursor = this.#cursor;
    const start = cursor.integer();
    if (!this.#takeSpaced(":")) return { kind: "index", index: start ?? cursor.fail() };
    const end = cursor.afterSpace(() => cursor.integer());
    const hasStep = this.#takeSpaced(":");
    const step = hasStep ? cursor.afterSpace(() => cursor.integer()) : undefined;
    return { kind: "slice", start, end, step: step ?? 1 };
  }

  #either(): Test {
    const tests = this.#chain("||", () => this.#chain("&&", () => this.#basic(), "and"), "or");
    return tests;
  }

  #chain(sign: string, read: () => Test, kind: "or" | "and"): Test {
    const first = read();
    const tests = [first];
    while (this.#takeSpaced(sign)) {
      this.#cursor.skipSpace();
      tests.push(read());
    }
    return tests.length === 1 ? first : { kind, tests };
  }

  #basic(): Test {
    const cursor = this.#cursor;
    const isNot = cursor.take("!");
    if (isNot) cursor.skipSpace();
    if (cursor.next === "(")
      return negated(
        isNot,
        this.#between("(", ")", () => this.#either()),
      );
    const left = this.#term();
    const is = cursor.afterSpace(() => COMPARATORS.find((each) => cursor.take(each)));
    if (is === undefined) return negated(isNot, this.#asTest(left));
    if (isNot) cursor.fail();
    cursor.skipSpace();
    return { kind: "compare", left: this.#asOperand(left), is, right: this.#asOperand(this.#term()) };
  }

  #term(): Term {
    const cursor = this.#cursor;
    const text = cursor.string();
    if (text !== undefined) return { kind: "literal", value: text };
    const number = cursor.number();
    if (number !== undefined) return { kind: "literal", value: number };
    const isRelative = cursor.take("@");
    if (isRelative || cursor.take("$")) return { kind: "nodes", query: { isRelative, segments: this.segments() } };
    const word = cursor.word() ?? cursor.fail();
    if (Object.hasOwn(WORDS, word)) return { kind: "literal", value: WORDS[word] as boolean | null };
    return this.#call(word);
  }

  #call(name: string): Term {
    const [first, second, ...others] = this.#between("(", ")", () => this.#list(() => this.#term()));
    if (!first || others.length > 0) this.#cursor.fail();
    if ((name === "match" || name === "search") && second) {
      return { kind: name, text: this.#asOperand(first), pattern: this.#asOperand(second) };
    }
    if (second) this.#cursor.fail();
    if (name === "length") return { kind: name, of: this.#asOperand(first) };
    const isOfNodes = (name === "count" || name === "value") && first.kind === "nodes";
    return isOfNodes ? { kind: name, query: first.query } : this.#cursor.fail();
  }

  #asOperand(term: Term): Operand {
    if (term.kind === "nodes") {
      return isSingular(term.query) ? { kind: "single", query: term.query } : this.#cursor.fail();
    }
    return "pattern" in term ? this.#cursor.fail() : term;
  }

  #asTest(term: Term): Test {
    if (term.kind === "nodes") return { kind: "exists", query: term.query };
    return "pattern" in term ? term : this.#cursor.fail();
  }

  #list<T>(read: () => T): T[] {
    const found = [read()];
    while (this.#takeSpaced(",")) {
      this.#cursor.skipSpace();
      found.push(read());
    }
    return found;
  }

  #between<T>(open: string, close: string, read: () => T): T {
    const cursor = this.#cursor;
    cursor.need(open);
    if (++this.#depth > DEEPEST) cursor.fail();
    cursor.skipSpace();
    const found = read();
    cursor.skipSpace();
    cursor.need(close);
    this.#depth--;
    return found;
  }

  #takeSpaced(token: string): boolean {
    return this.#cursor.afterSpace(() => this.#cursor.take(token) || undefined) ?? false;
  }
}

function negated(isNot: boolean, test: Test): Test {
  return isNot ? { kind: "not", test } : test;
}

/** Such a query has one node at the most. */
function isSingular({ segments }: Query): boolean {
  return segments.every(({ descends, selectors: [first, ...others] }) => {
    return !descends && others.length === 0 && (first?.kind === "name" || first?.kind === "index");
  });
}
