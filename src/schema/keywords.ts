/** The keywords of JSON Schema that say something about a value, and what kind of thing stands behind each. */

/** A schema as the compiler gets it: see `closed-schema.ts`. */
export type Closed = boolean | ClosedObject;
export type ClosedObject = Record<string, unknown>;

/** The keyword that counts the steps of a check. */
export const STEPS = "x-steps";
/** Our `uniqueItems`: its time grows with the size of the array, not with the square. */
export const DISTINCT = "x-distinct";

export type Kind =
  | "schema"
  | "schemas"
  | "schema map"
  | "number"
  | "count"
  | "names"
  | "names map"
  | "value"
  | "special";

export const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["additionalProperties", "schema"],
  ["propertyNames", "schema"],
  ["unevaluatedProperties", "schema"],
  ["unevaluatedItems", "schema"],
  ["contains", "schema"],
  ["not", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
  ["items", "schema"],
  ["allOf", "schemas"],
  ["anyOf", "schemas"],
  ["oneOf", "schemas"],
  ["prefixItems", "schemas"],
  ["properties", "schema map"],
  ["patternProperties", "schema map"],
  ["dependentSchemas", "schema map"],
  ["minimum", "number"],
  ["maximum", "number"],
  ["exclusiveMinimum", "number"],
  ["exclusiveMaximum", "number"],
  ["minLength", "count"],
  ["maxLength", "count"],
  ["minItems", "count"],
  ["maxItems", "count"],
  ["minProperties", "count"],
  ["maxProperties", "count"],
  ["minContains", "count"],
  ["maxContains", "count"],
  ["required", "names"],
  ["dependentRequired", "names map"],
  ["const", "value"],
  ["enum", "special"],
  ["type", "special"],
  ["pattern", "special"],
  ["format", "special"],
  ["multipleOf", "special"],
  ["uniqueItems", "special"],
  ["dependencies", "special"],
  ["$ref", "special"],
  ["$dynamicRef", "special"],
  ["$recursiveRef", "special"],
]);

export const TYPES: ReadonlySet<unknown> = new Set([
  "object",
  "array",
  "string",
  "number",
  "integer",
  "boolean",
  "null",
]);

/** The schemas right below one, references left out. */
export function* childrenOf(schema: ClosedObject): Generator<Closed, void> {
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = KINDS.get(keyword);
    if (kind === "schema") yield value as Closed;
    else if (kind === "schemas") yield* value as Closed[];
    else if (kind === "schema map") yield* Object.values(value as Record<string, Closed>);
  }
}
