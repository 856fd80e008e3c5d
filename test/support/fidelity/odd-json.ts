/**
 * Random JSON as text, with everything that is lost when a text is read and written anew: spellings of numbers and
 * characters, large integers, the order of keys, white space, and keys with a meaning elsewhere.
 */
import type { Arbitrary } from "fast-check";
import { fc } from "../seed.ts";

export interface OddOptions {
  /** Whether line breaks may stand between tokens. @default true */
  readonly breaks?: boolean;
  /** The key `__proto__`, which doors refuse in what a stranger sends. @default true */
  readonly proto?: boolean;
}

/** A member of an object, its key spelt in any way. */
export interface OddMember {
  readonly key: string;
  readonly value: string;
}

const NUMBERS = [
  "0",
  "-0",
  "1.0",
  "-0.0",
  "1e3",
  "1E+3",
  "0.1e-7",
  "1e400",
  "-1e-400",
  "0.30000000000000004",
  "12345678901234567890",
  "-12345678901234567890",
  "9007199254740993",
  "100000000000000000000000000000000.50",
];
/** As they are written, which is not how they would be written again. */
const ESCAPES = [
  '\\"',
  "\\\\",
  "\\/",
  "\\b",
  "\\f",
  "\\n",
  "\\r",
  "\\t",
  "\\u0000",
  "\\u001F",
  "\\u0041",
  "\\u00e9",
  "\\u2028",
  "\\uD83D\\uDE00",
  "\\ud83c\\uDFE0",
  "\\ud800",
  "\\uDFFF",
  "\\udc00\\ud800",
];
const PLAIN = [..."abcXYZ019 '{}[]:,.<>&=?#%/_-~"];
const UNUSUAL = ["é", "漢", "😀", "\u{10ffff}", "\u2028", "\u2029", "\u0085", "\ufeff", "\u007f", "\u00a0", "e\u0301"];
const KEYS = [
  "",
  "content",
  "type",
  "text",
  "structuredContent",
  "isError",
  "contents",
  "messages",
  "role",
  "uri",
  "name",
  "jsonrpc",
  "id",
  "result",
  "error",
  "method",
  "params",
  "resultType",
  "_meta",
  "ttlMs",
  "cacheScope",
  "data",
  "constructor",
  "toString",
  "hasOwnProperty",
  "length",
  "0",
  "-1",
  "\\u0069d",
  "re\\u0073ult",
  "x-new",
  "é",
];

const character = fc.oneof(
  { arbitrary: fc.constantFrom(...PLAIN), weight: 5 },
  { arbitrary: fc.constantFrom(...ESCAPES), weight: 2 },
  { arbitrary: fc.constantFrom(...UNUSUAL), weight: 2 },
);
const characters = fc.array(character, { maxLength: 8 }).map((all) => all.join(""));
/** Longer than the pieces in which pipes and sockets hand things on. */
const flood = fc
  .tuple(fc.constantFrom("漢", "😀", "\\ud83d", "é\\n", "0123456789"), fc.integer({ min: 10_000, max: 30_000 }))
  .map(([piece, count]) => piece.repeat(count));
const string = fc
  .oneof({ arbitrary: characters, weight: 250 }, { arbitrary: flood, weight: 1 })
  .map((text) => `"${text}"`);
const number = fc.oneof(fc.constantFrom(...NUMBERS), fc.integer().map(String), fc.double({ noNaN: true }).map(spelt));
const leaf = fc.oneof(string, number, fc.constantFrom("true", "false", "null"));

/** Any JSON value. */
export function oddValue(options: OddOptions = {}): Arbitrary<string> {
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { arbitrary: leaf, weight: 4 },
      { arbitrary: arrayOf(tie("value"), options), weight: 2 },
      { arbitrary: objectOf(tie("value"), options), weight: 3 },
      { arbitrary: tower(options), weight: 1 },
    ),
  }));
  return value;
}

/** The members of an object, no key twice, none of those that mean something where they go. */
export function oddMembers(options: OddOptions = {}, taken: readonly string[] = []): Arbitrary<readonly OddMember[]> {
  return membersOf(oddValue(options), options, taken);
}

/** An object of these members, with white space of any kind between its tokens. */
export function objectText(members: readonly OddMember[], space = ""): string {
  const texts = members.map(({ key, value }) => `${space}"${key}"${space}:${space}${value}${space}`);
  return texts.length === 0 ? `{${space}}` : `{${texts.join(",")}}`;
}

export function oddSpace({ breaks = true }: OddOptions = {}): Arbitrary<string> {
  const spaces = ["", " ", "\t", "  ", ...(breaks ? ["\n", "\r\n", "\n  "] : [])];
  return fc.oneof({ arbitrary: fc.constant(""), weight: 3 }, { arbitrary: fc.constantFrom(...spaces), weight: 1 });
}

/** An id as it may stand in a request. */
export function oddId(): Arbitrary<string> {
  const usual = fc.constantFrom("0", "1", '""', '"a"');
  return fc.oneof(
    usual,
    characters.map((text) => `"${text}"`),
    fc.constantFrom(...NUMBERS),
    fc.integer().map(String),
  );
}

function membersOf(value: Arbitrary<string>, { proto = true }: OddOptions, taken: readonly string[]) {
  const known = [...KEYS, ...(proto ? ["__proto__", "__pro\\u0074o__"] : [])];
  const key = fc.oneof({ arbitrary: fc.constantFrom(...known), weight: 3 }, { arbitrary: characters, weight: 1 });
  const free = key.filter((text) => !taken.includes(decoded(text)) && (proto || decoded(text) !== "__proto__"));
  return fc.uniqueArray(fc.record({ key: free, value }), { maxLength: 5, selector: (member) => decoded(member.key) });
}

function objectOf(value: Arbitrary<string>, options: OddOptions): Arbitrary<string> {
  const members = membersOf(value, options, []);
  return fc.tuple(members, oddSpace(options)).map(([all, space]) => objectText(all, space));
}

function arrayOf(value: Arbitrary<string>, options: OddOptions): Arbitrary<string> {
  const values = fc.array(value, { maxLength: 4 });
  return fc
    .tuple(values, oddSpace(options))
    .map(([all, space]) => (all.length === 0 ? `[${space}]` : `[${all.map((one) => space + one + space).join()}]`));
}

/** Deep, but within what anybody takes. */
function tower(options: OddOptions): Arbitrary<string> {
  const floors = fc.array(fc.constantFrom("array", "object"), { maxLength: 40 });
  return fc
    .tuple(floors, leaf, oddSpace(options))
    .map(([all, top, space]) =>
      all.reduce((inner, kind) => (kind === "array" ? `[${space}${inner}]` : `{"":${inner}${space}}`), top),
    );
}

/** As text that another writer would not choose. */
function spelt(value: number): string {
  return Number.isFinite(value) ? value.toExponential() : "1e999";
}

function decoded(key: string): string {
  return JSON.parse(`"${key}"`) as string;
}
