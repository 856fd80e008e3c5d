/**
 * Turns the schema of a stranger into one of our own making: only keywords that we know, each with a value of the right
 * kind, every reference resolved into a local table, no identifiers, older drafts translated, and a step count in every
 * subschema. What the compiler gets can neither surprise it nor reach anything outside. Refuses (`Unchecked`) what is
 * no schema, what is too large, and what refers to anything that is not in it.
 */
import { isObject } from "../contract/rules.ts";
import { type Closed, type ClosedObject, DISTINCT, KINDS, type Kind, STEPS, TYPES } from "./keywords.ts";
import { type LinearPattern, MAX_PROGRAMS_PER_SCHEMA } from "./linear-pattern.ts";
import { LocalReferences } from "./local-references.ts";
import { loosen } from "./loosen.ts";

const MAX_DEPTH = 32;
/**
 * How much compiling a schema may be, in microseconds of processor time on an ordinary machine: nobody else is served
 * meanwhile. About 270 members of one type each.
 */
const MAX_WORK = 15_000;
const WORK = {
  subschema: 30,
  keyword: 25,
  /** A function of its own. */
  definition: 250,
  /** Goes over all members of a value. */
  loop: 60,
  dependency: 50,
  pattern: 80,
  /** Every other subschema has to keep account of what it has looked at. */
  unevaluated: 2.5,
};

const LOOPS = new Set(["propertyNames", "additionalProperties", "patternProperties", "unevaluatedProperties"]);

/** Why a schema is not checked at all. */
export class Unchecked extends Error {
  override readonly name = "Unchecked";
}

export interface ClosedSchema {
  readonly schema: ClosedObject;
  readonly patterns: ReadonlyMap<string, LinearPattern>;
  /** Patterns that are not enforced. */
  readonly dropped: readonly string[];
}

/** `room`: how large the compiled pattern may be. */
type MakePattern = (pattern: string, room: number) => LinearPattern | undefined;
type Json = Readonly<Record<string, unknown>>;

/** `schema` must come fresh from JSON. */
export function closeSchema(schema: Json, makePattern: MakePattern): ClosedSchema {
  return new Closer(schema, makePattern).close();
}

class Closer {
  readonly #makePattern: MakePattern;
  readonly #references: LocalReferences;
  /** In drafts up to 7 a reference stands alone: what is written beside it does not count. */
  readonly #referencesStandAlone: boolean;
  readonly #patterns = new Map<string, LinearPattern>();
  readonly #dropped = new Set<string>();
  readonly #inexact = new Set<ClosedObject>();
  /** Those of the inexact ones that do not know all names of their own members. */
  readonly #unsureOfNames = new Set<ClosedObject>();
  readonly #definitions = new Map<unknown, string>();
  readonly #unresolved: [unknown, string][] = [];
  #work = 0;
  #workFactor = 1;
  #patternRoom = MAX_PROGRAMS_PER_SCHEMA;

  constructor(root: Json, makePattern: MakePattern) {
    this.#makePattern = makePattern;
    this.#references = new LocalReferences(root);
    this.#referencesStandAlone = /draft-0[3-7]/.test(String(root["$schema"] ?? ""));
  }

