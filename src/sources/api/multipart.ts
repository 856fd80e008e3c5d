/** A multipart/form-data body. The boundary is drawn anew for each, so that no value can hold it. */
import { randomBytes } from "node:crypto";
import { isFields, plainText, wrongArgument } from "./arguments.ts";

export interface Part {
  readonly name: string;
  readonly value: unknown;
  /** For a value that does not bring its own. */
  readonly contentType?: string | undefined;
}

/** A file as an argument. */
interface GivenFile {
  readonly filename?: string;
  readonly contentType?: string;
  /** base64 */
  readonly data: string;
}

export function multipart(parts: readonly Part[]): { readonly contentType: string; readonly bytes: Uint8Array } {
  const boundary = `zaguan-${randomBytes(24).toString("hex")}`;
  const chunks = parts.flatMap(flatten).flatMap((part) => [...head(boundary, part), bytesOf(part.value), CRLF]);
  const bytes = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes };
}

/** Undefined for what is no file. */
export function fileIn(value: unknown): GivenFile | undefined {
  if (!isFields(value) || typeof value["data"] !== "string") return undefined;
  if (Object.keys(value).some((key) => !FILE_KEYS.has(key))) return undefined;
  const { filename = "", contentType = "" } = value;
  return typeof filename === "string" && typeof contentType === "string" ? (value as unknown as GivenFile) : undefined;
}

export function fromBase64(text: string): Uint8Array {
  const compact = text.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) throw wrongArgument("api.fileBase64");
  return Buffer.from(compact, "base64");
}

/** What an argument says of itself stands in a header. */
export function mediaTypeOf(text: string): string {
  if (!/^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w-]+=(?:[\w.+-]+|"[\w .+-]*"))*$/.test(text)) {
    throw wrongArgument("api.fileType");
  }
  return text;
}

const FILE_KEYS: ReadonlySet<string> = new Set(["filename", "contentType", "data"]);
const CRLF = Buffer.from("\r\n");

/** A list is as many parts as it has items. */
function flatten(part: Part): Part[] {
  const values = Array.isArray(part.value) ? part.value : [part.value];
  return values.filter((value) => value !== undefined && value !== null).map((value) => ({ ...part, value }));
}

function* head(boundary: string, { name, value, contentType }: Part): Generator<Uint8Array> {
  const file = fileIn(value);
  const isFile = file !== undefined || isBinary(contentType);
  const filename = isFile ? `; filename="${quoted(file?.filename ?? name)}"` : "";
  const type = partType(value, file, contentType);
  yield Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"${filename}\r\n`);
  yield Buffer.from(`${type === undefined ? "" : `content-type: ${type}\r\n`}\r\n`);
}

function partType(value: unknown, file: GivenFile | undefined, contentType: string | undefined): string | undefined {
  if (file) return mediaTypeOf(file.contentType ?? contentType ?? "application/octet-stream");
  return contentType ?? (isFields(value) ? "application/json" : undefined);
}

function bytesOf(value: unknown): Uint8Array {
  const file = fileIn(value);
  return file ? fromBase64(file.data) : Buffer.from(plainText(value), "utf8");
}

/** A string for a part that is no text is a file's content. */
function isBinary(contentType: string | undefined): boolean {
  return contentType !== undefined && !/^text\/plain|json|xml|x-www-form-urlencoded/i.test(contentType);
}

/** As browsers write names. */
function quoted(name: string): string {
  return name
    .toWellFormed()
    .replace(/\r\n|\r|\n/g, "%0D%0A")
    .replaceAll('"', "%22");
}
