/**
 * Schemas of a document as JSON Schema 2020-12 that stands alone. What is small is written out where it is used; what is
 * large, or contains itself, becomes a definition. Everything that a reference leads to is translated once and shared, so
 * that the work grows with the document and not with the number of ways through it.
 */
import { isObject } from "../contract/rules.ts";
import { type Form, fault, formAt, listAt, member, type References } from "./lookup.ts";
import {
  fitPattern,
  loosen,
  NAMED_SCHEMAS,
  PLAIN,
  SCHEMA,
  SCHEMAS,
  translateBounds,
  translateDiscriminator,
  translateNullable,
  typeOf,
  withFitNames,
} from "./schema-keywords.ts";
import { beside, NO_SHAPE, ONE_SCHEMA, type Shape, shapeOf, within } from "./shape.ts";
import { definitionName, note, UniqueNames } from "./wording.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema, what it weighs, and the definitions that it names itself. */
export interface Translated {
  readonly schema: JsonSchema | boolean;
  readonly shape: Shape;
  readonly uses: ReadonlySet<Definition>;
}

/** What a reference leads to. */
export interface Definition {
  readonly pointer: string;
  readonly name: string;
  readonly raw: unknown;
  state: "new" | "open" | "done" | "broken";
  /** Decided once: written out where it is used, or referred to. */
  inline: boolean | undefined;
  translated?: Translated;
  reason?: unknown;
}

interface BookOptions {
  readonly dialect: "3.0" | "3.1";
  /** A request leaves out what is `readOnly`, an answer what is `writeOnly`. */
  readonly direction: "request" | "answer";
  /** For schemas that are too large otherwise: "exact" leaves out what only explains, "loose" also what rules out. */
  readonly detail?: "full" | "exact" | "loose" | undefined;
}

const MOST_INLINE: Shape = { parts: 60, characters: 3_000, depth: 10, schemas: 60 };
/** The most definitions that may be open at once, each begun while translating another. */
const MOST_OPEN = 16;
const LARGEST_DEFAULT = 500;
const MOST_PARTS_LOOKED_AT = 20;
const NONE: ReadonlySet<string> = new Set();
/** Beside a reference, 3.0 allows nothing, and these are written and meant all the same. */
const BESIDE_REFERENCE = new Set(["title", "description", "default", "deprecated"]);

export class SchemaBook {
  readonly #references: References;
  readonly #options: BookOptions;
  readonly #definitions = new Map<string, Definition>();
  readonly #names = new UniqueNames();
  readonly #hidden = new WeakMap<Form, ReadonlySet<string>>();
  readonly #translated = new WeakMap<Form, Translated | { readonly failure: unknown }>();
  #open = 0;

  constructor(references: References, options: BookOptions) {
    this.#references = references;
    this.#options = options;
  }

  get isLoose(): boolean {
    return this.#options.detail === "loose";
  }

  /** The same thing is translated once, however many operations use it. */
  translate(raw: unknown, where: string): Translated {
    const known = isObject(raw) ? this.#translated.get(raw) : undefined;
    const outcome = known ?? this.#attempt(raw, where);
    if (isObject(raw)) this.#translated.set(raw, outcome);
    if ("failure" in outcome) throw outcome.failure;
    return outcome;
  }

