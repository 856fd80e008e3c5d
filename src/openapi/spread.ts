/** An object's schema taken apart into its members, where it says nothing that they could not say one by one. */
import { isObject } from "../contract/rules.ts";
import { type Form, formAt, listAt, member } from "./plain.ts";
import type { References } from "./references.ts";
import type { StepCount } from "./steps.ts";

export interface Spread {
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
}

/** What speaks of the object as a whole. */
const WHOLE = [
  "oneOf",
  "anyOf",
  "not",
  "if",
  "enum",
  "const",
  "minProperties",
  "maxProperties",
  "patternProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedProperties",
  "items",
];
const MOST_DEPTH = 8;
const MOST_PARTS = 50;
const MOST_MEMBERS = 500;

/** Undefined where it has to stay one value. */
export function spread(
  raw: unknown,
  { references, steps, where }: { references: References; steps: StepCount; where: string },
): Spread | undefined {
  const properties = new Map<string, unknown>();
  const required = new Set<string>();
  let parts = 0;
  let isClosed = false;
  const gather = (part: unknown, depth: number): boolean => {
    const schema = references.follow(part, where).value;
    if (!isObject(schema) || depth > MOST_DEPTH || ++parts > MOST_PARTS || !isPlainObject(schema)) return false;
    const members = Object.entries(formAt(schema, "properties"));
    steps.add(members.length);
    if (members.length > MOST_MEMBERS) return false;
    for (const [name, each] of members) {
      // Said twice, both would have to hold.
      if (properties.has(name)) return false;
      properties.set(name, each);
    }
    isClosed ||= member(schema, "additionalProperties") === false;
    for (const name of listAt(schema, "required")) if (typeof name === "string") required.add(name);
    return listAt(schema, "allOf").every((each) => gather(each, depth + 1));
  };
  if (!gather(raw, 0) || properties.size === 0) return undefined;
  // Some insist on a member that they forgot to describe: it has to be sent all the same.
  for (const name of isClosed ? [] : required) if (!properties.has(name)) properties.set(name, {});
  return { properties, required };
}

/** Members beyond those named would have no argument to come from. */
function isPlainObject(schema: Form): boolean {
  if (WHOLE.some((keyword) => Object.hasOwn(schema, keyword))) return false;
  const more = member(schema, "additionalProperties");
  const type = member(schema, "type");
  const isObject = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  return isObject && (more === undefined || more === false);
}
