/** What can be told of a value before the hub looks at it: what is missing, and what is no number. The hub knows the rest. */
import { nearNumber } from "../../kit/exact-json.ts";
import type { ArrayShape, NumberShape, ObjectShape, Shape, TextShape } from "./shape.ts";
import type { Shapes } from "./shapes.ts";
import { Draft, idOf, isObject, memberOf, type Path } from "./values.ts";

export type Wrong =
  | { readonly code: "required" | "number" | "whole" | "json" }
  | { readonly code: "least" | "most" | "above" | "below" | "short" | "long" | "few" | "many"; readonly limit: number };

/** By the place of the field. */
export type Problems = ReadonlyMap<string, Wrong>;

export const NO_PROBLEMS: Problems = new Map();

/** How many problems are collected at most. */
const MOST_PROBLEMS = 200;
const MOST_LOOKS = 20_000;

export function problemsIn(shapes: Shapes, schema: unknown, value: unknown): Problems {
  const check = new Check(shapes);
  check.look(schema, value, []);
  return check.found;
}

class Check {
  readonly found = new Map<string, Wrong>();
  readonly #shapes: Shapes;
  #looks = 0;

  constructor(shapes: Shapes) {
    this.#shapes = shapes;
  }

  look(schema: unknown, value: unknown, path: Path): void {
    if (++this.#looks > MOST_LOOKS || this.found.size >= MOST_PROBLEMS) return;
    const shape = this.#shapes.of(schema);
    if (value instanceof Draft) this.#say(path, { code: draftCode(value, shape) });
    else if (shape.kind === "object" && isObject(value)) this.#members(shape, value, path);
    else if (shape.kind === "array" && Array.isArray(value)) this.#items(shape, value, path);
    else if (shape.kind === "variants" || shape.kind === "any") this.#drafts(value, path);
    else this.#say(path, wrongIn(shape, value));
  }

  #members({ members }: ObjectShape, value: object, path: Path): void {
    for (const { name, schema, required } of members) {
      const member = memberOf(value, name);
      if (member !== undefined) this.look(schema, member, [...path, name]);
      else if (required) this.#say([...path, name], { code: "required" });
    }
    const known = new Set(members.map(({ name }) => name));
    for (const [name, other] of Object.entries(value)) if (!known.has(name)) this.#drafts(other, [...path, name]);
  }

  #items({ first, items, fewest, most }: ArrayShape, value: readonly unknown[], path: Path): void {
    if (value.length < fewest) this.#say(path, { code: "few", limit: fewest });
    if (most !== undefined && value.length > most) this.#say(path, { code: "many", limit: most });
    for (const [at, item] of value.entries()) this.look(first[at] ?? items ?? true, item, [...path, at]);
  }

  /** Which variant it is nobody knows for sure; what was not finished is seen all the same. */
  #drafts(value: unknown, path: Path): void {
    if (++this.#looks > MOST_LOOKS) return;
    if (value instanceof Draft) this.#say(path, { code: draftCode(value) });
    else if (Array.isArray(value)) for (const [at, item] of value.entries()) this.#drafts(item, [...path, at]);
    else if (isObject(value)) for (const [name, member] of Object.entries(value)) this.#drafts(member, [...path, name]);
  }

  #say(path: Path, wrong: Wrong | undefined): void {
    if (wrong && this.found.size < MOST_PROBLEMS) this.found.set(idOf(path), wrong);
  }
}

function draftCode({ text }: Draft, shape?: Shape): "required" | "number" | "json" {
  if (text === "") return "required";
  return shape?.kind === "number" ? "number" : "json";
}

function wrongIn(shape: Shape, value: unknown): Wrong | undefined {
  if (shape.kind === "number") return wrongNumber(shape, value);
  return shape.kind === "text" && typeof value === "string" ? wrongText(shape, value) : undefined;
}

function wrongNumber({ whole, least, most, openBelow, openAbove }: NumberShape, value: unknown): Wrong | undefined {
  const number = nearNumber(value);
  if (number === undefined) return value === null ? undefined : { code: "number" };
  if (whole && !Number.isInteger(number)) return { code: "whole" };
  if (least !== undefined && (number < least || (openBelow && number === least))) {
    return { code: openBelow ? "above" : "least", limit: least };
  }
  if (most !== undefined && (number > most || (openAbove && number === most))) {
    return { code: openAbove ? "below" : "most", limit: most };
  }
  return undefined;
}

/** Characters as people count them, and JSON Schema too. */
function wrongText({ shortest, longest }: TextShape, value: string): Wrong | undefined {
  const length = [...value].length;
  if (shortest !== undefined && length < shortest) return { code: "short", limit: shortest };
  return longest !== undefined && length > longest ? { code: "long", limit: longest } : undefined;
}
