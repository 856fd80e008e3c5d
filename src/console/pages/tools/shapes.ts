/** From any JSON Schema, of any draft, to what a form draws of it; one level at a time, so that recursion costs nothing. */
import { type Flat, flatten, SchemaBook } from "./schema-flat.ts";
import { aboutOf, arrayShape, NOTHING_SAID, numberShape, objectShape, textShape, typeMeant } from "./schema-kinds.ts";
import { listOf, type Schema, typesOf } from "./schema-merge.ts";
import { choicesIn, choicesOf, sorted, unionIn, variantsOf } from "./schema-union.ts";
import type { About, Shape } from "./shape.ts";
import { isObject } from "./values.ts";

/** How many unions of a single alternative may be nested in each other. */
const MOST_HOPS = 12;
/** What is left of a schema when it is one type of several. */
const ANY: Shape = { kind: "any", about: NOTHING_SAID };

export class Shapes {
  readonly #book: SchemaBook;
  readonly #known = new WeakMap<object, Shape>();

  constructor(root: unknown) {
    this.#book = new SchemaBook(root);
  }

  /** The same for the same schema, and in no time the second time. */
  of(schema: unknown): Shape {
    const known = isObject(schema) ? this.#known.get(schema) : undefined;
    const shape = known ?? this.#make(flatten(schema, this.#book), 0);
    if (isObject(schema)) this.#known.set(schema, shape);
    return shape;
  }

  #make(flat: Flat, hops: number): Shape {
    if (flat === false) return { kind: "never", about: NOTHING_SAID };
    if (flat === true || hops > MOST_HOPS) return ANY;
    return this.#fixed(flat) ?? this.#union(flat, hops) ?? this.#typed(flat, hops);
  }

  #fixed(flat: Schema): Shape | undefined {
    const choices = choicesIn(flat);
    if (!choices) return undefined;
    const about = aboutOf(flat);
    const [only] = choices;
    if (!only) return { kind: "never", about };
    // A single choice is a constant.
    return choices.length === 1 ? { kind: "const", value: only.value, about } : { kind: "choice", choices, about };
  }

  #union(flat: Schema, hops: number): Shape | undefined {
    const union = unionIn(flat);
    if (!union) return undefined;
    const { real, hasNull } = sorted(union, this.#book);
    const [only, ...others] = real;
    const about = withNull(aboutOf(flat), hasNull);
    if (!only) return { kind: hasNull ? "null" : "never", about };
    if (others.length === 0) return this.#only({ allOf: [union.base, only.schema] }, hasNull, hops);
    const choices = isObject(union.base["properties"]) ? undefined : choicesOf(real);
    if (choices) return { kind: "choice", choices, about };
    return { kind: "variants", about, ...variantsOf(union, real, this.#book) };
  }

  /** The only alternative, beside `null` perhaps. */
  #only(schema: unknown, hasNull: boolean, hops: number): Shape {
    const shape = this.#make(flatten(schema, this.#book), hops + 1);
    return hasNull ? { ...shape, about: withNull(shape.about, true) } : shape;
  }

  #typed(flat: Schema, hops: number): Shape {
    const types = typesOf(flat["type"]).filter((type) => type !== "null");
    const hasNull = types.length < typesOf(flat["type"]).length || flat["nullable"] === true;
    const about = withNull(aboutOf(flat), hasNull);
    if (types.length === 0 && typesOf(flat["type"]).length > 0) return { kind: "null", about: aboutOf(flat) };
    if (types.length > 1) return this.#ofTypes(flat, types, about, hops);
    return shapeOfType(types[0] ?? typeMeant(flat), flat, about);
  }

  #ofTypes(flat: Schema, types: readonly unknown[], about: About, hops: number): Shape {
    const variants = types.map((type) => ({ schema: withType(flat, type), label: String(type) }));
    return hops > MOST_HOPS ? ANY : { kind: "variants", variants, about };
  }
}

/** What is said of all types is said once. */
function withType(flat: Schema, type: unknown): Schema {
  const { title: _, description: __, ...rest } = flat;
  return { ...rest, type };
}

function withNull(about: About, nullable: boolean): About {
  return nullable ? { ...about, nullable } : about;
}

function shapeOfType(type: unknown, flat: Schema, about: About): Shape {
  switch (type) {
    case "object":
      return { about, ...objectShape(flat) };
    case "array":
      return { about, ...arrayShape(flat) };
    case "string":
      return { about, ...textShape(flat) };
    case "number":
    case "integer":
      return { about, ...numberShape(flat, type === "integer") };
    case "boolean":
      return { about, kind: "boolean" };
    default:
      return { about, kind: "any" };
  }
}

/** Whether every item is one of a few: then they are ticked rather than written. */
export function tickable(shapes: Shapes, items: unknown): Extract<Shape, { kind: "choice" }> | undefined {
  const shape = shapes.of(items);
  return shape.kind === "choice" && listOf(shape.choices).length <= 24 ? shape : undefined;
}
