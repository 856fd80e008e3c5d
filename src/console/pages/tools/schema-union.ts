/** Alternatives of a flat schema: a plain choice where each is one value, else variants with names to choose by. */
import { type Flat, flatten, type SchemaBook } from "./schema-flat.ts";
import { textAt } from "./schema-kinds.ts";
import { listOf, type Schema, typesOf } from "./schema-merge.ts";
import type { Choice, Variant } from "./shape.ts";
import { isObject, memberOf } from "./values.ts";

interface Union {
  /** All that holds for each alternative. */
  readonly base: Schema;
  readonly alternatives: readonly unknown[];
}

interface Alternative {
  readonly schema: unknown;
  readonly flat: Flat;
}

/** Undefined where there are none. */
export function unionIn(flat: Schema): Union | undefined {
  const key = ["oneOf", "anyOf"].find((union) => listOf(flat[union]).length > 0);
  if (key === undefined) return undefined;
  const { [key]: alternatives, ...base } = flat;
  return { base, alternatives: listOf(alternatives) };
}

/** The alternatives that are possible and not `null`, and whether that is one too. */
export function sorted(
  union: Union,
  book: SchemaBook,
): { readonly real: readonly Alternative[]; readonly hasNull: boolean } {
  const all = union.alternatives.map((schema) => ({ schema, flat: flatten(schema, book) }));
  const real = all.filter(({ flat }) => flat !== false && !isNull(flat));
  return { real, hasNull: all.some(({ flat }) => isNull(flat)) };
}

function isNull(flat: Flat): boolean {
  if (typeof flat === "boolean") return false;
  const types = typesOf(flat["type"]);
  return (types.length === 1 && types[0] === "null") || (Object.hasOwn(flat, "const") && flat["const"] === null);
}

/** Where each is one value, or a few. */
export function choicesOf(real: readonly Alternative[]): readonly Choice[] | undefined {
  const choices = real.map(({ flat }) => (typeof flat === "boolean" ? undefined : choicesIn(flat)));
  return choices.every((some) => some !== undefined) ? choices.flat() : undefined;
}

/** The values of `const` or `enum`, with the names that some give them. */
export function choicesIn(flat: Schema): readonly Choice[] | undefined {
  if (Object.hasOwn(flat, "const")) {
    return [{ value: flat["const"], label: textAt(flat, "title") ?? labelOf(flat["const"]) }];
  }
  if (!Array.isArray(flat["enum"])) return undefined;
  const names = [flat["enumNames"], flat["x-enumNames"], flat["x-enum-varnames"]].find(Array.isArray) ?? [];
  return flat["enum"].map((value, at) => {
    return { value, label: typeof names[at] === "string" ? names[at] : labelOf(value) };
  });
}

/** As it is, if it is text that says something; else as JSON. */
export function labelOf(value: unknown): string {
  return typeof value === "string" && value.trim() !== "" ? value : JSON.stringify(value);
}

export function variantsOf({ base }: Union, real: readonly Alternative[], book: SchemaBook) {
  const discriminator = discriminatorOf(base, real, book);
  const names = real.map(({ schema, flat }) => nameOf(schema, flat, discriminator, book));
  const variants: readonly Variant[] = real.map(({ schema }, at) => {
    return { schema: { allOf: [base, schema] }, label: distinct(names, at) };
  });
  return { variants, discriminator };
}

/** Said by OpenAPI, or the first member that is another constant in each. */
function discriminatorOf(base: Schema, real: readonly Alternative[], book: SchemaBook): string | undefined {
  const said = memberOf(base["discriminator"], "propertyName");
  if (typeof said === "string") return said;
  const [first] = real;
  return namesOf(first?.flat).find((name) => {
    const values = real.map(({ flat }) => fixedText(flat, name, book));
    return values.every((value) => value !== undefined) && new Set(values).size === values.length;
  });
}

function namesOf(flat: Flat | undefined): readonly string[] {
  return isObject(flat) && isObject(flat["properties"]) ? Object.keys(flat["properties"]).slice(0, 50) : [];
}

/** The only value that a member can have, in words. */
function fixedText(flat: Flat, name: string, book: SchemaBook): string | undefined {
  const member = flatten(memberOf(memberOf(flat, "properties"), name) ?? false, book);
  const choices = typeof member === "boolean" ? undefined : choicesIn(member);
  return choices?.length === 1 ? labelOf(choices[0]?.value) : undefined;
}

function nameOf(schema: unknown, flat: Flat, discriminator: string | undefined, book: SchemaBook): string | undefined {
  if (typeof flat === "boolean") return undefined;
  const fixed = discriminator === undefined ? undefined : fixedText(flat, discriminator, book);
  const ref = memberOf(schema, "$ref");
  const called = typeof ref === "string" ? ref.split("/").at(-1) : undefined;
  const types = typesOf(flat["type"]);
  return textAt(flat, "title") ?? fixed ?? called ?? (types.length > 0 ? types.join(" | ") : undefined);
}

/** Two of the same name are told apart by their numbers. */
function distinct(names: readonly (string | undefined)[], at: number): string | undefined {
  const name = names[at];
  if (name === undefined || names.filter((other) => other === name).length === 1) return name;
  return `${name} (${names.slice(0, at + 1).filter((other) => other === name).length})`;
}
