/**
 * A tool's schema without references, so that it means the same wherever it is put. Inside an OpenAPI document `#` is the
 * document and no longer the schema; and the clients that read tools from one resolve few references or none, some of them
 * without an end where a schema refers to itself. So what is referred to is put in place, up to a size; what refers to
 * itself, or leads out of the schema, says less there. The hub checks arguments by the schema as it is.
 */
import { isObject } from "../../contract/rules.ts";
import { followPointer } from "../../protocol/json/pointer.ts";

type Json = Readonly<Record<string, unknown>>;

/** Keywords of references, and those that had another form before JSON Schema 2020-12. */
const NEEDS_WORK = /"(?:\$|definitions"|additionalItems"|items":\[)/;

/** Keywords that mean nothing once there are no references. */
const DROPPED: ReadonlySet<string> = new Set([
  "$ref",
  "$dynamicRef",
  "$recursiveRef",
  "$defs",
  "definitions",
  "$schema",
  "$id",
  "$comment",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "$vocabulary",
]);
/** Their members have names of the author's choosing, and are schemas. */
const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas", "dependencies"]);
/** Their value is no schema, whatever it looks like. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "example"]);
/** Annotations, which may stand beside a reference without changing what it allows. */
const NOTES: ReadonlySet<string> = new Set(["title", "description", "default", "examples", "deprecated"]);

/** No reference is followed deeper, nor when this many parts have been written. */
const MOST_DEPTH = 24;
const MOST_PARTS = 10_000;

export function selfContained(schema: Json): Json {
  if (!NEEDS_WORK.test(JSON.stringify(schema))) return schema;
  const written = new Expansion(schema).write(schema, 0, [schema]);
  return isObject(written) ? written : {};
}

class Expansion {
  readonly #root: Json;
  readonly #id: string;
  readonly #anchors = new Map<string, unknown>();
  /** A document inside the document changes what `#` means: nothing is followed there. */
  #isNested = false;
  #parts = 0;

  constructor(root: Json) {
    this.#root = root;
    this.#id = documentOf(typeof root["$id"] === "string" ? root["$id"] : "");
    this.#collect(root);
  }

  /** @param within what is being written, from outside to inside */
  write(schema: unknown, depth: number, within: readonly unknown[]): unknown {
    this.#parts++;
    if (Array.isArray(schema)) return schema.map((each) => this.write(each, depth + 1, within));
    if (!isObject(schema)) return schema;
    const members = Object.entries(schema).filter(([key]) => !DROPPED.has(key));
    const own = Object.fromEntries(members.map(([key, value]) => [key, this.#member(key, value, depth + 1, within)]));
    const reference = referenceIn(schema);
    return reference === undefined ? modern(own) : joined(this.#target(reference, depth, within), modern(own));
  }

  #member(key: string, value: unknown, depth: number, within: readonly unknown[]): unknown {
    if (DATA.has(key)) return value;
    if (!NAMED.has(key) || !isObject(value)) return this.write(value, depth, within);
    const named = Object.entries(value).map(([name, each]) => [name, this.write(each, depth + 1, within)]);
    return Object.fromEntries(named);
  }

  #target(reference: string, depth: number, within: readonly unknown[]): unknown {
    const target = this.#resolve(reference);
    const isTooMuch = within.includes(target) || depth > MOST_DEPTH || this.#parts > MOST_PARTS;
    return isTooMuch ? outlineOf(target) : this.write(target, depth, [...within, target]);
  }

  /** The schema that allows anything, where a reference leads out of the schema or nowhere. */
  #resolve(reference: string): unknown {
    const document = documentOf(reference);
    if (this.#isNested || (document !== "" && document !== this.#id)) return {};
    const fragment = decoded(reference.slice(document.length + 1));
    if (fragment === "") return this.#root;
    const found = fragment.startsWith("/") ? followPointer(this.#root, fragment) : this.#anchors.get(fragment);
    return isObject(found) || typeof found === "boolean" ? found : {};
  }

  #collect(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (typeof member !== "string") this.#collect(member);
      else if (key === "$anchor" || key === "$dynamicAnchor") this.#anchors.set(member, value);
      // Before 2019 an anchor was written as an identifier.
      else if (key === "$id" && member.startsWith("#")) this.#anchors.set(member.slice(1), value);
      else if (key === "$id" && documentOf(member) !== this.#id) this.#isNested = true;
    }
  }
}

function referenceIn(schema: Json): string | undefined {
  const found = schema["$ref"] ?? schema["$dynamicRef"] ?? schema["$recursiveRef"];
  return typeof found === "string" ? found : undefined;
}

/** Keywords beside a reference hold as well as what it refers to. */
function joined(target: unknown, own: Json): unknown {
  const keys = Object.keys(own);
  if (keys.length === 0) return target;
  if (isObject(target) && keys.every((key) => NOTES.has(key))) return { ...target, ...own };
  const all = Array.isArray(own["allOf"]) ? own["allOf"] : [];
  return { ...own, allOf: [...all, target] };
}

/** The outline of a schema that cannot be written out once more. */
function outlineOf(schema: unknown): Json {
  if (!isObject(schema)) return {};
  const { type, title, description } = schema;
  return Object.fromEntries(Object.entries({ type, title, description }).filter(([, value]) => value !== undefined));
}

/** A list in `items` is `prefixItems` since 2020-12, and `additionalItems` is `items`; without a list it means nothing. */
function modern(schema: Json): Json {
  const { items, additionalItems, ...others } = schema;
  if (!Array.isArray(items)) return items === undefined ? others : { ...others, items };
  return { ...others, prefixItems: items, ...(additionalItems !== undefined && { items: additionalItems }) };
}

function documentOf(reference: string): string {
  const hash = reference.indexOf("#");
  return hash < 0 ? reference : reference.slice(0, hash);
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
