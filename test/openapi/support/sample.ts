/**
 * Arguments made of nothing but a tool's input schema, as somebody would who has only read it: what it offers (constants,
 * choices, defaults) before the smallest value that its bounds, formats and patterns allow.
 */
import { textFor } from "./sample-text.ts";

type Schema = Readonly<Record<string, unknown>>;

interface SampleOptions {
  /** Down to where members are given that need not be: 0 for none of them, 1 for arguments, … */
  readonly depth: number;
  /** Which of several alternatives, counted from the first and around. */
  readonly alternative: number;
}

const ALTERNATIVES = 8;

/** Every sample that is worth a try, in the order of these depths. */
export function* samplesOf(schema: Schema, depths: readonly number[]): Generator<unknown> {
  for (const depth of depths) {
    for (let alternative = 0; alternative < ALTERNATIVES; alternative++) {
      yield new Sampler(schema, { depth, alternative }).value(schema, 0);
    }
  }
}

class Sampler {
  readonly #definitions: Schema;
  readonly #options: SampleOptions;

  constructor(root: Schema, options: SampleOptions) {
    this.#definitions = formOf(root["$defs"]);
    this.#options = options;
  }

  value(written: unknown, depth: number, index = 0): unknown {
    const schema = this.#merged(written, depth);
    if (Object.hasOwn(schema, "const")) return schema["const"];
    const choices = listOf(schema["enum"]).filter((choice) => choice !== null);
    if (choices.length > 0) return choices[index % choices.length];
    if (listOf(schema["enum"]).length > 0) return null;
    if (Object.hasOwn(schema, "default") && index === 0 && schema["default"] !== null) return schema["default"];
    return this.#ofType(typeOf(schema), schema, depth, index);
  }

  #ofType(type: string, schema: Schema, depth: number, index: number): unknown {
    if (type === "object") return this.#object(schema, depth);
    if (type === "array") return this.#array(schema, depth);
    if (type === "boolean") return index % 2 === 0;
    if (type === "null") return null;
    return type === "string" ? textFor(schema, index) : numberFor(schema, type === "integer", index);
  }

  #object(schema: Schema, depth: number): Schema {
    const properties = Object.entries(formOf(schema["properties"]));
    const required = new Set(listOf(schema["required"]));
    const wantsAll = depth < this.#options.depth;
    const members = properties.filter(([name, each]) => required.has(name) || (wantsAll && each !== false));
    const entries = members.map(([name, each]) => [name, this.value(each, depth + 1)] as const);
    const unnamed = [...required].filter((name) => !properties.some(([known]) => known === name));
    return { ...Object.fromEntries(entries), ...this.#more(schema, depth, unnamed.map(String), entries.length) };
  }

  /** Members that have no name in the schema: as many as are asked for, and one where any is welcome. */
  #more(schema: Schema, depth: number, names: readonly string[], count: number): Schema {
    const more = schema["additionalProperties"];
    const isWelcome = isForm(more) && depth < this.#options.depth && count === 0;
    const wanted = Math.max(isWelcome ? 1 : 0, numberOf(schema["minProperties"], 0) - count);
    const made = Array.from({ length: Math.max(0, wanted - names.length) }, (_, i) => this.#name(schema, i));
    return Object.fromEntries([...names, ...made].map((name) => [name, this.value(more, depth + 1)]));
  }

  #name(schema: Schema, index: number): string {
    const [pattern] = Object.keys(formOf(schema["patternProperties"]));
    return textFor({ ...(pattern !== undefined && { pattern }), ...formOf(schema["propertyNames"]) }, index);
  }

  #array(schema: Schema, depth: number): unknown[] {
    const first = listOf(schema["prefixItems"]);
    // An empty list in a query is nothing at all.
    const wanted = depth <= 1 || depth < this.#options.depth ? 1 : 0;
    const length = Math.max(numberOf(schema["minItems"], 0), first.length, wanted);
    const most = Math.min(length, numberOf(schema["maxItems"], length));
    return Array.from({ length: most }, (_, i) => this.value(first[i] ?? schema["items"], depth + 1, i));
  }

  /** What a reference stands for, with all its parts and one of its alternatives in one. */
  #merged(written: unknown, depth: number): Schema {
    let schema = formOf(written);
    for (let hops = 0; typeof schema["$ref"] === "string" && hops < 20; hops++) {
      const { $ref, ...beside } = schema;
      schema = { ...formOf(this.#definitions[String($ref).split("/").at(-1) ?? ""]), ...beside };
    }
    const { allOf, anyOf, oneOf, ...own } = schema;
    const parts = listOf(allOf).map((part) => this.#merged(part, depth));
    const chosen = [anyOf, oneOf].flatMap((ways) => this.#chosen(listOf(ways), depth));
    return [...parts, ...chosen].reduce<Schema>(together, own);
  }

  #chosen(ways: readonly unknown[], depth: number): Schema[] {
    const real = ways.filter((way) => formOf(way)["type"] !== "null");
    // Deep inside, a simple way out is better than one that leads in again.
    const isDeep = depth > this.#options.depth + 1;
    const usable = isDeep ? real.toSorted((one, other) => weight(one) - weight(other)) : real;
    const way = usable[isDeep ? 0 : this.#options.alternative % usable.length];
    return way === undefined ? [] : [this.#merged(way, depth)];
  }
}

function together(one: Schema, other: Schema): Schema {
  const properties = { ...formOf(one["properties"]), ...formOf(other["properties"]) };
  const required = [...new Set([...listOf(one["required"]), ...listOf(other["required"])])];
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function typeOf(schema: Schema): string {
  const named = [schema["type"]].flat().find((type) => typeof type === "string" && type !== "null");
  if (typeof named === "string") return named;
  if (["properties", "additionalProperties", "required"].some((keyword) => keyword in schema)) return "object";
  if ("items" in schema || "prefixItems" in schema) return "array";
  if ("minimum" in schema || "maximum" in schema) return "number";
  return schema["type"] === "null" ? "null" : "string";
}

function numberFor(schema: Schema, isWhole: boolean, index: number): number {
  const step = numberOf(schema["multipleOf"], isWhole ? 1 : 0.5);
  const above = numberOf(schema["exclusiveMinimum"], Number.NEGATIVE_INFINITY);
  const least = Math.max(numberOf(schema["minimum"], Number.NEGATIVE_INFINITY), above);
  const most = Math.min(numberOf(schema["maximum"], Infinity), numberOf(schema["exclusiveMaximum"], Infinity));
  const start = Number.isFinite(least) ? Math.ceil(least / step) * step : Math.min(1, Math.floor(most / step) * step);
  const first =
    start === above || start === schema["exclusiveMaximum"] ? start + (start === above ? step : -step) : start;
  return first + index * step;
}

function weight(way: unknown): number {
  return JSON.stringify(way).length;
}

function isForm(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function formOf(value: unknown): Schema {
  return isForm(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
