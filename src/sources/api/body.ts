/** What is sent as a request's body, and as which type. Credentials that belong there win over arguments of their name. */
import { type Arguments, argumentOf, isFields, missingArgument, plainText, wrongArgument } from "./arguments.ts";
import type { Credentials } from "./auth.ts";
import { isJson, type Pair, pairsOf, percentEncode, writtenAs } from "./encode.ts";
import { fileIn, fromBase64, mediaTypeOf, multipart, type Part } from "./multipart.ts";
import type { ApiBody, ApiBodyMember, ApiOperation } from "./operation.ts";

export interface WrittenBody {
  readonly contentType: string;
  readonly content: string | Uint8Array;
}

type Fields = Readonly<Record<string, unknown>>;
type Secrets = Credentials["body"];

/** Undefined where nothing is to be sent. */
export function bodyOf({ body, method }: ApiOperation, args: Arguments, secrets: Secrets): WrittenBody | undefined {
  if (!body) return secrets.length > 0 && WITH_BODY.has(method) ? json(SECRETS_ONLY, {}, secrets) : undefined;
  if (body.template !== undefined) return templated(body, body.template, args, secrets);
  const value = body.argument === undefined ? membersIn(body, args) : argumentOf(args, body.argument);
  if (value === undefined && body.required && body.argument !== undefined) throw missingArgument(body.argument);
  if (value === undefined && !body.required && secrets.length === 0) return undefined;
  return WRITERS[body.kind](body, value === undefined ? {} : value, secrets);
}

const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
const SECRETS_ONLY: ApiBody = { contentType: "application/json", kind: "json", required: true };

const WRITERS: Readonly<Record<ApiBody["kind"], (body: ApiBody, value: unknown, secrets: Secrets) => WrittenBody>> = {
  json,
  form: ({ contentType, members = [] }, value, secrets) => ({
    contentType,
    content: formText(fieldsIn(value, secrets), members),
  }),
  multipart: (body, value, secrets) => {
    const { contentType, bytes } = multipart(partsOf(body, fieldsIn(value, secrets)));
    return { contentType, content: bytes };
  },
  text: ({ contentType }, value) => ({ contentType, content: typeof value === "string" ? value : plainText(value) }),
  binary: ({ contentType }, value) => binary(contentType, value),
};

function json({ contentType }: ApiBody, value: unknown, secrets: Secrets): WrittenBody {
  const whole = secrets.length > 0 && isFields(value) ? fieldsIn(value, secrets) : value;
  return { contentType, content: JSON.stringify(whole) };
}

/** base64, alone or as a file that says its type. */
function binary(contentType: string, value: unknown): WrittenBody {
  const file = fileIn(value) ?? (typeof value === "string" ? { data: value } : undefined);
  if (!file) throw wrongArgument("api.bodyBase64");
  const given = file.contentType === undefined ? contentType : mediaTypeOf(file.contentType);
  return { contentType: given.includes("*") ? "application/octet-stream" : given, content: fromBase64(file.data) };
}

/** Undefined if none of them was given. */
function membersIn({ members = [] }: ApiBody, args: Arguments): Fields | undefined {
  const given = members.flatMap((member) => {
    const value = givenFor(args, member);
    return value === undefined ? [] : [[member.name, value] as const];
  });
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

/** Null is a value in a body, and no reason for a default. */
function givenFor(args: Arguments, member: Pick<ApiBodyMember, "argument" | "default">): unknown {
  const given = argumentOf(args, member.argument);
  return given === undefined ? member.default : given;
}

function fieldsIn(value: unknown, secrets: Secrets): Fields {
  if (!isFields(value)) throw wrongArgument("api.bodyObject");
  return { ...value, ...Object.fromEntries(secrets) };
}

function partsOf({ members = [] }: ApiBody, fields: Fields): Part[] {
  return Object.entries(fields).map(([name, value]) => {
    const contentType = members.find((member) => member.name === name)?.contentType;
    return {
      name,
      contentType,
      value: contentType !== undefined && isJson(contentType) ? eachAs(contentType, value) : value,
    };
  });
}

/** Each item of a list is a part of its own. */
function eachAs(contentType: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => eachAs(contentType, item));
  return fileIn(value) ? value : writtenAs(contentType, value);
}

