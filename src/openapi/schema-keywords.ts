/**
 * The keywords of an OpenAPI schema, and what each becomes in JSON Schema 2020-12. A keyword that is in no table here is
 * left out.
 */
import { isObject } from "../contract/rules.ts";
import type { Form } from "./lookup.ts";

/** Keywords whose value is one schema. */
export const SCHEMA: ReadonlySet<string> = new Set([
  "items",
  "additionalProperties",
  "not",
  "contains",
  "propertyNames",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
/** Keywords whose value is a list of schemas. */
export const SCHEMAS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Keywords whose value is an object of schemas by name. */
export const NAMED_SCHEMAS: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"]);

const isNumber = (value: unknown) => typeof value === "number";
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const isText = (value: unknown) => typeof value === "string";
const isFlag = (value: unknown) => typeof value === "boolean";

const isListOfTexts = (value: unknown) =>
  Array.isArray(value) && new Set(value).size === value.length && value.every(isText);

/** Keywords with plain values, and the type each must have: a value of another type would make the whole schema unreadable. */
export const PLAIN: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ...["minimum", "maximum"].map((keyword) => [keyword, isNumber] as const),
  ["multipleOf", (value: unknown) => typeof value === "number" && value > 0],
  ...["exclusiveMinimum", "exclusiveMaximum"].map((keyword) => [keyword, isNumber] as const),
  ...["minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"].map(
    (keyword) => [keyword, isCount] as const,
  ),
  ...["minProperties", "maxProperties"].map((keyword) => [keyword, isCount] as const),
  ...["format", "contentEncoding", "contentMediaType"].map((keyword) => [keyword, isText] as const),
  ...["uniqueItems", "deprecated", "readOnly", "writeOnly"].map((keyword) => [keyword, isFlag] as const),
  ["enum", (value: unknown) => Array.isArray(value) && value.length > 0],
  ["const", () => true],
  ["dependentRequired", (value: unknown) => isObject(value) && Object.values(value).every(isListOfTexts)],
]);

const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** Undefined where nothing is left of it: `any` and `file` are written often, and mean nothing. */
export function typeOf(written: unknown): string | readonly string[] | undefined {
  const types = (Array.isArray(written) ? written : [written]).map((type) => (type === null ? "null" : type));
  const known = [...new Set(types)].filter((type) => TYPES.has(type)) as string[];
  if (known.length === 0 || written === undefined) return undefined;
  return known.length === 1 ? known[0] : known;
}

type Schema = Record<string, unknown>;

/**
 * `exclusiveMinimum` and `exclusiveMaximum` are flags in OpenAPI 3.0, which belong to `minimum` and `maximum`; in place.
 * What 3.0 writes differently is met in 3.1 documents too, and translating it there does no harm.
 */
export function translateBounds(raw: Form, schema: Schema): void {
  exclusive(raw, schema, "exclusiveMinimum", "minimum");
  exclusive(raw, schema, "exclusiveMaximum", "maximum");
}

function exclusive(raw: Form, schema: Schema, flag: string, bound: string): void {
  if (raw[flag] !== true || typeof schema[bound] !== "number") return;
  schema[flag] = schema[bound];
  delete schema[bound];
}

/** The `nullable` of OpenAPI 3.0: null is one more type, and one more value of an enumeration. */
export function translateNullable(raw: Form, schema: Schema): Schema {
  if (raw["nullable"] !== true) return schema;
  const { type } = schema;
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(null)) schema["enum"] = [...schema["enum"], null];
  if (type !== undefined) schema["type"] = [...new Set([type].flat().concat("null"))];
  if (!["$ref", "allOf", "oneOf", "anyOf"].some((keyword) => keyword in schema)) return schema;
  // Nothing inside need accept null, so it stands beside; what describes stays outside, where it is seen.
  const { description, title, default: fallback, ...inner } = schema;
  const outer = Object.entries({ title, description, default: fallback }).filter(([, value]) => value !== undefined);
  if (type !== undefined) inner["type"] = type;
  return { ...Object.fromEntries(outer), anyOf: [inner, { type: "null" }] };
}

/** The mapping's pointers into the document become schema names, which the specification allows as well: the document is not handed on. */
export function translateDiscriminator({ propertyName, mapping }: Form): Form | undefined {
  if (typeof propertyName !== "string") return undefined;
  if (typeof mapping !== "object" || mapping === null) return { propertyName };
  const words = Object.entries(mapping).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const names = words.map(([value, target]) => [value, target.split("/").at(-1)]);
  return { propertyName, mapping: Object.fromEntries(names) };
}

const RULING_OUT = [
  "not",
  "if",
  "then",
  "else",
  "contains",
  "minContains",
  "maxContains",
  "unevaluatedProperties",
  "unevaluatedItems",
];

/**
 * Weakens a schema of which parts are known by their type alone; in place. Such parts match too much, and no value may be
 * refused for that: "exactly one" becomes "one or more", and keywords that count or rule out are removed.
 */
export function loosen(schema: Record<string, unknown>): void {
  const { oneOf, anyOf, allOf } = schema;
  for (const keyword of RULING_OUT) delete schema[keyword];
  if (oneOf === undefined) return;
  delete schema["oneOf"];
  if (anyOf === undefined) schema["anyOf"] = oneOf;
  else schema["allOf"] = [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }];
}

const LONGEST_PATTERN = 5_000;
const MUST_BE_ESCAPED = /[\^$\\.*+?()[\]{}|/]/;

/**
 * A pattern as JSON Schema wants it: ECMAScript with the Unicode flag, with which clients compile it. Many are written for
 * other engines. What means the same in ours is rewritten; for anything else the result is undefined, since one pattern
 * that does not compile would make the whole schema unreadable.
 */
export function fitPattern(written: string): string | undefined {
  if (written.length > LONGEST_PATTERN) return undefined;
  if (isValid(written)) return written;
  const rewritten = rewrite(written);
  return isValid(rewritten) ? rewritten : undefined;
}

/** The members of `patternProperties` whose patterns compile. */
export function withFitNames(values: Form): (readonly [string, unknown])[] {
  return Object.entries(values).flatMap(([pattern, raw]) => {
    const fit = fitPattern(pattern);
    return fit === undefined ? [] : [[fit, raw] as const];
  });
}

function isValid(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

/** Without escapes that nothing needs (`\_`), and with a hyphen behind a class that is meant as a hyphen (`[\w-.]`). */
function rewrite(pattern: string): string {
  let isInSet = false;
  return pattern.replace(/\\(.)|[[\]]|-/gs, (whole, escaped: string | undefined, at: number) => {
    if (whole === "[") isInSet = true;
    if (whole === "]") isInSet = false;
    if (whole === "-") return isInSet && isBesideClass(pattern, at) ? "\\-" : whole;
    if (escaped === undefined || /[A-Za-z0-9]/.test(escaped) || MUST_BE_ESCAPED.test(escaped)) return whole;
    return escaped === "-" && isInSet ? whole : escaped;
  });
}

function isBesideClass(pattern: string, at: number): boolean {
  return (
    /\\[dDsSwW]$/.test(pattern.slice(Math.max(0, at - 2), at)) || /^\\[dDsSwW]/.test(pattern.slice(at + 1, at + 3))
  );
}
