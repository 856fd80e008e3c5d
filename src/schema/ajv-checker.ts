/**
 * Checks arguments against the schemas of strangers. A schema is compiled once for its content, however often it is
 * listed again; the number of compiled ones is bounded. Whatever cannot be checked safely (too large, no schema, out of
 * steps, any exception) counts as fitting, and is told once per schema: the source checks its own arguments in the end.
 */
import { createHash } from "node:crypto";
import type { ValidateFunction } from "ajv/dist/2020.js";
import type { ArgumentIssue, SchemaChecker } from "../core/ports.ts";
import type { Language } from "../messages/catalogue.ts";
import type { Member } from "../protocol/json/scan.ts";
import { type ClosedSchema, closeSchema, Unchecked } from "./closed-schema.ts";
import { issuesOf, shown } from "./issues.ts";
import { LinearPatterns } from "./linear-pattern.ts";
import { asPlain, isPlainlyCoercible, isPlainlyFit, type PlainSchema, plainIssues } from "./plain-schema.ts";
import { isLarge, OutOfSteps, StepBudget } from "./step-budget.ts";
import { compile } from "./validator.ts";

const MAX_TEXT_BYTES = 64 * 1_024;
const MAX_COMPILED = 5_000;

interface SchemaCheckerOptions {
  /** Told once per schema why it, or a part of it, is not checked. */
  onSkipped(reason: string): void;
}

export function makeSchemaChecker(options: SchemaCheckerOptions): SchemaChecker {
  return new AjvChecker(options);
}

type Schema = Readonly<Record<string, unknown>>;

interface Entry {
  /** Undefined where the schema is not checked. */
  readonly validate: ValidateFunction | undefined;
  /** The same with coercion; made for the first value that does not fit. */
  coercing?: ValidateFunction | undefined;
  told: boolean;
}

const FITS: readonly ArgumentIssue[] = [];

class AjvChecker implements SchemaChecker {
  readonly #options: SchemaCheckerOptions;
  readonly #budget = new StepBudget();
  readonly #patterns = new LinearPatterns((steps) => this.#budget.spend(steps));
  /** Schemas that need no compiler. */
  readonly #plain = new WeakMap<Schema, PlainSchema | undefined>();
  /** Schema → the hash of its content. A schema is taken to be frozen. */
  readonly #hashes = new WeakMap<Schema, string>();
  /** Hash → what was compiled; in the order of use. */
  readonly #entries = new Map<string, Entry>();

  #unreadable = 0;

  constructor(options: SchemaCheckerOptions) {
    this.#options = options;
  }

  surelyFits(schema: Schema, shape: readonly Member[]): boolean {
    const plain = this.#plainOf(schema);
    return plain !== undefined && isPlainlyFit(plain, shape);
  }

  check(schema: Schema, value: unknown, language: Language = "en"): readonly ArgumentIssue[] {
    const plain = this.#plainOf(schema);
    if (plain) return plainIssues(plain, value, language);
    const entry = this.#entryOf(schema);
    const { validate } = entry;
    if (!validate) return FITS;
    try {
      this.#budget.startFor(value);
      return validate(value) ? FITS : issuesOf(validate.errors ?? [], value, language);
    } catch (error) {
      this.#tell(entry, reasonOf(error));
      return FITS;
    } finally {
      // The errors hold the caller's value.
      validate.errors = null;
    }
  }

  fitsCoerced(schema: Schema, value: unknown): boolean {
    const plain = this.#plainOf(schema);
    if (plain) return isPlainlyCoercible(plain, value);
    const entry = this.#entryOf(schema);
    if (!entry.validate) return true;
    try {
      // To be coerced it is copied.
      if (isLarge(value)) return false;
      entry.coercing ??= compile(this.#closed(textOf(schema)), this.#budget, true);
      this.#budget.startFor(value);
      return entry.coercing(structuredClone(value));
    } catch {
      // What cannot be found out counts as not fitting: without coercion it does not.
      return false;
    } finally {
      if (entry.coercing) entry.coercing.errors = null;
    }
  }

  #closed(text: string | undefined): ClosedSchema {
    return closeSchema(parse(text), (pattern, room) => this.#patterns.make(pattern, room));
  }

  #plainOf(schema: Schema): PlainSchema | undefined {
    if (!this.#plain.has(schema)) this.#plain.set(schema, asPlain(schema));
    return this.#plain.get(schema);
  }

  #entryOf(schema: Schema): Entry {
    const hash = this.#hashes.get(schema);
    const known = hash === undefined ? undefined : this.#entries.get(hash);
    if (hash === undefined || !known) return this.#read(schema);
    this.#remember(hash, known);
    return known;
  }

  #read(schema: Schema): Entry {
    const text = textOf(schema);
    // What has no text is known by its identity alone.
    const hash = text === undefined ? `unreadable ${this.#unreadable++}` : hashOf(text);
    this.#hashes.set(schema, hash);
    const entry = this.#entries.get(hash) ?? this.#make(text);
    this.#remember(hash, entry);
    return entry;
  }

  #make(text: string | undefined): Entry {
    try {
      const closed = this.#closed(text);
      const entry: Entry = { validate: compile(closed, this.#budget), told: false };
      const [dropped] = closed.dropped;
      if (dropped !== undefined) this.#tell(entry, `its pattern ${shown(dropped)} cannot be matched safely`);
      return entry;
    } catch (error) {
      const entry = { validate: undefined, told: false };
      this.#tell(entry, reasonOf(error));
      return entry;
    }
  }

  #remember(hash: string, entry: Entry): void {
    this.#entries.delete(hash);
    this.#entries.set(hash, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_COMPILED) return;
      this.#entries.delete(oldest);
    }
  }

  #tell(entry: Entry, reason: string): void {
    if (entry.told) return;
    entry.told = true;
    this.#options.onSkipped(reason);
  }
}

function textOf(schema: Schema): string | undefined {
  try {
    return JSON.stringify(schema);
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

/** A copy that nobody else holds, with nothing in it but JSON. */
function parse(text: string | undefined): Schema {
  if (text === undefined) throw new Unchecked("it cannot be written as JSON");
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) throw new Unchecked(`larger than ${MAX_TEXT_BYTES / 1_024} KiB`);
  const schema: unknown = JSON.parse(text);
  if (typeof schema !== "object" || schema === null) throw new Unchecked("it is not an object");
  return schema as Schema;
}

function reasonOf(error: unknown): string {
  if (error instanceof Unchecked) return error.message;
  if (error instanceof OutOfSteps) return "checking a value took too many steps";
  return error instanceof RangeError ? "it goes too deep" : "it could not be compiled";
}
