/**
 * One strict pass over JSON text before anything else looks at it: proves the grammar, bounds depth and size, refuses
 * duplicate keys, and tells where the members of the outermost object (and of the objects directly inside it) begin and
 * end, so that what only passes through is cut out and sent on as it came. A state machine over characters, hence long.
 *
 * Duplicate keys are refused because two parsers may disagree on which one counts: a policy would check one tool and a
 * source run another. The wording of syntax errors is that of Python's `json`, which seed 000 shows to its clients.
 */
import { afterNumber, afterSpace, afterString, afterWord, codesOf, fail, type Problem, ScanError } from "./tokens.ts";

export interface ScanLimits {
  readonly depth: number;
  /** Members and elements in the whole text. */
  readonly elements: number;
}

type JsonKind = "object" | "array" | "string" | "number" | "literal";

export interface Member {
  readonly key: string;
  readonly kind: JsonKind;
  /** Where the value's text begins and ends. */
  readonly start: number;
  readonly end: number;
  /** Whether it is a string that differs from its text between the quotes. */
  readonly escaped: boolean;
  /** The value's own, if it is an object directly inside the outermost one, or a `_meta` or `arguments` inside that. */
  readonly members: readonly Member[];
}

export type Scan =
  | { readonly ok: true; readonly kind: JsonKind; readonly members: readonly Member[] }
  | {
      readonly ok: false;
      readonly problem: Problem;
      readonly reason: string;
      readonly offset: number;
      /** The key that came twice. */
      readonly key: string | undefined;
    };

export interface ScanOptions {
  /** Off for what a source sends, which we only pass on. */
  readonly refuseDuplicates: boolean;
  /** The only member of the outermost object whose own members are wanted; all of them if it is not given. */
  readonly into?: string | undefined;
}

const STRICT: ScanOptions = { refuseDuplicates: true };
const NO_MEMBERS: readonly Member[] = Object.freeze([]);
/** Past this many keys in one object a set finds duplicates faster than comparing. */
const FEW_KEYS = 8;
/** A longer key goes into a set at once: nobody shall make us compare long keys with each other. */
const LONG_KEY = 64;
/** More than any text can hold, and still a small integer for the engine. */
const UNLIMITED = 2 ** 30;

/** What is known of an object or array while we are in one of its values. */
interface Frame {
  isObject: boolean;
  /** Its members so far, if they are wanted. */
  found: Member[] | undefined;
  /** Its keys, once they are too many to be compared. */
  seen: Set<string> | undefined;
  /** Where in `spans` its keys begin. */
  base: number;
  /** The key and the start of the value that we are in. */
  key: string;
  start: number;
}

/** One for each level, used again by every scan. */
const frames: Frame[] = [];
/** Where the keys of the objects we are in begin and end: they are compared in place, since nobody wants them as strings. */
const spans: number[] = [];
let spansUsed = 0;
let outermost: readonly Member[] = NO_MEMBERS;

export function scanJson(text: string, limits: ScanLimits, options: ScanOptions = STRICT): Scan {
  spansUsed = 0;
  outermost = NO_MEMBERS;
  try {
    const codes = codesOf(text);
    const start = afterSpace(codes, 0);
    const end = afterSpace(codes, afterValue(text, codes, start, limits, options));
    if (end < text.length) fail("syntax", "Extra data", end);
    return { ok: true, kind: kindOf(codes[start] as number), members: outermost };
  } catch (error) {
    if (!(error instanceof ScanError)) throw error;
    // No text stays behind in frames that were left in haste.
    frames.length = 0;
    return { ok: false, problem: error.problem, reason: explain(text, error), offset: error.offset, key: error.key };
  } finally {
    outermost = NO_MEMBERS;
  }
}

/** The member of that exact name. */
export function memberOf(members: readonly Member[], key: string): Member | undefined {
  for (let index = 0; index < members.length; index++) {
    const member = members[index] as Member;
    if (isEqual(member.key, key)) return member;
  }
  return undefined;
}

