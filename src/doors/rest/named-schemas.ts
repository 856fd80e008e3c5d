/** Zod's schemas as JSON Schema inside one OpenAPI document, where those that have a name stand once. */
import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;

export class NamedSchemas {
  readonly #byName = new Map<string, JsonSchema>();

  /** What we answer. */
  output(schema: z.ZodType): JsonSchema {
    return this.#place(schema, "output", "");
  }

  /** What we are sent, where what has a default may be left out. */
  input(schema: z.ZodType): JsonSchema {
    return this.#fits(schema, "input", "") ? this.#place(schema, "input", "") : this.#place(schema, "input", "Input");
  }

  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #place(schema: z.ZodType, io: "input" | "output", suffix: string): JsonSchema {
    const { root, named } = converted(schema, io, suffix);
    if (!this.#areFree(named)) throw new TypeError(`two schemas are called ${[...named.keys()].join(" or ")}`);
    for (const [name, definition] of named) this.#byName.set(name, definition);
    return root;
  }

  #fits(schema: z.ZodType, io: "input" | "output", suffix: string): boolean {
    return this.#areFree(converted(schema, io, suffix).named);
  }

  #areFree(named: ReadonlyMap<string, JsonSchema>): boolean {
    return [...named].every(([name, definition]) => {
      const known = this.#byName.get(name);
      return known === undefined || JSON.stringify(known) === JSON.stringify(definition);
    });
  }
}

function converted(schema: z.ZodType, io: "input" | "output", suffix: string) {
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { ...OPTIONS, io });
  const named = Object.entries($defs).map(([name, definition]) => [
    `${name}${suffix}`,
    moved(definition, suffix),
  ]) as readonly (readonly [string, JsonSchema])[];
  return { root: moved(root, suffix), named: new Map(named) };
}

const OPTIONS: z.core.ToJSONSchemaParams = {
  target: "draft-2020-12",
  unrepresentable: "any",
  override: ({ jsonSchema }) => {
    // That a whole number fits into a double goes without saying.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  },
};

const OLD_PLACE = "#/$defs/";
const NEW_PLACE = "#/components/schemas/";

/** A copy whose references point to where OpenAPI keeps its schemas. */
function moved<T>(value: T, suffix: string): T {
  if (Array.isArray(value)) return value.map((item) => moved(item, suffix)) as T;
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, inner]) => [
    key,
    key === "$ref" && typeof inner === "string" && inner.startsWith(OLD_PLACE)
      ? `${NEW_PLACE}${inner.slice(OLD_PLACE.length)}${suffix}`
      : moved(inner, suffix),
  ]);
  return Object.fromEntries(members);
}
