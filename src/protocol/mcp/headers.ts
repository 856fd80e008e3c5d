/**
 * The headers in which a request of a stateless revision repeats parts of its body, so that intermediaries can route it
 * without reading on. Who reads the body has to check that both say the same. Pure.
 */
import { ZaguanError } from "../../errors.ts";

const SENTINEL_START = "=?base64?";
const SENTINEL_END = "?=";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const HEADER_TYPES = ["string", "integer", "number", "boolean"];

/** Which member of params the header `Mcp-Name` repeats. */
export const NAMED_BY: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
});

/** An argument that its tool wants repeated in a header. */
export interface ParamHeader {
  readonly header: string;
  /** The names of properties that lead to it. */
  readonly path: readonly string[];
}

/** Without the white space around it that HTTP allows. */
export function trimmed(value: string): string {
  return value.replace(/^[ \t]+|[ \t]+$/g, "");
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

/**
 * The arguments that a tool's schema wants in headers. Where its author broke the rules clients must drop the tool, and
 * those that do not cannot know what to send: nothing is asked of them then.
 */
export function paramHeaders(inputSchema: unknown): readonly ParamHeader[] {
  const found: ParamHeader[] = [];
  const names = new Set<string>();
  const lawful = collect(inputSchema, [], (header, path) => {
    found.push({ header: `mcp-param-${header.toLowerCase()}`, path });
    return names.size < names.add(header.toLowerCase()).size;
  });
  return lawful ? found : [];
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

/** Walks through `properties` alone, as the revision asks; false as soon as an annotation is unlawful. */
function collect(schema: unknown, path: readonly string[], take: (header: string, path: readonly string[]) => boolean) {
  if (!isObject(schema)) return true;
  const header = schema["x-mcp-header"];
  if (header !== undefined && path.length > 0) {
    if (typeof header !== "string" || !TOKEN.test(header)) return false;
    if (!HEADER_TYPES.includes(String(schema["type"])) || !take(header, path)) return false;
  }
  const properties = schema["properties"];
  if (!isObject(properties)) return true;
  for (const [name, inner] of Object.entries(properties)) if (!collect(inner, [...path, name], take)) return false;
  return true;
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
