/**
 * Where things stand in a JSON text: finds the first mistake (JSON.parse does not always say where, and quotes the text,
 * which may hold secrets), refuses repeated keys and absurd nesting, and tells edits where a member begins and ends.
 */

import { quoteKey } from "./config-error.ts";

export interface JsonNode {
  readonly start: number;
  /** One past the last character. */
  readonly end: number;
  /** Of an object, in the order of the text; absent for anything else. */
  readonly members?: readonly JsonMember[];
}

export interface JsonMember {
  readonly key: string;
  /** Where the key's opening quote stands. */
  readonly start: number;
  readonly value: JsonNode;
}

export class JsonMistake extends Error {
  readonly offset: number;

  constructor(problem: string, offset: number) {
    super(problem);
    this.name = "JsonMistake";
    this.offset = offset;
  }
}

const DEPTH_MAX = 64;
const SPACE = /[ \t\r\n]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Reads plain JSON; throws a JsonMistake where JSON.parse would throw, and for repeated keys and deep nesting. */
export function readJsonTree(text: string): JsonNode {
  return new Reader(text).document();
}

/** Both counted from 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonNode {
    const node = this.#value(0);
    this.#skip(SPACE);
    if (this.#at < this.#text.length) throw this.#mistake("nothing more may follow");
    return node;
  }

  #value(depth: number): JsonNode {
    if (depth > DEPTH_MAX) throw new JsonMistake(`nested more than ${DEPTH_MAX} levels deep`, this.#at);
    this.#skip(SPACE);
    const start = this.#at;
    const next = this.#text[start];
    if (next === "{") return { start, members: this.#object(depth), end: this.#at };
    if (next === "[") this.#list("]", () => this.#value(depth + 1));
    else if (next === '"') this.#string();
    else if (!this.#skip(SCALAR)) throw this.#mistake("a value is expected");
    return { start, end: this.#at };
  }

  #object(depth: number): JsonMember[] {
    const members: JsonMember[] = [];
    const seen = new Set<string>();
    this.#list("}", () => {
      const start = this.#at;
      const key = this.#key(seen);
      members.push({ key, start, value: this.#value(depth + 1) });
    });
    return members;
  }

  #key(seen: Set<string>): string {
    if (this.#text[this.#at] !== '"') throw this.#mistake("a key in double quotes is expected");
    const start = this.#at;
    const key = this.#string();
    if (seen.has(key)) throw new JsonMistake(`the key ${quoteKey(key)} stands here a second time`, start);
    seen.add(key);
    if (!this.#take(":")) throw this.#mistake('":" is expected after the key');
    return key;
  }

  /** From an opening bracket to its closing one. */
  #list(close: string, item: () => void): void {
    this.#at++;
    if (this.#take(close)) return;
    do {
      this.#skip(SPACE);
      item();
    } while (this.#take(","));
    if (!this.#take(close)) throw this.#mistake(`"," or "${close}" is expected`);
  }

  #string(): string {
    const start = this.#at++;
    while (this.#text[this.#at] !== '"') {
      if (this.#at >= this.#text.length || this.#text[this.#at] === "\n") {
        throw new JsonMistake("this string is not closed", start);
      }
      this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    }
    this.#at++;
    try {
      return JSON.parse(this.#text.slice(start, this.#at));
    } catch {
      throw new JsonMistake("this string has a bad escape or a control character", start);
    }
  }

  #take(character: string): boolean {
    this.#skip(SPACE);
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.test(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #mistake(problem: string): JsonMistake {
    const ended = this.#at >= this.#text.length;
    return new JsonMistake(ended ? `the text ends too early: ${problem}` : problem, this.#at);
  }
}
