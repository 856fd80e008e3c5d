/**
 * YAML text to plain values, within limits. The package's own `parse` is not enough for a text from a stranger: it compares
 * every key with every other, looks for the target of every alias from the start, and recurses as deep as the text wants.
 * So its lexer and parser are driven piece by piece, and the nodes are turned into values here.
 */
import {
  type Alias,
  Composer,
  type CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { isObject } from "../contract/rules.ts";
import type { ReadLimits } from "./limits.ts";
import { fault } from "./lookup.ts";

/** Keys are compared in the tree below, where it costs no more than a Set. */
const COMPOSING = { uniqueKeys: false, prettyErrors: false, logLevel: "silent", resolveKnownTags: false } as const;
/** Documents, directives and what stands between them. */
const MOST_AT_TOP = 10_000;

export function readYaml(text: string, limits: ReadLimits): unknown {
  const lines = new LineCounter();
  const tokens = tokensOf(text, lines, limits);
  const [document, second] = withoutStacks(() => [...new Composer(COMPOSING).compose(tokens, true, text.length)]);
  if (second) throw fault("", "holds more than one YAML document");
  const mistake = document?.errors[0];
  if (mistake) throw fault(placeOf(lines, mistake.pos[0]), `is not YAML: ${mistake.message}`);
  return new Tree(lines, limits).value(document?.contents);
}

/** The parser does not recurse, so depth is seen here before anything does. */
function tokensOf(text: string, lines: LineCounter, limits: ReadLimits): CST.Token[] {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > limits.yamlTokens) throw fault("", `has more than ${limits.yamlTokens} pieces, the most for YAML`);
    for (const token of parser.next(lexeme)) addToken(tokens, token, lines);
    if (parser.stack.length > limits.depth + 2) {
      throw fault(placeOf(lines, parser.offset), `is nested deeper than ${limits.depth} levels`);
    }
  }
  for (const token of parser.end()) addToken(tokens, token, lines);
  return tokens;
}

function addToken(tokens: CST.Token[], token: CST.Token, lines: LineCounter): void {
  if (token.type === "error") throw fault(placeOf(lines, token.offset), `is not YAML: ${token.message}`);
  if (tokens.push(token) > MOST_AT_TOP) throw fault(placeOf(lines, 0), "has too much around the document");
}

/** A broken text can have a million mistakes, and each is an Error whose stack would cost more than all the rest. */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function placeOf(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `line ${line}, column ${col}`;
}

interface Anchored {
  readonly value: unknown;
  readonly parts: number;
}

/** Values in the order of the text, so that an alias finds what was last anchored under its name. */
class Tree {
  readonly #lines: LineCounter;
  readonly #limits: ReadLimits;
  readonly #anchors = new Map<string, Anchored | "open">();
  #parts = 0;
  #aliases = 0;

  constructor(lines: LineCounter, limits: ReadLimits) {
    this.#lines = lines;
    this.#limits = limits;
  }

  value(node: unknown): unknown {
    this.#count(1);
    if (isAlias(node)) return this.#aliased(node);
    const anchor = isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined;
    if (anchor === undefined) return this.#own(node);
    const before = this.#parts;
    this.#anchors.set(anchor, "open");
    const value = this.#own(node);
    this.#anchors.set(anchor, { value, parts: this.#parts - before });
    return value;
  }

  #own(node: unknown): unknown {
    if (isMap(node)) return this.#map(node);
    if (isSeq(node)) return node.items.map((item) => this.value(item));
    return isScalar(node) ? scalar(node) : null;
  }

  #map(node: YAMLMap): unknown {
    const members = new Map<string, unknown>();
    const merged: unknown[] = [];
    for (const { key, value } of node.items) {
      const name = this.#key(key);
      // Not part of YAML 1.2, and still written by many.
      if (name === "<<" && (isAlias(value) || isSeq(value))) merged.push(this.value(value));
      else if (members.has(name)) throw fault(this.#place(key), `has the key ${JSON.stringify(name)} twice`);
      else members.set(name, this.value(value));
    }
    for (const [name, value] of merged.flat().flatMap((form) => (isObject(form) ? Object.entries(form) : []))) {
      if (!members.has(name)) members.set(name, value);
      this.#count(1);
    }
    return Object.fromEntries(members);
  }

  #key(node: unknown): string {
    const key = isAlias(node) ? this.value(node) : node;
    if (typeof key === "string") return key;
    if (!isScalar(key)) throw fault(this.#place(node), "has a key that is not a text");
    return typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
  }

  #aliased(node: Alias): unknown {
    if (++this.#aliases > this.#limits.yamlAliases) {
      throw fault(this.#place(node), `has more than ${this.#limits.yamlAliases} YAML aliases`);
    }
    const target = this.#anchors.get(node.source);
    if (target === undefined) throw fault(this.#place(node), `names the anchor ${node.source}, which is not there`);
    if (target === "open") throw fault(this.#place(node), `has an alias inside what it stands for: ${node.source}`);
    this.#count(target.parts);
    return target.value;
  }

  #count(parts: number): void {
    this.#parts += parts;
    if (this.#parts > this.#limits.parts) {
      throw fault("", `has more than ${this.#limits.parts} parts once its aliases are written out`);
    }
  }

  #place(node: unknown): string {
    const range = isScalar(node) || isAlias(node) || isMap(node) || isSeq(node) ? node.range : undefined;
    return placeOf(this.#lines, range?.[0] ?? 0);
  }
}

/** JSON has neither NaN nor infinity: they stay what was written. */
function scalar(node: Scalar): unknown {
  const { value } = node;
  if (typeof value === "number" && !Number.isFinite(value)) return node.source ?? null;
  return typeof value === "bigint" ? Number(value) : value;
}
