/** What OpenAPI 3.0 writes otherwise than JSON Schema 2020-12. Its habits are met in 3.1 documents too, and do no harm. */
import type { Form } from "./plain.ts";

type Schema = Record<string, unknown>;

/** In 3.0 these are flags that belong to `minimum` and `maximum`; in place. */
export function translateBounds(raw: Form, schema: Schema): void {
  exclusive(raw, schema, "exclusiveMinimum", "minimum");
  exclusive(raw, schema, "exclusiveMaximum", "maximum");
}

function exclusive(raw: Form, schema: Schema, flag: string, bound: string): void {
  if (raw[flag] !== true || typeof schema[bound] !== "number") return;
  schema[flag] = schema[bound];
  delete schema[bound];
}

/** `nullable` is a type of its own today, and one more value of an enumeration. */
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

/** Pointers into the document would lead nowhere: the names are what the specification allows instead. */
export function translateDiscriminator({ propertyName, mapping }: Form): Form | undefined {
  if (typeof propertyName !== "string") return undefined;
  if (typeof mapping !== "object" || mapping === null) return { propertyName };
  const words = Object.entries(mapping).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const names = words.map(([value, target]) => [value, target.split("/").at(-1)]);
  return { propertyName, mapping: Object.fromEntries(names) };
}
