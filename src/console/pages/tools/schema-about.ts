/** What a flat schema says of itself: title, description, default, examples; and that it has rules that no form shows. */
import { BROKEN } from "./schema-flat.ts";
import { listOf, type Schema } from "./schema-merge.ts";
import type { About } from "./shape.ts";

/** Rules between members, or that rule something out. */
const FURTHER: readonly string[] = [
  "not",
  "if",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "propertyNames",
  "contains",
  "unevaluatedProperties",
  "unevaluatedItems",
  "minProperties",
  "maxProperties",
];

export const NOTHING_SAID: About = { examples: [], deprecated: false, nullable: false, furtherRules: false };

export function aboutOf(schema: Schema): About {
  return {
    title: textAt(schema, "title"),
    description: textAt(schema, "description"),
    default: schema["default"],
    examples: [...listOf(schema["examples"]), ...("example" in schema ? [schema["example"]] : [])],
    deprecated: schema["deprecated"] === true,
    nullable: false,
    furtherRules: FURTHER.some((rule) => Object.hasOwn(schema, rule)),
    broken: textAt(schema, BROKEN),
  };
}

export function textAt(schema: Schema, key: string): string | undefined {
  const text = schema[key];
  return typeof text === "string" && text !== "" ? text : undefined;
}

export function numberAt(schema: Schema, key: string): number | undefined {
  const number = schema[key];
  return typeof number === "number" ? number : undefined;
}