  #attempt(raw: unknown, where: string): Translated | { readonly failure: unknown } {
    try {
      const work = new Work();
      const schema = this.#schema(raw, where, work);
      return { schema, shape: work.shape, uses: work.uses };
    } catch (failure) {
      return { failure };
    }
  }

  /** Translates it if nobody has asked for it yet. */
  complete(definition: Definition): Translated {
    if (definition.state === "new") this.#complete(definition);
    if (definition.state === "broken") throw definition.reason;
    if (!definition.translated) throw fault(definition.pointer, "contains only itself");
    return definition.translated;
  }

  #complete(definition: Definition): void {
    definition.state = "open";
    this.#open++;
    try {
      definition.translated = this.translate(definition.raw, definition.pointer);
      definition.state = "done";
    } catch (cause) {
      definition.state = "broken";
      definition.reason = cause;
    } finally {
      this.#open--;
    }
  }

  #schema(raw: unknown, where: string, work: Work): JsonSchema | boolean {
    if (!isObject(raw)) return typeof raw === "boolean" ? raw : {};
    const { value, pointer } = this.#references.follow(raw, where);
    if (pointer === undefined) return this.#node(raw, where, work);
    const target = this.#reference(this.#definition(pointer, value), work);
    const extra = this.#node(this.#besideReference(raw), where, work);
    const both = Object.keys(extra).length === 0 ? target : together(target, extra);
    return isObject(both) ? translateNullable(raw, { ...both }) : both;
  }

  #besideReference(raw: Form): Form {
    const { $ref: _, nullable: __, ...rest } = raw;
    if (this.#options.dialect === "3.1") return rest;
    return Object.fromEntries(Object.entries(rest).filter(([keyword]) => BESIDE_REFERENCE.has(keyword)));
  }

  #definition(pointer: string, raw: unknown): Definition {
    const known = this.#definitions.get(pointer);
    if (known) return known;
    const name = this.#names.take(definitionName(pointer));
    const definition: Definition = { pointer, name, raw, state: "new", inline: undefined };
    this.#definitions.set(pointer, definition);
    return definition;
  }

  #reference(definition: Definition, work: Work): JsonSchema | boolean {
    if (definition.state === "new" && this.#open < MOST_OPEN) this.#complete(definition);
    if (definition.state === "broken") throw definition.reason;
    definition.inline ??= isSmall(definition.translated);
    if (definition.inline && definition.translated) {
      work.add(definition.translated.shape);
      return definition.translated.schema;
    }
    work.uses.add(definition);
    work.add({ parts: 2, characters: definition.name.length + 12, depth: 2, schemas: 1 });
    return { $ref: `#/$defs/${definition.name}` };
  }

  #node(raw: Form, where: string, work: Work): JsonSchema {
    const schema: Record<string, unknown> = {};
    work.add(ONE_SCHEMA);
    for (const [keyword, value] of Object.entries(raw)) {
      const translated = this.#keyword(raw, keyword, value, where, work);
      if (translated !== undefined) schema[keyword] = translated;
    }
    const { items } = raw;
    if (Array.isArray(items) && items.length > 0) schema["prefixItems"] ??= this.#list(items, where, work);
    translateBounds(raw, schema);
    if (this.isLoose) loosen(schema);
    return translateNullable(raw, schema);
  }

  #keyword(raw: Form, keyword: string, value: unknown, where: string, work: Work): unknown {
    if (SCHEMA.has(keyword)) return Array.isArray(value) ? undefined : this.#inside(value, keyword, where, work);
    if (SCHEMAS.has(keyword))
      return Array.isArray(value) && value.length > 0 ? this.#list(value, where, work) : undefined;
    if (NAMED_SCHEMAS.has(keyword)) return isObject(value) ? this.#named(value, keyword, where, work) : undefined;
    const kept = this.#plain(raw, keyword, value);
    if (kept !== undefined) work.add(within(shapeOf(kept), keyword));
    return kept;
  }

  #plain(raw: Form, keyword: string, value: unknown): unknown {
    if (keyword === "type") return typeOf(value);
    if (keyword === "required") return this.#required(raw, value);
    if (keyword === "discriminator") return isObject(value) ? translateDiscriminator(value) : undefined;
    if (keyword === "pattern") return typeof value === "string" ? fitPattern(value) : undefined;
    if (PLAIN.get(keyword)?.(value)) return value;
    if ((this.#options.detail ?? "full") !== "full") return undefined;
    if (keyword === "description") return note(value);
    if (keyword === "title") return typeof value === "string" && value.length <= 100 ? value : undefined;
    return keyword === "default" && shapeOf(value).characters <= LARGEST_DEFAULT ? value : undefined;
  }

  #inside(value: unknown, key: string, where: string, work: Work): JsonSchema | boolean {
    const inner = new Work(work.uses);
    const schema = this.#schema(value, where, inner);
    work.add(within(inner.shape, key));
    return schema;
  }

  #list(values: readonly unknown[], where: string, work: Work): unknown[] {
    return values.map((value) => this.#inside(value, "", where, work));
  }

  #named(values: Form, keyword: string, where: string, work: Work): Form {
    const written = keyword === "patternProperties" ? withFitNames(values) : Object.entries(values);
    const entries = written.filter(([, raw]) => keyword !== "properties" || !this.isHidden(raw, where));
    return Object.fromEntries(entries.map(([name, raw]) => [name, this.#inside(raw, name, where, work)]));
  }

  /** Whether a property has no place in this direction: `readOnly` in a request, `writeOnly` in an answer. */
  isHidden(raw: unknown, where: string): boolean {
    const flag = this.#options.direction === "request" ? "readOnly" : "writeOnly";
    return member(raw, flag) === true || member(this.#references.follow(raw, where).value, flag) === true;
  }

  /** Without those that are hidden, here or in a part of an `allOf` beside. */
  #required(raw: Form, value: unknown): readonly string[] | undefined {
    if (!Array.isArray(value)) return undefined;
    const parts = listAt(raw, "allOf").slice(0, MOST_PARTS_LOOKED_AT);
    const hidden = [raw, ...parts].map((part) => this.#hiddenIn(this.#references.follow(part, "allOf").value));
    const names = [...new Set(value)].filter((name): name is string => typeof name === "string");
    const visible = names.filter((name) => !hidden.some((set) => set.has(name)));
    return visible.length > 0 ? visible : undefined;
  }

  #hiddenIn(schema: unknown): ReadonlySet<string> {
    if (!isObject(schema)) return NONE;
    const known = this.#hidden.get(schema);
    if (known) return known;
    const properties = Object.entries(formAt(schema, "properties"));
    const hidden = new Set(properties.filter(([name, raw]) => this.isHidden(raw, name)).map(([name]) => name));
    this.#hidden.set(schema, hidden);
    return hidden;
  }
}

/** Adds up what one schema holds. */
class Work {
  shape: Shape = NO_SHAPE;
  readonly uses: Set<Definition>;

  constructor(uses = new Set<Definition>()) {
    this.uses = uses;
  }

  add(shape: Shape): void {
    this.shape = beside(this.shape, shape);
  }
}

function isSmall(translated: Translated | undefined): boolean {
  if (!translated || translated.uses.size > 0) return false;
  const { parts, characters, depth } = translated.shape;
  return parts <= MOST_INLINE.parts && characters <= MOST_INLINE.characters && depth <= MOST_INLINE.depth;
}

/** Explanations beside a reference win; where both say something of the value, both must hold. */
function together(target: JsonSchema | boolean, extra: JsonSchema): JsonSchema {
  if (typeof target === "boolean") return target ? extra : { not: {}, ...extra };
  const onlyExplains = Object.keys(extra).every((keyword) => BESIDE_REFERENCE.has(keyword) || !(keyword in target));
  return onlyExplains ? { ...target, ...extra } : { allOf: [target, extra] };
}