  close(): ClosedSchema {
    const definitions: Record<string, Closed> = {};
    const schema: ClosedObject = { $ref: this.#reference("#"), $defs: definitions };
    for (let next = this.#unresolved.pop(); next; next = this.#unresolved.pop()) {
      definitions[next[1]] = this.#schema(next[0], 0);
    }
    loosen(schema, this.#inexact, this.#unsureOfNames);
    return { schema, patterns: this.#patterns, dropped: [...this.#dropped] };
  }

  #schema(raw: unknown, depth: number): Closed {
    if (typeof raw === "boolean") return raw;
    if (!isObject(raw)) throw new Unchecked("a subschema is neither an object nor a boolean");
    if (depth > MAX_DEPTH) throw new Unchecked(`deeper than ${MAX_DEPTH} levels`);
    this.#spend(WORK.subschema);
    const source = this.#translate(raw);
    const out: ClosedObject = {};
    for (const [keyword, value] of Object.entries(source)) {
      const kind = KINDS.get(keyword);
      if (!kind) continue;
      this.#spend(WORK.keyword);
      this.#keyword(keyword, kind, value, out, depth);
    }
    // A schema that says nothing stays a plain "yes": the compiler leaves it out.
    if (Object.keys(out).length === 0 && !this.#inexact.has(out)) return true;
    out[STEPS] = weigh(out);
    return out;
  }

  #spend(work: number): void {
    this.#work += work;
    if (this.#work * this.#workFactor > MAX_WORK) throw new Unchecked("it would take too long to compile");
  }

  #keyword(keyword: string, kind: Kind, value: unknown, out: ClosedObject, depth: number): void {
    if (keyword.startsWith("unevaluated")) this.#unevaluated();
    if (LOOPS.has(keyword)) this.#spend(WORK.loop);
    if (kind === "schema") out[keyword] = this.#schema(value, depth + 1);
    else if (kind === "schemas") out[keyword] = filled(keyword, value).map((one) => this.#schema(one, depth + 1));
    else if (keyword === "patternProperties") this.#patternProperties(value, out, depth);
    else if (kind === "schema map") out[keyword] = mapped(keyword, value, (one) => this.#schema(one, depth + 1));
    else if (kind === "names map") out[keyword] = this.#dependencies(keyword, value);
    else if (kind === "names") out[keyword] = names(keyword, value);
    else if (kind === "number") out[keyword] = need(keyword, value, Number.isFinite(value));
    else if (kind === "count") out[keyword] = need(keyword, value, Number.isInteger(value) && (value as number) >= 0);
    else if (kind === "value") out[keyword] = value;
    else this.#special(keyword, value, out);
  }

  #unevaluated(): void {
    this.#workFactor = WORK.unevaluated;
    this.#spend(0);
  }

  #dependencies(keyword: string, value: unknown): Record<string, string[]> {
    return mapped(keyword, value, (one) => {
      this.#spend(WORK.dependency);
      return names(keyword, one);
    });
  }

  #special(keyword: string, value: unknown, out: ClosedObject): void {
    if (keyword === "enum") out[keyword] = filled(keyword, value);
    else if (keyword === "multipleOf")
      out[keyword] = need(keyword, value, Number.isFinite(value) && (value as number) > 0);
    else if (keyword === "uniqueItems") {
      if (need(keyword, value, typeof value === "boolean")) out[DISTINCT] = true;
    } else if (keyword === "type") {
      const types = Array.isArray(value) ? value : [value];
      out[keyword] = need(keyword, types, types.length > 0 && types.every((type) => TYPES.has(type)));
    } else if (keyword === "pattern") this.#pattern(text(keyword, value), out);
    else if (keyword === "format") this.#inexact.add(out);
    else out["$ref"] = this.#reference(text(keyword, value));
  }

  #pattern(pattern: string, out: ClosedObject): void {
    if (this.#accepts(pattern)) out["pattern"] = pattern;
    else this.#inexact.add(out);
  }

  #patternProperties(value: unknown, out: ClosedObject, depth: number): void {
    const all = mapped("patternProperties", value, (one) => this.#schema(one, depth + 1));
    const kept = Object.entries(all).filter(([pattern]) => this.#accepts(pattern));
    if (kept.length > 0) out["patternProperties"] = Object.fromEntries(kept);
    if (kept.length === Object.keys(all).length) return;
    // Nobody can tell now which members are additional ones.
    this.#inexact.add(out);
    this.#unsureOfNames.add(out);
  }

  #accepts(pattern: string): boolean {
    if (this.#patterns.has(pattern)) return true;
    this.#spend(WORK.pattern);
    const made = this.#dropped.has(pattern) ? undefined : this.#makePattern(pattern, this.#patternRoom);
    // Finding out that it is none is work as well.
    this.#patternRoom -= made?.size ?? pattern.length;
    if (made) this.#patterns.set(pattern, made);
    else this.#dropped.add(pattern);
    return made !== undefined;
  }

  #reference(reference: string): string {
    const target = this.#references.resolve(reference);
    if (target === undefined) throw new Unchecked("it refers to something that is not in it");
    // A boolean has no identity to be known by again.
    const known = isObject(target) ? this.#definitions.get(target) : undefined;
    if (known) return `#/$defs/${known}`;
    this.#spend(WORK.definition);
    const name = `d${this.#definitions.size}`;
    this.#definitions.set(isObject(target) ? target : name, name);
    this.#unresolved.push([target, name]);
    return `#/$defs/${name}`;
  }

  /** Older drafts and OpenAPI, in the words of 2020-12. */
  #translate(raw: Json): Json {
    if (this.#referencesStandAlone && typeof raw["$ref"] === "string") return { $ref: raw["$ref"] };
    const { nullable, dependencies, additionalItems, ...rest } = raw;
    const out: Record<string, unknown> = rest;
    if (Array.isArray(out["items"])) {
      const tuple = out["items"];
      delete out["items"];
      if (tuple.length > 0) out["prefixItems"] = tuple;
      if (additionalItems !== undefined) out["items"] = additionalItems;
    }
    if (nullable === true && typeof out["type"] === "string") out["type"] = [out["type"], "null"];
    if (dependencies !== undefined) addDependencies(dependencies, out);
    translateExclusive(out, "exclusiveMinimum", "minimum");
    translateExclusive(out, "exclusiveMaximum", "maximum");
    return out;
  }
}

function addDependencies(dependencies: unknown, out: Record<string, unknown>): void {
  const entries = Object.entries(mapped("dependencies", dependencies, (one) => one));
  const [lists, schemas] = [true, false].map((list) => entries.filter(([, value]) => Array.isArray(value) === list));
  const add = (keyword: string, found: [string, unknown][] | undefined) => {
    if (found?.length) out[keyword] = { ...(out[keyword] as object | undefined), ...Object.fromEntries(found) };
  };
  add("dependentRequired", lists);
  add("dependentSchemas", schemas);
}

/** Draft 4 wrote `"minimum": 5, "exclusiveMinimum": true`. */
function translateExclusive(out: Record<string, unknown>, exclusive: string, inclusive: string): void {
  const flag = out[exclusive];
  if (typeof flag !== "boolean") return;
  delete out[exclusive];
  if (!flag || out[inclusive] === undefined) return;
  out[exclusive] = out[inclusive];
  delete out[inclusive];
}

/** What one look at a value costs by the keywords of this level alone. */
function weigh(schema: ClosedObject): number {
  let weight = 1;
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = KINDS.get(keyword);
    if (kind === "schema map") weight += Object.keys(value as object).length;
    else if (keyword === "enum" || keyword === "const" || kind === "names" || kind === "names map") {
      weight += JSON.stringify(value).length >> 4;
    }
  }
  return weight;
}

function need<T>(keyword: string, value: T, right: boolean): T {
  if (!right) throw new Unchecked(`the value of "${keyword}" is not a valid one`);
  return value;
}

function text(keyword: string, value: unknown): string {
  return need(keyword, value, typeof value === "string") as string;
}

function filled(keyword: string, value: unknown): unknown[] {
  return need(keyword, value, Array.isArray(value) && value.length > 0) as unknown[];
}

function names(keyword: string, value: unknown): string[] {
  return need(keyword, value, Array.isArray(value) && value.every((one) => typeof one === "string")) as string[];
}

/** The name `__proto__` is left out: as a member of a plain object it would be something else. */
function mapped<T>(keyword: string, value: unknown, change: (one: unknown) => T): Record<string, T> {
  const entries = Object.entries(need(keyword, value, isObject(value)) as Json);
  return Object.fromEntries(entries.filter(([name]) => name !== "__proto__").map(([name, one]) => [name, change(one)]));
}
