/**
 * The styles in which OpenAPI 3 writes parameters, which are those of RFC 6570. A value never becomes structure: what
 * separates segments, pairs or list items is encoded wherever it stands inside a value.
 */
import { isFields, plainText, wrongArgument } from "./arguments.ts";
import type { ApiParameter } from "./operation.ts";

/** Encoded already. */
export type Pair = readonly [name: string, value: string];

/** Leaves RFC 3986's unreserved characters and nothing else. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, hexOf);
}

/** For `allowReserved`: but for those that would end the value, or be read as something else. */
function encodeLoosely(text: string): string {
  return percentEncode(text).replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|3D)/g, decodeURIComponent);
}

/** Undefined where there is nothing to write: RFC 6570 takes null, and lists and objects of nothing, as undefined. */
export function pathText(parameter: ApiParameter, value: unknown): string | undefined {
  const { name, style, explode, contentType } = parameter;
  const key = percentEncode(name);
  const parts = contentType === undefined ? partsOf(value) : { plain: writtenAs(contentType, value) };
  if (!parts) return undefined;
  if (style === "label") return labelText(parts, explode);
  if (style === "matrix") return matrixText(key, parts, explode);
  return simpleText(parts, explode, percentEncode);
}

/** Not percent-encoded: nobody decodes a header. */
export function headerText(parameter: ApiParameter, value: unknown): string | undefined {
  const { explode, contentType } = parameter;
  const parts = contentType === undefined ? partsOf(value) : { plain: writtenAs(contentType, value) };
  if (!parts) return undefined;
  return headerValue(parameter.name, simpleText(parts, explode, String));
}

/** The pairs of name and value that a parameter of a query or of cookies is written as. */
export function pairsOf(parameter: ApiParameter, value: unknown): Pair[] {
  const { name, style, explode, contentType, allowReserved } = parameter;
  const encode = allowReserved && parameter.in === "query" ? encodeLoosely : percentEncode;
  const key = percentEncode(name);
  if (contentType !== undefined) return value === undefined ? [] : [[key, encode(writtenAs(contentType, value))]];
  if (style === "deepObject" && typeof value === "object") return deepPairs(key, value, encode);
  const parts = partsOf(value);
  if (!parts) return [];
  if ("plain" in parts) return [[key, encode(parts.plain)]];
  if (explode && "items" in parts) return parts.items.map((item) => [key, encode(item)]);
  if (explode && "fields" in parts) return parts.fields.map(([field, item]) => [percentEncode(field), encode(item)]);
  return [
    [
      key,
      flat(parts)
        .map(inList(encode))
        .join(DELIMITERS[style] ?? ","),
    ],
  ];
}

/** Refuses what would end the header; what is not ASCII leaves as UTF-8. */
function headerValue(name: string, text: string): string {
  for (const character of text) {
    const code = character.charCodeAt(0);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) {
      throw wrongArgument("api.headerCharacters", { name });
    }
  }
  return Buffer.from(text, "utf8").toString("latin1");
}

/** A value whose place has a media type of its own. */
export function writtenAs(contentType: string, value: unknown): string {
  return isJson(contentType) || typeof value !== "string" ? (JSON.stringify(value) ?? "null") : value;
}

export function isJson(contentType: string): boolean {
  return /^[\w.-]+\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType.trim());
}

type Parts =
  | { readonly plain: string }
  | { readonly items: readonly string[] }
  | { readonly fields: readonly (readonly [string, string])[] };

const DELIMITERS: Readonly<Record<string, string>> = { spaceDelimited: "%20", pipeDelimited: "%7C" };

function partsOf(value: unknown): Parts | undefined {
  if (isNothing(value)) return undefined;
  if (Array.isArray(value)) {
    const items = value.filter((item) => !isNothing(item)).map(plainText);
    return items.length > 0 ? { items } : undefined;
  }
  if (!isFields(value)) return { plain: plainText(value) };
  const fields = Object.entries(value).filter(([, item]) => !isNothing(item));
  return fields.length > 0 ? { fields: fields.map(([key, item]) => [key, plainText(item)] as const) } : undefined;
}

function simpleText(parts: Parts, explode: boolean, encode: (text: string) => string): string {
  if (explode && "fields" in parts)
    return parts.fields.map(([key, item]) => `${encode(key)}=${encode(item)}`).join(",");
  return flat(parts).map(encode).join(",");
}

function labelText(parts: Parts, explode: boolean): string {
  const items =
    explode && "fields" in parts
      ? parts.fields.map(([key, item]) => `${percentEncode(key)}=${percentEncode(item)}`)
      : flat(parts).map(percentEncode);
  return `.${items.join(explode ? "." : ",")}`;
}

function matrixText(key: string, parts: Parts, explode: boolean): string {
  if (explode && "items" in parts) return parts.items.map((item) => matrixPair(key, percentEncode(item))).join("");
  if (explode && "fields" in parts) {
    return parts.fields.map(([field, item]) => matrixPair(percentEncode(field), percentEncode(item))).join("");
  }
  return matrixPair(key, flat(parts).map(percentEncode).join(","));
}

function matrixPair(key: string, value: string): string {
  return value === "" ? `;${key}` : `;${key}=${value}`;
}

/** OpenAPI defines one level of objects; deeper ones, and lists, are written as those do who use it. */
function deepPairs(key: string, value: unknown, encode: (text: string) => string): Pair[] {
  if (isNothing(value)) return [];
  const inner = Array.isArray(value) ? [...value.entries()] : isFields(value) ? Object.entries(value) : undefined;
  if (!inner) return [[key, encode(plainText(value))]];
  return inner.flatMap(([name, item]) => deepPairs(`${key}%5B${percentEncode(String(name))}%5D`, item, encode));
}

function flat(parts: Parts): readonly string[] {
  if ("plain" in parts) return [parts.plain];
  return "items" in parts ? parts.items : parts.fields.flat();
}

/** A comma of the value's own must not look like one between values. */
function inList(encode: (text: string) => string): (text: string) => string {
  return (text) => encode(text).replaceAll(",", "%2C");
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
