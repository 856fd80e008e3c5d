/** What a tool answered, as what it is. Nothing of it is ever taken for HTML, and only pictures and sounds become data URLs. */
import type { ToolContent, ToolResult } from "../../kit/call-tool.ts";
import { readJson } from "../../kit/exact-json.ts";
import { isEqual } from "./values.ts";

export type Part =
  | { readonly kind: "text"; readonly text: string; readonly uri?: string | undefined }
  | {
      readonly kind: "json";
      readonly value: unknown;
      readonly uri?: string | undefined;
      readonly isStructured?: boolean;
    }
  | {
      readonly kind: "image" | "audio";
      readonly source: string;
      readonly mime: string;
      readonly uri?: string | undefined;
    }
  | { readonly kind: "file"; readonly uri?: string | undefined; readonly mime: string; readonly base64: string }
  | {
      readonly kind: "link";
      readonly uri: string;
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      readonly mime?: string | undefined;
    }
  /** Of a kind that nobody has told us of. */
  | { readonly kind: "unknown"; readonly value: unknown };

/** Longer text is shown as the text that it is. */
const MOST_JSON = 4_000_000;
const NO_TYPE = "application/octet-stream";

export function partsOf(result: ToolResult): readonly Part[] {
  const { content, structuredContent } = result;
  const parts = Array.isArray(content) ? content.map(partOf) : content === undefined ? [] : [unknown(content)];
  if (structuredContent === undefined) return parts;
  // Many say the same once more as text, for clients that know no better.
  const others = parts.filter((part) => part.kind !== "json" || !isEqual(part.value, structuredContent));
  return [{ kind: "json", value: structuredContent, isStructured: true }, ...others];
}

/** The contents of a resource that was read. */
export function contentsOf(result: Readonly<Record<string, unknown>>): readonly Part[] {
  const { contents } = result;
  return Array.isArray(contents) ? contents.map(resourcePart) : [unknown(result)];
}

function partOf(content: ToolContent): Part {
  if (typeof content !== "object" || content === null) return unknown(content);
  switch (content.type) {
    case "text":
      return typeof content.text === "string" ? textPart(content.text) : unknown(content);
    case "image":
    case "audio":
      return mediaPart(content.mimeType, content.data) ?? unknown(content);
    case "resource":
      return resourcePart(content.resource);
    case "resource_link":
      return linkPart(content) ?? unknown(content);
    default:
      return unknown(content);
  }
}

function textPart(text: string, uri?: string): Part {
  const value = jsonIn(text);
  return value === undefined ? { kind: "text", text, uri } : { kind: "json", value, uri };
}

/** Objects and lists: a bare number or word is text like any other. */
function jsonIn(text: string): unknown {
  if (text.length > MOST_JSON || !/^\s*[{[]/.test(text)) return undefined;
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function mediaPart(mime: unknown, data: unknown, uri?: string): Part | undefined {
  if (typeof mime !== "string" || typeof data !== "string") return undefined;
  const kind = mediaKind(mime);
  const base64 = base64In(data);
  if (kind === undefined || base64 === undefined) return undefined;
  return { kind, mime, uri, source: `data:${mime};base64,${base64}` };
}

/** A browser shows an `<img>` of any such type without running what may be in it. */
export function mediaKind(mime: string): "image" | "audio" | undefined {
  const [, kind] = /^(image|audio)\/[a-z0-9][a-z0-9.+-]*$/i.exec(mime) ?? [];
  return kind === undefined ? undefined : (kind.toLowerCase() as "image" | "audio");
}

function base64In(data: string): string | undefined {
  const joined = data.replace(/\s+/g, "");
  return /^[A-Za-z0-9+/]+={0,2}$/.test(joined) ? joined : undefined;
}

function resourcePart(resource: ToolContent | undefined): Part {
  if (typeof resource !== "object" || resource === null) return unknown(resource);
  const uri = typeof resource.uri === "string" ? resource.uri : undefined;
  if (typeof resource.text === "string") return textPart(resource.text, uri);
  const base64 = typeof resource.blob === "string" ? base64In(resource.blob) : undefined;
  if (base64 === undefined) return unknown(resource);
  const mime = typeof resource.mimeType === "string" ? resource.mimeType : NO_TYPE;
  return mediaPart(mime, base64, uri) ?? { kind: "file", uri, mime, base64 };
}

function linkPart({ uri, name, title, description, mimeType }: ToolContent): Part | undefined {
  if (typeof uri !== "string") return undefined;
  const [called, said, mime] = [title ?? name, description, mimeType].map((text) =>
    typeof text === "string" ? text : undefined,
  );
  return { kind: "link", uri, name: called, description: said, mime };
}

function unknown(value: unknown): Part {
  return { kind: "unknown", value: value ?? null };
}

/** What may be opened by a click; everything else is only named. */
export function webAddress(uri: string): string | undefined {
  return /^https?:\/\//i.test(uri) && URL.canParse(uri) ? uri : undefined;
}

/** A name to save it under: the last part of where it is from, and nothing that means something to a file system. */
export function fileName(uri: string | undefined): string {
  const last = (uri ?? "").split(/[?#]/, 1)[0]?.split("/").filter(Boolean).at(-1) ?? "";
  const plain = last.replace(/[^\p{L}\p{N}._ -]/gu, "_").replace(/^\.+/, "");
  return plain.slice(0, 100) || "file";
}

/** How many bytes so much base64 is. */
export function bytesOf(base64: string): number {
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}
