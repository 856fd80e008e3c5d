/** A schema of which parts are known by their type alone. */

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
 * What is known by its type alone fits too much, and nothing may be refused for that: "exactly one" becomes "one or more",
 * and what counts or rules out goes; in place.
 */
export function loosen(schema: Record<string, unknown>): void {
  const { oneOf, anyOf, allOf } = schema;
  for (const keyword of RULING_OUT) delete schema[keyword];
  if (oneOf === undefined) return;
  delete schema["oneOf"];
  if (anyOf === undefined) schema["anyOf"] = oneOf;
  else schema["allOf"] = [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }];
}
