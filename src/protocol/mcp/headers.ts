/**
 * The headers in which a request of a stateless revision repeats parts of its body, so that intermediaries can route it
 * without reading on. Who reads the body has to check that both say the same. Pure.
 */
import { HEADER_NAME, isObject } from "../../contract/rules.ts";
import { ZaguanError } from "../../errors.ts";
import { memberOf } from "../json/scan.ts";
import { membersOf } from "../json/text-edit.ts";
import { memberString } from "../json-rpc/message.ts";

const SENTINEL_START = "=?base64?";
const SENTINEL_END = "?=";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Nothing but printable ASCII, and no blank at either end. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const LAWFUL_TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** Where schemas stand in a schema beside `properties`; an argument in there has no fixed place to be found at. */
const SUBSCHEMAS = [
  "items",
  "prefixItems",
  "contains",
  "unevaluatedItems",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
];
const SCHEMAS_BY_NAME = ["patternProperties", "dependentSchemas", "$defs", "definitions"];

/** Which member of params the header `Mcp-Name` repeats. */
export const NAMED_BY: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
});

/** An argument that its tool wants repeated in a header. */
export interface ParamHeader {
  readonly header: string;
  /** The names of properties that lead to it. */
  readonly path: readonly string[];
}

/** Without the white space around it that HTTP allows. */
export function trimmed(value: string): string {
  const hasBlank = isBlank(value.charCodeAt(0)) || isBlank(value.charCodeAt(value.length - 1));
  return hasBlank ? value.replace(/^[ \t]+|[ \t]+$/g, "") : value;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** What a value stands for: itself, or what it hides in base64. Undefined if that is malformed. */
export function decodeHeader(value: string): string | undefined {
  const plain = trimmed(value);
  const encoded = plain.startsWith(SENTINEL_START) && plain.endsWith(SENTINEL_END);
  if (!encoded || plain.length < SENTINEL_START.length + SENTINEL_END.length) return plain;
  const base64 = plain.slice(SENTINEL_START.length, -SENTINEL_END.length);
  if (!BASE64.test(base64)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
    );
  } catch {
    return undefined;
  }
}

/** As it can stand in a header: itself if it is plain ASCII that nobody trims or decodes, else hidden in base64. */
export function encodeHeader(value: string): string {
  if (PLAIN.test(value) && !(value.startsWith(SENTINEL_START) && value.endsWith(SENTINEL_END))) return value;
  const bytes = new TextEncoder().encode(value);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `${SENTINEL_START}${btoa(binary)}${SENTINEL_END}`;
}

/**
 * The arguments that a tool's schema wants in headers. Where its author broke the rules clients must drop the tool, and
 * those that do not cannot know what to send: nothing is asked of them then. Numbers that need not be whole are against
 * the rules too, but there are clients that send them, and what is sent is checked.
 */
export function paramHeaders(inputSchema: unknown): readonly ParamHeader[] {
  return collect(inputSchema, [...LAWFUL_TYPES, "number"]) ?? [];
}

/** The same for whom we call: undefined if the tool is one that clients must drop. */
export function lawfulParamHeaders(inputSchema: unknown): readonly ParamHeader[] | undefined {
  return collect(inputSchema, LAWFUL_TYPES);
}

/** The headers that repeat these arguments. */
function paramHeaderValues(wanted: readonly ParamHeader[], args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of wanted) {
    const value = valueAt(args, path);
    if (isCarried(value)) headers[header] = encodeHeader(String(value));
  }
  return headers;
}

/** The first of these headers that does not say what the arguments say, as a failure. */
export function paramMismatch(
  wanted: readonly ParamHeader[],
  args: unknown,
  headerOf: (name: string) => string | undefined,
): ZaguanError | undefined {
  const wrong = wanted.find(({ header, path }) => {
    const value = valueAt(args, path);
    return isCarried(value) && !says(headerOf(header), value);
  });
  return wrong && mismatch(wrong.header);
}

export function mismatch(header: string): ZaguanError {
  return new ZaguanError("HEADER_MISMATCH", { params: { header }, data: { header } });
}

/** Undefined as soon as an annotation is unlawful: no name of a header, given twice, of another type, or out of reach. */
function collect(inputSchema: unknown, types: readonly unknown[]): readonly ParamHeader[] | undefined {
  const found = new Map<string, ParamHeader>();
  for (const { name, path, type } of annotations(inputSchema, [])) {
    if (typeof name !== "string" || !HEADER_NAME.test(name) || !path || !types.includes(type)) return undefined;
    const header = `mcp-param-${name.toLowerCase()}`;
    if (found.has(header)) return undefined;
    found.set(header, { header, path });
  }
  return [...found.values()];
}

interface Annotation {
  readonly name: unknown;
  /** Undefined where no chain of `properties` leads. */
  readonly path: readonly string[] | undefined;
  readonly type: unknown;
}

function* annotations(schema: unknown, path: readonly string[] | undefined): Generator<Annotation> {
  if (Array.isArray(schema)) for (const inner of schema) yield* annotations(inner, undefined);
  if (!isObject(schema)) return;
  const name = schema["x-mcp-header"];
  if (name !== undefined) yield { name, path: path?.length ? path : undefined, type: schema["type"] };
  for (const [key, inner] of entriesOf(schema["properties"])) yield* annotations(inner, path && [...path, key]);
  for (const key of SUBSCHEMAS) yield* annotations(schema[key], undefined);
  for (const key of SCHEMAS_BY_NAME)
    for (const [, inner] of entriesOf(schema[key])) yield* annotations(inner, undefined);
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** Objects have no form in a header, and integers that lost digits in reading cannot be compared. */
function isCarried(value: unknown): value is string | number | boolean {
  if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
  return typeof value === "string" || typeof value === "boolean";
}

function says(header: string | undefined, value: string | number | boolean): boolean {
  const said = header === undefined ? undefined : decodeHeader(header);
  if (said === undefined) return false;
  if (typeof value === "number" && DECIMAL.test(said)) return Number(said) === value;
  return said === String(value);
}

/**
 * The headers of a request that we send.
 * @param wanted the arguments that the tool wants repeated, if a tool is called
 */
export function requestHeaders(
  method: string,
  params: string,
  version: string,
  wanted: readonly ParamHeader[] = [],
): Record<string, string> {
  const headers: Record<string, string> = { "mcp-protocol-version": version, "mcp-method": encodeHeader(method) };
  const key = NAMED_BY[method];
  if (key === undefined) return headers;
  const members = membersOf(params);
  const name = memberString(params, members, key);
  if (name !== undefined) headers["mcp-name"] = encodeHeader(name);
  const args = wanted.length === 0 ? undefined : memberOf(members, "arguments");
  return args ? { ...headers, ...paramHeaderValues(wanted, JSON.parse(params.slice(args.start, args.end))) } : headers;
}