/** A secret that has its place in the template goes there, and any other beside what the template makes. */
function templated(body: ApiBody, template: string, args: Arguments, secrets: Secrets): WrittenBody {
  const { contentType, kind, members = [] } = body;
  const placed = new Set<string>();
  const content = fillTemplate(body, template, (argument) => {
    const secret = secrets.find(([name]) => name === argument);
    if (secret) placed.add(argument);
    return secret?.[1] ?? givenFor(args, members.find((member) => member.argument === argument) ?? { argument });
  });
  const others = secrets.filter(([name]) => !placed.has(name));
  if (others.length === 0 || kind !== "json") return { contentType, content };
  return json(body, parsed(content), others);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrongArgument("api.bodyTemplate");
  }
}

/**
 * A body of `application/x-www-form-urlencoded`. A field of which the document says how it is written is written like a
 * parameter of the query; of others a list is as many pairs, and an object, which has no form of its own, is JSON.
 */
function formText(fields: Readonly<Record<string, unknown>>, members: readonly ApiBodyMember[]): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) => {
    return fieldPairs(
      name,
      value,
      members.find((member) => member.name === name),
    );
  });
  // A form writes a space as it did before URLs had another way.
  return pairs
    .map(([name, value]) => `${name}=${value}`)
    .join("&")
    .replaceAll("%20", "+");
}

function fieldPairs(name: string, value: unknown, member: ApiBodyMember | undefined): Pair[] {
  if (value === undefined || value === null) return [];
  const { style, explode = true, allowReserved = false, contentType } = member ?? {};
  if (style !== undefined) {
    return pairsOf({ argument: name, name, in: "query", required: false, style, explode, allowReserved }, value);
  }
  if (contentType !== undefined) return [[percentEncode(name), percentEncode(writtenAs(contentType, value))]];
  const items = Array.isArray(value) ? value : [value];
  return items
    .filter((item) => item !== undefined && item !== null)
    .map((item) => [percentEncode(name), percentEncode(plainText(item))]);
}

const PLACE = /\{\{\s*([^{}\s]+)\s*\}\}/g;

/**
 * A body written out with `{{argument}}` in it. Each value is encoded for where it stands, so that it stays a value: in
 * JSON as a whole value, or as a part of the text between two quotes.
 */
function fillTemplate(body: ApiBody, template: string, give: (argument: string) => unknown): string {
  const write = writerFor(body);
  let isQuoted = false;
  let seen = 0;
  return template.replace(PLACE, (whole: string, argument: string, at: number) => {
    isQuoted = quotedAfter(template.slice(seen, at), isQuoted);
    seen = at + whole.length;
    return write(give(argument), isQuoted);
  });
}

type Write = (value: unknown, isQuoted: boolean) => string;

function writerFor({ kind, contentType }: ApiBody): Write {
  if (kind === "json") return jsonText;
  if (kind === "form") return (value) => percentEncode(bare(value));
  return /[/+]xml\b/i.test(contentType) ? (value) => xmlText(bare(value)) : bare;
}

/** What was not given is null, and nothing inside of a text. */
function jsonText(value: unknown, isQuoted: boolean): string {
  return isQuoted ? JSON.stringify(bare(value)).slice(1, -1) : (JSON.stringify(value) ?? "null");
}

function bare(value: unknown): string {
  return value === undefined || value === null ? "" : plainText(value);
}

function xmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Whether a JSON text is inside of a string after these characters. */
function quotedAfter(text: string, before: boolean): boolean {
  let isQuoted = before;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') isQuoted = !isQuoted;
    else if (text[i] === "\\" && isQuoted) i++;
  }
  return isQuoted;
}
