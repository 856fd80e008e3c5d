/**
 * One schema made of those that hold at the same time: what a `$ref` leads to, what `allOf` lists, and what stands beside
 * them. Alternatives stay alternatives. Looks one level deep: members are made flat when they are drawn.
 */
import { mergeTwo, type Schema } from "./schema-merge.ts";
import { isObject, type JsonObject } from "./values.ts";

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

/** How many parts of a schema are searched for names; the hub offers no larger schemas. */
const MOST_PARTS = 20_000;

/** A schema as a whole, in which its parts refer to each other: finds what a `$ref` means. Nothing outside is ever asked for. */
export class SchemaBook {
  readonly root: unknown;
  #named: ReadonlyMap<string, unknown> | undefined;

  constructor(root: unknown) {
    this.root = root;
  }

  /** Undefined where there is nothing of that name in here. */
  find(ref: string): unknown {
    const hash = ref.indexOf("#");
    const [document, fragment] = hash < 0 ? [ref, ""] : [ref.slice(0, hash), ref.slice(hash + 1)];
    const base = document === "" ? this.root : this.#byName(document);
    if (fragment === "" || base === undefined) return base;
    return fragment.startsWith("/") ? followPointer(base, fragment) : this.#byName(`#${decoded(fragment)}`);
  }

  #byName(name: string): unknown {
    this.#named ??= namesIn(this.root);
    return this.#named.get(name) ?? this.#named.get(absolute(name, idOf(this.root)));
  }
}

/** By RFC 6901, written in a URI. */
function followPointer(base: unknown, pointer: string): unknown {
  let found = base;
  for (const step of pointer.split("/").slice(1)) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as JsonObject)[key];
  }
  return found;
}

/** What calls itself something: by `$id` (as written, and as it is meant), by `$anchor`. */
function namesIn(root: unknown): ReadonlyMap<string, unknown> {
  const names = new Map<string, unknown>();
  const open: unknown[] = [root];
  const base = idOf(root);
  for (let seen = 0; open.length > 0 && seen < MOST_PARTS; seen++) {
    const part = open.pop();
    if (typeof part !== "object" || part === null) continue;
    if (isObject(part)) for (const name of ownNames(part, base)) if (!names.has(name)) names.set(name, part);
    for (const inner of Object.values(part)) open.push(inner);
  }
  return names;
}

function ownNames(part: JsonObject, base: string): readonly string[] {
  const id = idOf(part);
  const anchors = [part["$anchor"], part["$dynamicAnchor"]].flatMap((name) =>
    typeof name === "string" ? `#${name}` : [],
  );
  return id === "" ? anchors : [...anchors, id, absolute(id, base)];
}

function idOf(schema: unknown): string {
  if (!isObject(schema)) return "";
  const id = schema["$id"] ?? schema["id"];
  return typeof id === "string" ? id.replace(/#$/, "") : "";
}

function absolute(name: string, base: string): string {
  return URL.canParse(name, base || undefined) ? new URL(name, base || undefined).href : name;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
