/** The body of an operation: its members become arguments of the tool, or the whole of it is one argument. */
import { isObject } from "../contract/rules.ts";
import type { ApiBody, ApiBodyMember } from "../sources/api/operation.ts";
import type { StepCount } from "./limits.ts";
import { compact, type Form, formAt, listAt, member, type References, textAt } from "./lookup.ts";
import { type Chosen, chooseMedia, formWriting, NO_WRITING, partType, type Writing } from "./media.ts";
import type { Argument } from "./parameters.ts";
import type { SchemaBook, Translated } from "./schema-book.ts";
import { NO_SHAPE } from "./shape.ts";
import { argumentName, note, UniqueNames } from "./wording.ts";

interface ReadBody {
  readonly body: ApiBody;
  readonly arguments: readonly Argument[];
}

interface Context {
  readonly references: References;
  readonly book: SchemaBook;
  /** The argument names that the parameters have taken. */
  readonly names: UniqueNames;
  readonly steps: StepCount;
  readonly where: string;
}

const MOST_DESCRIBED = 500;

/** Undefined where nothing is sent. */
export function readBody(raw: unknown, context: Context): ReadBody | undefined {
  if (raw === undefined) return undefined;
  const described = context.references.form(raw, context.where);
  const content = formAt(described, "content");
  const chosen = chooseMedia(Object.keys(content));
  if (!chosen) return undefined;
  const media = isObject(content[chosen.written]) ? (content[chosen.written] as Form) : {};
  const required = described["required"] === true;
  const canSpread = chosen.kind === "json" || chosen.kind === "form" || chosen.kind === "multipart";
  const parts = canSpread ? spread(media["schema"], context) : undefined;
  const asMembers = parts && inMembers(parts, chosen, media, required, context);
  return asMembers ?? whole(chosen, media, required, note(described["description"]), context);
}

/** Undefined where a member would take the name of a parameter. */
function inMembers(
  { properties, required: needed }: Spread,
  chosen: Chosen,
  media: Form,
  required: boolean,
  { book, names, where }: Context,
): ReadBody | undefined {
  const visible = [...properties].filter(([, raw]) => !book.isHidden(raw, where));
  if (visible.length === 0 || visible.some(([name]) => names.has(argumentName(name)))) return undefined;
  const taken = new UniqueNames();
  const members: ApiBodyMember[] = [];
  const args: Argument[] = [];
  for (const [name, raw] of visible) {
    const argument = taken.take(argumentName(name));
    const translated =
      chosen.kind === "multipart" ? withFiles(raw, book, where) : book.translate(raw, `${where}.${name}`);
    members.push(compact<ApiBodyMember>({ argument, name, ...writingOf(name, raw, media, chosen) }));
    args.push({ name: argument, required: needed.has(name), translated });
  }
  // An empty object is sent where the API wants a body and nobody has anything to say.
  return { body: { contentType: chosen.contentType, kind: chosen.kind, required, members }, arguments: args };
}

/** Fields of a form that is one argument, as far as the document says how they are written. */
function describedIn(media: Form): ApiBodyMember[] {
  return Object.keys(formAt(media, "encoding"))
    .slice(0, MOST_DESCRIBED)
    .map((name) => compact<ApiBodyMember>({ argument: name, name, ...formWriting(media, name) }));
}

function whole(
  { kind, contentType }: Chosen,
  media: Form,
  required: boolean,
  description: string | undefined,
  { book, names, where }: Context,
): ReadBody {
  const argument = names.take("body");
  const members = kind === "form" ? describedIn(media) : [];
  const translated = kind === "text" ? TEXT : kind === "binary" ? BYTES : book.translate(media["schema"], where);
  return {
    body: { contentType, kind, required, argument, ...(members.length > 0 && { members }) },
    arguments: [{ name: argument, required, translated, description }],
  };
}

/** How a member is written; JSON needs no such setting. */
function writingOf(name: string, raw: unknown, media: Form, { kind }: Chosen): Writing {
  if (kind === "form") return formWriting(media, name);
  if (kind !== "multipart") return NO_WRITING;
  return {
    ...NO_WRITING,
    contentType: partType(media, name) ?? (isFile(raw) ? "application/octet-stream" : undefined),
  };
}

/** A file among the fields may be given as text, or with a name, a type and bytes. */
function withFiles(raw: unknown, book: SchemaBook, where: string): Translated {
  if (isFile(raw)) return described(FILE, raw);
  if (member(raw, "type") !== "array" || !isFile(member(raw, "items"))) return book.translate(raw, where);
  return described({ type: "array", items: FILE }, raw);
}

function isFile(raw: unknown): boolean {
  if (member(raw, "format") === "binary") return true;
  return textAt(raw, "contentMediaType") !== undefined && textAt(raw, "contentEncoding") === undefined;
}

const FILE: Form = {
  anyOf: [
    { type: "string", description: "The content as text" },
    {
      type: "object",
      properties: {
        filename: { type: "string" },
        contentType: { type: "string" },
        data: { type: "string", contentEncoding: "base64" },
      },
      required: ["data"],
      additionalProperties: false,
    },
  ],
};
const TEXT = described({ type: "string" }, undefined);
const BYTES = described({ type: "string", contentEncoding: "base64", description: "The content in base64" }, undefined);

function described(schema: Form, raw: unknown): Translated {
  const description = note(member(raw, "description"));
  const told = description === undefined ? schema : { ...schema, description };
  return { schema: told, shape: { ...NO_SHAPE, parts: 20, characters: 600, depth: 5 }, uses: new Set() };
}

interface Spread {
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
}

/** Keywords that speak of the object as a whole. */
const WHOLE = [
  "oneOf",
  "anyOf",
  "not",
  "if",
  "enum",
  "const",
  "minProperties",
  "maxProperties",
  "patternProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedProperties",
  "items",
];
const MOST_DEPTH = 8;
const MOST_PARTS = 50;
const MOST_MEMBERS = 500;

/**
 * An object's schema taken apart into its members, where it says nothing that they could not say one by one; undefined
 * where it has to stay one value.
 */
function spread(
  raw: unknown,
  { references, steps, where }: { references: References; steps: StepCount; where: string },
): Spread | undefined {
  const properties = new Map<string, unknown>();
  const required = new Set<string>();
  let parts = 0;
  let isClosed = false;
  const gather = (part: unknown, depth: number): boolean => {
    const schema = references.follow(part, where).value;
    if (!isObject(schema) || depth > MOST_DEPTH || ++parts > MOST_PARTS || !isPlainObject(schema)) return false;
    const members = Object.entries(formAt(schema, "properties"));
    steps.add(members.length);
    if (members.length > MOST_MEMBERS) return false;
    for (const [name, each] of members) {
      // Said twice, both would have to hold.
      if (properties.has(name)) return false;
      properties.set(name, each);
    }
    isClosed ||= member(schema, "additionalProperties") === false;
    for (const name of listAt(schema, "required")) if (typeof name === "string") required.add(name);
    return listAt(schema, "allOf").every((each) => gather(each, depth + 1));
  };
  if (!gather(raw, 0) || properties.size === 0) return undefined;
  // Some insist on a member that they forgot to describe: it has to be sent all the same.
  for (const name of isClosed ? [] : required) if (!properties.has(name)) properties.set(name, {});
  return { properties, required };
}

/** Members beyond those named would have no argument to come from. */
function isPlainObject(schema: Form): boolean {
  if (WHOLE.some((keyword) => Object.hasOwn(schema, keyword))) return false;
  const more = member(schema, "additionalProperties");
  const type = member(schema, "type");
  const isObject = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  return isObject && (more === undefined || more === false);
}
