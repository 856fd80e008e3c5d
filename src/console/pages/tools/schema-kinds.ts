/** The fields of a schema of one type. */
import { BROKEN } from "./schema-flat.ts";
import { listOf, type Schema } from "./schema-merge.ts";
import type { About, ArrayShape, Bounds, Member, NumberShape, ObjectShape, TextShape } from "./shape.ts";
import { isObject } from "./values.ts";

/** A text that may be longer than this gets several lines. */
const LONG_TEXT = 300;
const LONG_FORMATS: readonly unknown[] = ["textarea", "markdown", "html", "multiline"];

/** What a schema without a type is about, by its rules: each type with the words that only it has. */
const TELLING: readonly (readonly [type: string, keys: readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"]],
  ["string", ["pattern", "minLength", "maxLength", "format", "contentEncoding", "contentMediaType"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** Undefined where it could be anything. */
export function typeMeant(schema: Schema): string | undefined {
  return TELLING.find(([, keys]) => keys.some((key) => Object.hasOwn(schema, key)))?.[0];
}

export function textShape(schema: Schema): TextShape {
  const longest = numberAt(schema, "maxLength");
  const isPage = LONG_FORMATS.includes(schema["format"]) || /^text\//.test(textAt(schema, "contentMediaType") ?? "");
  return {
    kind: "text",
    format: textAt(schema, "format"),
    pattern: textAt(schema, "pattern"),
    shortest: numberAt(schema, "minLength"),
    longest,
    long: isPage || (longest !== undefined && longest >= LONG_TEXT),
  };
}

export function numberShape(schema: Schema, whole: boolean): NumberShape {
  return { kind: "number", whole, step: numberAt(schema, "multipleOf"), ...boundsOf(schema) };
}

/** Open bounds are numbers since draft 6, and before that said that the other is one. */
function boundsOf(schema: Schema): Bounds {
  const [least, above] = [numberAt(schema, "minimum"), numberAt(schema, "exclusiveMinimum")];
  const [most, below] = [numberAt(schema, "maximum"), numberAt(schema, "exclusiveMaximum")];
  const openBelow = schema["exclusiveMinimum"] === true || (above !== undefined && above >= (least ?? above));
  const openAbove = schema["exclusiveMaximum"] === true || (below !== undefined && below <= (most ?? below));
  return {
    least: openBelow ? (above ?? least) : least,
    most: openAbove ? (below ?? most) : most,
    openBelow,
    openAbove,
  };
}

export function objectShape(schema: Schema): ObjectShape {
  const members = membersOf(schema);
  const { additionalProperties: others = true, patternProperties } = schema;
  const patterns = Object.entries(isObject(patternProperties) ? patternProperties : {}).map(([pattern, inner]) => {
    return { pattern, schema: inner };
  });
  // Who says that there are none means it; who says nothing at all means anything.
  const isUnsaid = members.length === 0 && !Object.hasOwn(schema, "properties");
  const isOpen = patterns.length > 0 || isUnsaid || Object.hasOwn(schema, "additionalProperties");
  const isClosed = others === false;
  return {
    kind: "object",
    members,
    patterns,
    others: isClosed ? undefined : others,
    isOpen: isOpen && !(isClosed && patterns.length === 0),
  };
}

/** In the order in which they are written, those that must be given first; what only `required` names can be anything. */
function membersOf(schema: Schema): readonly Member[] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(listOf(schema["required"]).filter((name) => typeof name === "string"));
  const named = Object.entries(properties).flatMap(([name, inner]) => {
    return inner === false ? [] : [{ name, schema: inner, required: required.has(name) }];
  });
  const unsaid = [...required].filter((name) => !Object.hasOwn(properties, name));
  const all = [...named, ...unsaid.map((name) => ({ name, schema: true, required: true }))];
  return [...all.filter((member) => member.required), ...all.filter((member) => !member.required)];
}

/** Tuples are written in two ways: `prefixItems`, or before 2020 `items` as a list. */
export function arrayShape(schema: Schema): ArrayShape {
  const { items, prefixItems, additionalItems } = schema;
  const first = Array.isArray(items) ? items : listOf(prefixItems);
  const rest = (Array.isArray(items) ? additionalItems : items) ?? true;
  return {
    kind: "array",
    first,
    items: rest === false ? undefined : rest,
    fewest: Math.max(0, numberAt(schema, "minItems") ?? 0),
    most: numberAt(schema, "maxItems"),
  };
}

/** Rules between members, or that rule something out. */
const OF_MEMBERS = ["propertyNames", "minProperties", "maxProperties", "unevaluatedProperties", "unevaluatedItems"];
const DEPENDENT = ["dependentRequired", "dependentSchemas", "dependencies"];
const FURTHER: readonly string[] = ["not", "if", "contains", ...DEPENDENT, ...OF_MEMBERS];

/** What a flat schema says of itself: title, description, default, examples; and that it has rules that no form shows. */
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

function numberAt(schema: Schema, key: string): number | undefined {
  const number = schema[key];
  return typeof number === "number" ? number : undefined;
}
