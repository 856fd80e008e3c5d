/** How large a schema is once it is written out: summed up where it is made, so that nobody has to walk it to know. */

export interface Shape {
  readonly parts: number;
  readonly characters: number;
  readonly depth: number;
  /** The number of schemas in it. */
  readonly schemas: number;
}

export const NO_SHAPE: Shape = { parts: 0, characters: 0, depth: 0, schemas: 0 };
export const ONE_SCHEMA: Shape = { ...NO_SHAPE, schemas: 1 };

/** The size of two things side by side in one. */
export function beside(one: Shape, other: Shape): Shape {
  return {
    parts: one.parts + other.parts,
    characters: one.characters + other.characters,
    depth: Math.max(one.depth, other.depth),
    schemas: one.schemas + other.schemas,
  };
}

/** The size of a thing as a member of another, under this key. */
export function within(shape: Shape, key: string): Shape {
  const { parts, characters, depth, schemas } = shape;
  return { parts: parts + 1, characters: characters + key.length, depth: depth + 1, schemas };
}

const ONE: Shape = { ...NO_SHAPE, parts: 1, characters: 4, depth: 1 };

/** The size of plain data, found by walking it: it stands in the document once. */
export function shapeOf(value: unknown): Shape {
  if (typeof value === "string") return { ...ONE, characters: value.length };
  if (typeof value !== "object" || value === null) return ONE;
  return Object.entries(value).reduce((sum, [key, each]) => beside(sum, within(shapeOf(each), key)), NO_SHAPE);
}
