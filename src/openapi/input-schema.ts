/** The schema of a tool's arguments: one object that stands alone, and not larger than what clients are handed. */
import type { Argument } from "./parameters.ts";
import { isForm } from "./plain.ts";
import type { Definition, JsonSchema, SchemaBook, Translated } from "./schema-book.ts";
import { beside, NO_SHAPE, type Shape, within } from "./shape.ts";
import type { StepCount } from "./steps.ts";

/** Somewhat under what the core takes for a whole tool (`core/unfit-tools.ts`). */
const MOST: Shape = { parts: 15_000, characters: 200_000, depth: 48 };

/** Undefined if it would be too large. */
export function inputSchema(args: readonly Argument[], book: SchemaBook, steps: StepCount): JsonSchema | undefined {
  const definitions = closure(
    args.map(({ translated }) => translated),
    book,
    steps,
  );
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
  if (!definitions || !isForm(translated.schema)) return undefined;
  return { ...translated.schema, ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }) };
}

/** What is known of an argument without its schema: for those that are too large to be described. */
export function looseArgument(argument: Argument): Argument {
  const { schema } = argument.translated;
  const type = isForm(schema) ? schema["type"] : undefined;
  return { ...argument, translated: { schema: type === undefined ? {} : { type }, shape: NO_SHAPE, uses: new Set() } };
}

function propertyOf({ translated: { schema }, description, deprecated }: Argument): JsonSchema | boolean {
  if (description === undefined && !deprecated) return schema;
  const own = isForm(schema) ? schema : {};
  return { ...own, ...(description !== undefined && { description }), ...(deprecated && { deprecated }) };
}

type Definitions = readonly (readonly [string, JsonSchema | boolean])[];

/** Every definition that can be reached, each once; stops as soon as it is too much. */
function closure(roots: readonly Translated[], book: SchemaBook, steps: StepCount): Definitions | undefined {
  const reached = new Set<Definition>(roots.flatMap(({ uses }) => [...uses]));
  let shape = roots.map((root) => within(root.shape, "")).reduce(beside, NO_SHAPE);
  const definitions: [string, JsonSchema | boolean][] = [];
  for (const definition of reached) {
    const translated = book.complete(definition);
    steps.add(1 + translated.uses.size);
    shape = beside(shape, within(translated.shape, definition.name));
    if (isTooLarge(shape)) return undefined;
    for (const used of translated.uses) reached.add(used);
    definitions.push([definition.name, translated.schema]);
  }
  return isTooLarge(shape) ? undefined : definitions;
}

function isTooLarge({ parts, characters, depth }: Shape): boolean {
  return parts > MOST.parts || characters > MOST.characters || depth > MOST.depth;
}
