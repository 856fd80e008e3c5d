/**
 * The smallest parts of JSON text: white space, strings, numbers, words. Each function takes the place where its part
 * begins and returns the place behind it, or throws what is wrong there. They read characters as numbers from an array,
 * which costs a fraction of what `charCodeAt` does. Pure.
 */

export type Problem = "syntax" | "depth" | "elements" | "duplicate" | "forbidden";

export class ScanError extends Error {
  readonly problem: Problem;
  readonly offset: number;
  /** The key that came twice. */
  readonly key: string | undefined;
  constructor(problem: Problem, message: string, offset: number, key?: string) {
    super(message);
    this.problem = problem;
    this.offset = offset;
    this.key = key;
  }
}

/** Up to here a loop is cheaper than the call of a regular expression; far behind it, several times dearer. */
const SHORT = 40;
/** What stands for itself in a string: all but the quote, the backslash and control characters. */
const PLAIN = /[ !#-[\]-\uffff]*/y;
/** The same and escapes; only so many at once, since the engine notes each of them until the match is over. */
const WITH_ESCAPES = /[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\uffff]*){0,500}/y;

export function fail(problem: Problem, message: string, offset: number): never {
  throw new ScanError(problem, message, offset);
}

export function afterSpace(codes: Uint16Array, start: number): number {
  let at = start;
  while (isSpace(codes[at] as number)) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code <= 0x20 && (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09);
}

/** The place behind a string, negative if the string holds escapes: whoever keeps it wants to know. */
export function afterString(text: string, codes: Uint16Array, start: number): number {
  const far = start + SHORT;
  let at = start + 1;
  for (; at < far; at++) {
    const code = codes[at] as number;
    if (code === 0x22) return at + 1;
    if (code === 0x5c || code < 0x20) return afterRest(text, start, at);
  }
  return afterRest(text, start, match(PLAIN, text, at));
}

/** Of a string that is plain up to `plain`, and perhaps no further. */
function afterRest(text: string, start: number, plain: number): number {
  let at = plain;
  while (text.charCodeAt(at) === 0x5c) {
    const next = match(WITH_ESCAPES, text, at);
    if (next === at) failEscape(text, at);
    at = next;
  }
  if (text.charCodeAt(at) !== 0x22) failString(text, start, at);
  return at === plain ? at + 1 : -at - 1;
}

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
}

function failString(text: string, start: number, at: number): never {
  if (at < text.length) fail("syntax", "Invalid control character at", at);
  fail("syntax", "Unterminated string starting at", start);
}

function failEscape(text: string, at: number): never {
  if (text.charCodeAt(at + 1) === 0x75) fail("syntax", "Invalid \\uXXXX escape", at + 1);
  fail("syntax", "Invalid \\escape", at);
}

export function afterWord(text: string, start: number, word: string): number {
  if (!text.startsWith(word, start)) fail("syntax", "Expecting value", start);
  return start + word.length;
}

export function afterNumber(codes: Uint16Array, start: number): number {
  let at = codes[start] === 0x2d ? start + 1 : start;
  at = codes[at] === 0x30 ? at + 1 : afterDigits(codes, at, start);
  let code = codes[at] as number;
  if (code === 0x2e) {
    at = afterDigits(codes, at + 1, start);
    code = codes[at] as number;
  }
  if (code !== 0x65 && code !== 0x45) return at;
  const sign = codes[at + 1];
  return afterDigits(codes, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1, start);
}

/** At least one, or the number that began at `number` is none. */
function afterDigits(codes: Uint16Array, start: number, number: number): number {
  let at = start;
  for (;;) {
    const code = codes[at] as number;
    if (code < 0x30 || code > 0x39) break;
    at++;
  }
  if (at === start) fail("syntax", "Expecting value", number);
  return at;
}

/** In characters: the one array that all texts are copied into grows with the longest text yet, up to here. */
const LONGEST_KEPT = 2 ** 20;
const SHORTEST = 2 ** 12;
/** Zeros behind the text, so that a reader may look at the next character without asking whether there is one. */
const MARGIN = 2;
const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

interface Copy {
  readonly codes: Uint16Array;
  /** The same memory. */
  readonly bytes: Buffer;
}

let kept = room(SHORTEST);

/**
 * The characters of a text as numbers; good until the next text comes. The copy costs little as long as it goes into memory
 * that is in use anyway, hence one array for all texts that are not huge.
 */
export function codesOf(text: string): Uint16Array {
  const { length } = text;
  const copy = length + MARGIN <= kept.codes.length ? kept : larger(length);
  if (IS_LITTLE_ENDIAN) copy.bytes.write(text, 0, "utf16le");
  else for (let at = 0; at < length; at++) copy.codes[at] = text.charCodeAt(at);
  copy.codes[length] = 0;
  copy.codes[length + 1] = 0;
  return copy.codes;
}

function larger(length: number): Copy {
  if (length > LONGEST_KEPT) return room(length);
  kept = room(Math.max(length, Math.min(2 * kept.codes.length, LONGEST_KEPT)));
  return kept;
}

function room(length: number): Copy {
  const bytes = Buffer.allocUnsafeSlow(2 * (length + MARGIN));
  return { bytes, codes: new Uint16Array(bytes.buffer, bytes.byteOffset, length + MARGIN) };
}
