/** Two schemas as one in which both hold, as far as a form can show that. What the first says of itself counts. */
import { isEqual, isObject, type JsonObject } from "./values.ts";

export type Schema = JsonObject;

type Merge = (one: unknown, other: unknown) => unknown;

const MERGES: Readonly<Record<string, Merge>> = Object.assign(Object.create(null), {
  properties: mergeMembers,
  patternProperties: mergeMembers,
  required: mergeNames,
  type: commonTypes,
  enum: commonChoices,
  items: mergeInner,
  additionalProperties: mergeInner,
  ...each(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"], larger),
  ...each(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"], smaller),
} satisfies Record<string, Merge>);

/** Alternatives; of two sets of them, the second has to wait until one of the first was chosen. */
const UNIONS: readonly string[] = ["oneOf", "anyOf"];

/** `false` where both cannot hold. */
export function mergeTwo(one: Schema, other: Schema): Schema | false {
  const merged: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    if (isUnionTooMany(merged, key, value)) merged["allOf"] = [...listOf(merged["allOf"]), { [key]: value }];
    else if (key === "allOf") merged["allOf"] = [...listOf(merged["allOf"]), ...listOf(value)];
    else if (!Object.hasOwn(merged, key)) merged[key] = value;
    else merged[key] = MERGES[key]?.(merged[key], value) ?? merged[key];
  }
  return isContradiction(one, other, merged) ? false : merged;
}

function isUnionTooMany(merged: Schema, key: string, value: unknown): boolean {
  if (!UNIONS.includes(key)) return false;
  return UNIONS.some((union) => Object.hasOwn(merged, union)) && merged[key] !== value;
}

function isContradiction(one: Schema, other: Schema, merged: Schema): boolean {
  const isOtherConst =
    Object.hasOwn(one, "const") && Object.hasOwn(other, "const") && !isEqual(one["const"], other["const"]);
  return isOtherConst || isEmptyList(merged["type"]) || isEmptyList(merged["enum"]);
}

function mergeMembers(one: unknown, other: unknown): unknown {
  if (!isObject(one) || !isObject(other)) return isObject(one) ? one : other;
  const more = Object.entries(other).map(([name, schema]) => {
    return [name, Object.hasOwn(one, name) ? mergeInner(one[name], schema) : schema];
  });
  return { ...one, ...Object.fromEntries(more) };
}

/** Made flat when it is looked at. */
function mergeInner(one: unknown, other: unknown): unknown {
  if (one === other || other === true) return one;
  if (one === true) return other;
  return one === false || other === false ? false : { allOf: [one, other] };
}

function mergeNames(one: unknown, other: unknown): unknown {
  return [...new Set([...listOf(one), ...listOf(other)])];
}

function commonTypes(one: unknown, other: unknown): unknown {
  const [first, second] = [typesOf(one), typesOf(other)];
  const common = first.filter((type) => second.includes(type) || (type === "integer" && second.includes("number")));
  const narrowed = second.filter((type) => type === "integer" && first.includes("number") && !common.includes(type));
  return [...common, ...narrowed];
}

function commonChoices(one: unknown, other: unknown): unknown {
  return listOf(one).filter((choice) => listOf(other).some((possible) => isEqual(choice, possible)));
}

function larger(one: unknown, other: unknown): unknown {
  return typeof one === "number" && typeof other === "number" ? Math.max(one, other) : undefined;
}

function smaller(one: unknown, other: unknown): unknown {
  return typeof one === "number" && typeof other === "number" ? Math.min(one, other) : undefined;
}

export function typesOf(type: unknown): readonly unknown[] {
  return Array.isArray(type) ? type : type === undefined ? [] : [type];
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function each(keys: readonly string[], merge: Merge): Record<string, Merge> {
  return Object.fromEntries(keys.map((key) => [key, merge]));
}
