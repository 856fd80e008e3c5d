/** The schema of a tool's arguments: one object that stands alone, and not larger than what clients are handed. */
import { isObject } from "../contract/rules.ts";
import type { StepCount } from "./limits.ts";
import type { Argument } from "./parameters.ts";
import type { Definition, JsonSchema, SchemaBook, Translated } from "./schema-book.ts";
import { beside, NO_SHAPE, type Shape, within } from "./shape.ts";

/** Somewhat under what the core takes for a whole tool (`core/unfit-tools.ts`). */
const MOST: Shape = { parts: 15_000, characters: 200_000, depth: 48, schemas: 15_000 };
/** What is larger no model reads, and our checker does not either (`schema/ajv-checker.ts`). */
const MOST_DESCRIBED: Shape = { parts: 4_800, characters: 36_000, depth: 48, schemas: 980 };
/** In a chain of a thousand references, checkers that clients have run out of stack. */
const MOST_DEFINITIONS = 250;

/** Undefined if it would be too large. */
export function inputSchema(args: readonly Argument[], book: SchemaBook, steps: StepCount): JsonSchema | undefined {
  const translated = args.map((argument) => argument.translated);
  const definitions = closure(translated, book, steps);
  if (!definitions) return undefined;
  const required = args.filter((argument) => argument.required).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(args.map((argument) => [argument.name, propertyOf(argument)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }),
  };
}

/** A schema that is an object by itself; undefined if it would be too large. */
export function standalone(translated: Translated, book: SchemaBook, steps: StepCount): JsonSchema | undefined {
  const definitions = closure([translated], book, steps);
  if (!definitions || !isObject(translated.schema)) return undefined;
  return { ...translated.schema, ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }) };
}

/** What is known of an argument without its schema: for those that are too large to be described. */
export function looseArgument(argument: Argument): Argument {
  return { ...argument, translated: { schema: typeOnly(argument.translated), shape: NO_SHAPE, uses: new Set() } };
}

function propertyOf({ translated: { schema }, description, deprecated }: Argument): JsonSchema | boolean {
  if (description === undefined && !deprecated) return schema;
  const own = isObject(schema) ? schema : {};
  return { ...own, ...(description !== undefined && { description }), ...(deprecated && { deprecated }) };
}

type Definitions = readonly (readonly [string, JsonSchema | boolean])[];

/**
 * Every definition that can be reached, each once, the nearest first. In a loose book, what is too much is named with its
 * type alone: the first levels of a large form are worth more than none.
 */
function closure(roots: readonly Translated[], book: SchemaBook, steps: StepCount): Definitions | undefined {
  const reached = new Set<Definition>(roots.flatMap(({ uses }) => [...uses]));
  let shape = roots.map((root) => within(root.shape, "")).reduce(beside, NO_SHAPE);
  if (!book.isLoose && isLarger(shape, MOST_DESCRIBED)) return undefined;
  const definitions: [string, JsonSchema | boolean][] = [];
  for (const definition of reached) {
    const translated = book.complete(definition);
    steps.add(1 + translated.uses.size);
    const described = beside(shape, within(translated.shape, definition.name));
    const isTooMuch = definitions.length >= MOST_DEFINITIONS || isLarger(described, MOST_DESCRIBED);
    if (isTooMuch && !book.isLoose) return undefined;
    shape = isTooMuch ? beside(shape, within(TYPE_ONLY, definition.name)) : described;
    if (isLarger(shape, MOST)) return undefined;
    if (!isTooMuch) for (const used of translated.uses) reached.add(used);
    definitions.push([definition.name, isTooMuch ? typeOnly(translated) : translated.schema]);
  }
  return isLarger(shape, MOST) ? undefined : definitions;
}

const TYPE_ONLY: Shape = { parts: 2, characters: 20, depth: 2, schemas: 1 };

function typeOnly({ schema }: Translated): JsonSchema {
  const type = isObject(schema) ? schema["type"] : undefined;
  return type === undefined ? {} : { type };
}

function isLarger(shape: Shape, most: Shape): boolean {
  const isMore = shape.parts > most.parts || shape.characters > most.characters || shape.schemas > most.schemas;
  return isMore || shape.depth > most.depth;
}
