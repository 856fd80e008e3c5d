/** What a form begins with: nothing that was not asked for, and of what must be given as much as is certain. */
import type { ArrayShape, ObjectShape, Shape } from "./shape.ts";
import { type Shapes, tickable } from "./shapes.ts";
import { Draft, isObject, type JsonObject } from "./values.ts";

/** Values nested deeper than this are not filled in by themselves. */
const MOST_DEPTH = 6;
const MOST_ITEMS = 5;
/** How many parts are filled in at most: a recursive schema in which everything is required has no end. */
const MOST_PARTS = 1_000;

/** A whole form, which is an object whatever its schema says: a tool's arguments have names. */
export function startOfForm(shapes: Shapes, schema: unknown): JsonObject {
  const start = startWhenSet(shapes, schema);
  return isObject(start) ? start : {};
}

/** The same with every default filled in: who asks a person something wants it so (elicitation). */
export function startWithDefaults(shapes: Shapes, schema: unknown): JsonObject {
  const shape = shapes.of(schema);
  const members = shape.kind === "object" ? shape.members : [];
  const defaults = members.map(({ name, schema: member }) => [name, shapes.of(member).about.default] as const);
  return { ...startOfForm(shapes, schema), ...Object.fromEntries(defaults.filter(([, value]) => value !== undefined)) };
}

/** The first value of something that somebody wants to give. */
export function startWhenSet(shapes: Shapes, schema: unknown): unknown {
  return new Start(shapes).whenSet(schema, 0);
}

/** The first value of an item of a list. */
export function startOfItem(shapes: Shapes, schema: unknown): unknown {
  return new Start(shapes).item(schema, 0);
}

class Start {
  readonly #shapes: Shapes;
  #left = MOST_PARTS;

  constructor(shapes: Shapes) {
    this.#shapes = shapes;
  }

  /** Who wants to give something does not mean `null`, even if that is what it is by default. */
  whenSet(schema: unknown, depth: number): unknown {
    const shape = this.#shapes.of(schema);
    if ((shape.about.default ?? undefined) !== undefined) return shape.about.default;
    switch (shape.kind) {
      case "object":
        return this.#object(shape, depth);
      case "array":
        return this.#array(shape, depth);
      case "variants":
        return this.#isEnough(depth) ? new Draft("") : this.whenSet(shape.variants[0]?.schema, depth + 1);
      default:
        return startOfSimple(shape);
    }
  }

  /** What only the user can know is begun, not guessed. */
  item(schema: unknown, depth: number): unknown {
    const { kind, about } = this.#shapes.of(schema);
    const isOpen = kind === "choice" && about.default === undefined;
    return isOpen ? (this.#certain(schema, depth) ?? new Draft("")) : this.whenSet(schema, depth);
  }

  #object({ members }: ObjectShape, depth: number): JsonObject {
    if (this.#isEnough(depth)) return {};
    const needed = members.filter(({ required }) => required);
    const certain = needed.map(({ name, schema }) => [name, this.#certain(schema, depth + 1)] as const);
    return Object.fromEntries(certain.filter(([, value]) => value !== undefined));
  }

  /** Of something that must be given: undefined where only the user can know. */
  #certain(schema: unknown, depth: number): unknown {
    const shape = this.#shapes.of(schema);
    if (shape.about.default !== undefined) return shape.about.default;
    if (shape.kind === "const") return shape.value;
    if (shape.kind === "choice" && shape.choices.length === 1) return shape.choices[0]?.value;
    if (shape.kind === "null") return null;
    const isGroup = (shape.kind === "object" || shape.kind === "array") && !shape.about.nullable;
    return isGroup && depth < MOST_DEPTH ? this.whenSet(schema, depth) : undefined;
  }

  #array({ first, items, fewest }: ArrayShape, depth: number): readonly unknown[] {
    if (this.#isEnough(depth)) return [];
    if (first.length === 0 && items !== undefined && tickable(this.#shapes, items)) return [];
    const length = Math.min(MOST_ITEMS, Math.max(first.length, fewest));
    return Array.from({ length }, (_, at) => this.item(first[at] ?? items ?? true, depth + 1));
  }

  #isEnough(depth: number): boolean {
    return depth >= MOST_DEPTH || --this.#left < 0;
  }
}

function startOfSimple(shape: Shape): unknown {
  switch (shape.kind) {
    case "const":
      return shape.value;
    case "choice":
      return shape.choices[0]?.value;
    case "text":
      return "";
    case "boolean":
      return false;
    case "null":
    case "never":
      return null;
    default:
      return new Draft("");
  }
}
