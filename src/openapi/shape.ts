/** How large a schema is once it is written out: summed up where it is made, so that nobody has to walk it to know. */

export interface Shape {
  readonly parts: number;
  readonly characters: number;
  readonly depth: number;
}

export const NO_SHAPE: Shape = { parts: 0, characters: 0, depth: 0 };

/** Side by side in one thing. */
export function beside(one: Shape, other: Shape): Shape {
  return {
    parts: one.parts + other.parts,
    characters: one.characters + other.characters,
    depth: Math.max(one.depth, other.depth),
  };
}

/** As a member of something. */
export function within(shape: Shape, key: string): Shape {
  return { parts: shape.parts + 1, characters: shape.characters + key.length, depth: shape.depth + 1 };
}

/** Of somebody's data, which is walked: it stands in the document once. */
export function shapeOf(value: unknown): Shape {
  if (typeof value === "string") return { parts: 1, characters: value.length, depth: 1 };
  if (typeof value !== "object" || value === null) return { parts: 1, characters: 4, depth: 1 };
  return Object.entries(value).reduce((sum, [key, each]) => beside(sum, within(shapeOf(each), key)), NO_SHAPE);
}
