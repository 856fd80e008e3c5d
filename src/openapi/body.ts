/** The body of an operation: its members become arguments of the tool, or the whole of it is one argument. */
import { isObject } from "../contract/rules.ts";
import type { ApiBody, ApiBodyMember } from "../sources/api/operation.ts";
import { formWriting, NO_WRITING, partType, type Writing } from "./encoding.ts";
import { type Chosen, chooseMedia } from "./media.ts";
import { argumentName, UniqueNames } from "./names.ts";
import type { Argument } from "./parameters.ts";
import { compact, type Form, formAt, member, textAt } from "./plain.ts";
import type { References } from "./references.ts";
import type { SchemaBook, Translated } from "./schema-book.ts";
import { NO_SHAPE } from "./shape.ts";
import { type Spread, spread } from "./spread.ts";
import type { StepCount } from "./steps.ts";
import { note } from "./wording.ts";

interface ReadBody {
  readonly body: ApiBody;
  readonly arguments: readonly Argument[];
}

interface Context {
  readonly references: References;
  readonly book: SchemaBook;
  /** Those that the parameters have taken. */
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

/** JSON has one way. */
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
