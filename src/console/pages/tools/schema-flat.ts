/**
 * One schema made of those that hold at the same time: what a `$ref` leads to, what `allOf` lists, and what stands beside
 * them. Alternatives stay alternatives. Looks one level deep: members are made flat when they are drawn.
 */
import type { SchemaBook } from "./schema-book.ts";
import { mergeTwo, type Schema } from "./schema-merge.ts";
import { isObject } from "./values.ts";

/** `true` allows everything, `false` nothing. */
export type Flat = Schema | boolean;

/** Where something refers to what is not there, by this name in the flat schema. */
export const BROKEN = "zaguan:broken";

/** Enough for what anybody writes; a schema that doubles itself at every step ends here. */
const MOST_STEPS = 400;

export function flatten(schema: unknown, book: SchemaBook): Flat {
  return new Flattening(book).flat(schema, []);
}

class Flattening {
  readonly #book: SchemaBook;
  #steps = 0;

  constructor(book: SchemaBook) {
    this.#book = book;
  }

  /** `way`: the references that led here. One that leads back to itself says nothing. */
  flat(schema: unknown, way: readonly string[]): Flat {
    if (typeof schema === "boolean") return schema;
    if (!isObject(schema) || ++this.#steps > MOST_STEPS) return true;
    const { $ref, $dynamicRef, $recursiveRef, allOf, ...own } = schema;
    const refs = [$ref, $dynamicRef, $recursiveRef].filter((ref) => typeof ref === "string");
    const parts = [
      ...refs.map((ref) => this.#refer(ref, way)),
      ...(Array.isArray(allOf) ? allOf.map((part) => this.flat(part, way)) : []),
    ];
    return parts.reduce<Flat>(both, own);
  }

  #refer(ref: string, way: readonly string[]): Flat {
    if (way.includes(ref)) return true;
    const found = this.#book.find(ref);
    return found === undefined ? { [BROKEN]: ref } : this.flat(found, [...way, ref]);
  }
}

/** The schema in which both hold. */
function both(one: Flat, other: Flat): Flat {
  if (one === false || other === false) return false;
  if (one === true || one === other) return other;
  return other === true ? one : mergeTwo(one, other);
}
