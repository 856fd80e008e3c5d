/** Parameters of an operation: those of its path and its own, with the styles that hold where none is written. */
import { isObject } from "../contract/rules.ts";
import type { ApiParameter, ParameterPlace, ParameterStyle } from "../sources/api/operation.ts";
import type { StepCount } from "./limits.ts";
import { compact, type Form, fault, formAt, listAt, member, type References, textAt } from "./lookup.ts";
import { isJsonType } from "./media.ts";
import type { SchemaBook, Translated } from "./schema-book.ts";
import { argumentName, note, type UniqueNames } from "./wording.ts";

/** A member of a tool's arguments. */
export interface Argument {
  readonly name: string;
  readonly required: boolean;
  readonly translated: Translated;
  /** What is said of it where it is used, instead of what its schema says of itself. */
  readonly description?: string | undefined;
  readonly deprecated?: boolean;
}

interface ReadParameters {
  readonly parameters: readonly ApiParameter[];
  readonly arguments: readonly Argument[];
}

const STYLES: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};
const PLACES = Object.keys(STYLES) as ParameterPlace[];
/** The specification has these described elsewhere. */
const NOT_PARAMETERS = new Set(["accept", "content-type", "authorization"]);
const MOST = 500;

export function readParameters(
  { pathItem, operation, path, where }: { pathItem: Form; operation: Form; path: string; where: string },
  references: References,
  book: SchemaBook,
  names: UniqueNames,
  steps: StepCount,
): ReadParameters {
  const raw = [...listAt(pathItem, "parameters"), ...listAt(operation, "parameters")];
  if (raw.length > MOST) throw fault(where, `has more than ${MOST} parameters`);
  steps.add(raw.length * 4);
  const described = merged(raw.map((each) => references.form(each, `${where}.parameters`)));
  const inPath = placesIn(path);
  const known = described.filter((each) => each["in"] !== "path" || inPath.has(String(each["name"])));
  const forgotten = [...inPath].filter((name) => !known.some((each) => each["in"] === "path" && each["name"] === name));
  const all = [...forgotten.map(inferred), ...known].sort((one, other) => rank(one) - rank(other));
  const read = all.map((each) => readOne(each, where, book, names));
  return { parameters: read.map(([parameter]) => parameter), arguments: read.map(([, argument]) => argument) };
}

/** The operation's own replace those of the path that have the same name and place. */
function merged(parameters: readonly Form[]): Form[] {
  const byKey = new Map<string, Form>();
  for (const each of parameters) {
    const [name, place] = [textAt(each, "name"), textAt(each, "in")];
    if (name === undefined || !PLACES.includes(place as ParameterPlace)) continue;
    if (place === "header" && NOT_PARAMETERS.has(name.toLowerCase())) continue;
    byKey.set(`${place} ${place === "header" ? name.toLowerCase() : name}`, each);
  }
  return [...byKey.values()];
}

function placesIn(path: string): Set<string> {
  return new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name ?? ""));
}

/** A place in the path that nobody described has to be filled all the same. */
function inferred(name: string): Form {
  return { name, in: "path", required: true, schema: { type: "string" } };
}

function rank(parameter: Form): number {
  return PLACES.indexOf(parameter["in"] as ParameterPlace);
}

function readOne(raw: Form, where: string, book: SchemaBook, names: UniqueNames): [ApiParameter, Argument] {
  const name = textAt(raw, "name") ?? "";
  const place = raw["in"] as ParameterPlace;
  const argument = names.take(argumentName(name));
  const required = place === "path" || raw["required"] === true;
  const [mediaType, media] = contentOf(raw);
  const translated = book.translate(
    mediaType === undefined ? raw["schema"] : member(media, "schema"),
    `${where}.${name}`,
  );
  // What an API does without a value is its own business: only what it insists on is filled in for the caller.
  const fallback = required ? member(translated.schema, "default") : undefined;
  const parameter = compact<ApiParameter>({
    argument,
    name,
    in: place,
    ...styleOf(raw, place),
    allowReserved: raw["allowReserved"] === true ? true : undefined,
    required,
    default: fallback,
    contentType: mediaType,
  });
  const description = note(raw["description"]);
  const deprecated = raw["deprecated"] === true;
  return [
    parameter,
    { name: argument, required: required && fallback === undefined, translated, description, deprecated },
  ];
}

function styleOf(raw: Form, place: ParameterPlace): Pick<ApiParameter, "style" | "explode"> {
  const allowed = STYLES[place];
  const style = allowed.find((each) => each === raw["style"]) ?? (allowed[0] as ParameterStyle);
  const { explode } = raw;
  return { style, explode: typeof explode === "boolean" ? explode : style === "form" || style === "deepObject" };
}

function contentOf(raw: Form): [string | undefined, unknown] {
  const content = Object.entries(formAt(raw, "content")).filter(([, media]) => isObject(media));
  return content.find(([type]) => isJsonType(type)) ?? content[0] ?? [undefined, undefined];
}