/**
 * The place behind a value, whatever is inside it. One loop with everything in local variables, because calls and fields
 * cost more than the characters: each turn passes one element of an array, or one key and its value, or the beginning of
 * them, and then whatever ends with it.
 */
function afterValue(text: string, codes: Uint16Array, first: number, limits: ScanLimits, options: ScanOptions): number {
  const maxDepth = Math.min(limits.depth, UNLIMITED);
  const maxElements = Math.min(limits.elements, UNLIMITED);
  const isStrict = options.refuseDuplicates;
  const { into } = options;
  let at = first;
  let depth = 0;
  // The outermost value is nobody's element.
  let elements = -1;
  let isObject = false;
  let found: Member[] | undefined;
  let seen: Set<string> | undefined;
  let base = 0;
  let key = "";
  for (;;) {
    if (isObject) {
      if (codes[at] !== 0x22) fail("syntax", "Expecting property name enclosed in double quotes", at);
      if (++elements > maxElements) failCount(maxElements, at);
      const keyAt = at;
      const signed = afterString(text, codes, keyAt);
      if (isStrict && isPrototype(text, keyAt, signed)) fail("forbidden", "Key '__proto__' is not accepted", keyAt);
      at = signed < 0 ? -signed : signed;
      if (codes[at] !== 0x3a) at = afterSpace(codes, at);
      if (codes[at] !== 0x3a) fail("syntax", "Expecting ':' delimiter", at);
      at++;
      if ((codes[at] as number) <= 0x20) at = afterSpace(codes, at);
      if (found) {
        key = keyOf(text, keyAt, signed);
        if (isStrict) seen = refuseMember(key, found, seen, keyAt);
      } else if (isStrict) seen = refuseKey(text, keyAt, signed, base, seen);
    } else if (++elements > maxElements) failCount(maxElements, at);

    let start = at;
    let escaped = false;
    let members = NO_MEMBERS;
    let code = codes[at] as number;
    if (code === 0x22) {
      const signed = afterString(text, codes, at);
      escaped = signed < 0;
      at = escaped ? -signed : signed;
    } else if (code === 0x7b || code === 0x5b) {
      if (depth >= maxDepth) fail("depth", `Nested deeper than ${maxDepth} levels`, at);
      at++;
      let next = codes[at] as number;
      if (next <= 0x20) {
        at = afterSpace(codes, at);
        next = codes[at] as number;
      }
      if (next === code + 2) at++;
      else {
        const frame = frameAt(depth++);
        frame.isObject = isObject;
        frame.found = found;
        frame.seen = seen;
        frame.base = base;
        frame.key = found ? key : "";
        frame.start = start;
        isObject = code === 0x7b;
        found = isObject && (depth === 1 || (found && isLookedInto(depth, key, into))) ? [] : undefined;
        seen = undefined;
        base = spansUsed;
        continue;
      }
    } else if (code >= 0x31 && code <= 0x39) at = afterNumber(codes, at);
    else at = afterWordOrNumber(text, codes, at, code);

    for (;;) {
      if (found) found.push({ key, kind: kindOf(code), start, end: at, escaped, members });
      if (depth === 0) return at;
      code = codes[at] as number;
      if (code <= 0x20) {
        at = afterSpace(codes, at);
        code = codes[at] as number;
      }
      if (code === 0x2c) break;
      if (code !== (isObject ? 0x7d : 0x5d)) fail("syntax", "Expecting ',' delimiter", at);
      at++;
      code = isObject ? 0x7b : 0x5b;
      spansUsed = base;
      members = found ?? NO_MEMBERS;
      escaped = false;
      const frame = frames[--depth] as Frame;
      isObject = frame.isObject;
      found = frame.found;
      seen = frame.seen;
      base = frame.base;
      key = frame.key;
      start = frame.start;
      if (found || seen) forget(frame);
      if (depth === 0) outermost = members;
    }
    at++;
    if ((codes[at] as number) <= 0x20) at = afterSpace(codes, at);
  }
}

function frameAt(depth: number): Frame {
  if (depth === frames.length) {
    frames.push({ isObject: false, found: undefined, seen: undefined, base: 0, key: "", start: 0 });
  }
  return frames[depth] as Frame;
}

