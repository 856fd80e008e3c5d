/** The keywords of a schema that are passed on, by what stands behind each. What is not in a table is left out. */
import { isObject } from "../contract/rules.ts";

/** One schema behind it. */
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
/** A list of schemas. */
export const SCHEMAS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Schemas by name. */
export const NAMED_SCHEMAS: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"]);

const isNumber = (value: unknown) => typeof value === "number";
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const isText = (value: unknown) => typeof value === "string";
const isFlag = (value: unknown) => typeof value === "boolean";

const isListOfTexts = (value: unknown) =>
  Array.isArray(value) && new Set(value).size === value.length && value.every(isText);

/** What is written in another type than it must have says nothing, and would make the whole schema unreadable. */
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