/** Keys may hold on to the whole text. */
function forget(frame: Frame): void {
  frame.found = undefined;
  frame.seen = undefined;
  frame.key = "";
}

function afterWordOrNumber(text: string, codes: Uint16Array, at: number, code: number): number {
  if (code === 0x74) return afterWord(text, at, "true");
  if (code === 0x66) return afterWord(text, at, "false");
  if (code === 0x6e) return afterWord(text, at, "null");
  return afterNumber(codes, at);
}

/** By its first character, of a value that is proved. */
function kindOf(code: number): JsonKind {
  if (code === 0x22) return "string";
  if (code === 0x7b) return "object";
  if (code === 0x5b) return "array";
  return code === 0x74 || code === 0x66 || code === 0x6e ? "literal" : "number";
}

/** @param depth of the object whose members would be kept */
function isLookedInto(depth: number, key: string, into: string | undefined): boolean {
  if (depth === 2) return into === undefined || isEqual(key, into);
  return depth === 3 && (isEqual(key, "_meta") || isEqual(key, "arguments"));
}

/** The engine compares strings of different lengths too, and that for every key with every other. */
function isEqual(one: string, other: string): boolean {
  return one.length === other.length && one === other;
}

function failCount(most: number, at: number): never {
  fail("elements", `More than ${most} members and elements`, at);
}

function isPrototype(text: string, start: number, end: number): boolean {
  if (end < 0) return keyOf(text, start, end) === "__proto__";
  return end - start === 11 && text.startsWith("__proto__", start + 1);
}

function keyOf(text: string, start: number, end: number): string {
  return end < 0 ? (JSON.parse(text.slice(start, -end)) as string) : text.slice(start + 1, end - 1);
}

function refuseMember(key: string, found: readonly Member[], seen: Set<string> | undefined, at: number) {
  if (found.length < FEW_KEYS) {
    if (memberOf(found, key)) failRepeated(key, at);
    return undefined;
  }
  return addOnce(seen ?? new Set(found.map((member) => member.key)), key, at);
}

/** The same of a key that is no string yet; those of its object begin at `base` in `spans`, or are all in `seen`. */
function refuseKey(text: string, start: number, end: number, base: number, seen: Set<string> | undefined) {
  const isCompared = !seen && spansUsed - base < 2 * FEW_KEYS && end > 0 && end - start < LONG_KEY;
  if (!isCompared) return addOnce(seen ?? keysSince(text, base), keyOf(text, start, end), start);
  if (isAmong(text, start, end, base)) failRepeated(keyOf(text, start, end), start);
  spans[spansUsed] = start;
  spans[spansUsed + 1] = end;
  spansUsed += 2;
  return undefined;
}

function addOnce(seen: Set<string>, key: string, at: number): Set<string> {
  if (seen.has(key)) failRepeated(key, at);
  return seen.add(key);
}

function keysSince(text: string, base: number): Set<string> {
  const keys = new Set<string>();
  for (let index = base; index < spansUsed; index += 2) {
    keys.add(keyOf(text, spans[index] as number, spans[index + 1] as number));
  }
  return keys;
}

function isAmong(text: string, start: number, end: number, base: number): boolean {
  for (let index = base; index < spansUsed; index += 2) {
    const other = spans[index] as number;
    if ((spans[index + 1] as number) - other === end - start && isSame(text, other, start, end)) return true;
  }
  return false;
}

/** From behind: keys of one object often begin alike. */
function isSame(text: string, other: number, start: number, end: number): boolean {
  const back = start - other;
  for (let at = end - 2; at > start; at--) if (text.charCodeAt(at) !== text.charCodeAt(at - back)) return false;
  return true;
}

function failRepeated(key: string, at: number): never {
  throw new ScanError("duplicate", `Key '${key.slice(0, 50)}' appears twice`, at, key);
}

function explain(text: string, { problem, message, offset }: ScanError): string {
  if (problem !== "syntax") return message;
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  return `${message}: line ${line} column ${column} (char ${offset})`;
}
