/** Media types of a body: which one is sent, and how the parts of a form or a multipart body are written. */
import type { ApiBody, ApiBodyMember, ParameterStyle } from "../sources/api/operation.ts";
import { type Form, formAt, textAt } from "./lookup.ts";

export interface Chosen {
  readonly kind: ApiBody["kind"];
  /** As the document writes it, for looking it up. */
  readonly written: string;
  /** As it is sent. */
  readonly contentType: string;
}

const ORDER: readonly ApiBody["kind"][] = ["json", "form", "multipart", "text", "binary"];

export function isJsonType(type: string): boolean {
  return /^[\w.-]+\/(?:[\w.-]+\+)?json$/.test(bare(type));
}

/** JSON before forms before text before bytes; undefined of an empty list. */
export function chooseMedia(types: readonly string[]): Chosen | undefined {
  const sorted = types.map((written) => ({ written, kind: kindOf(written) })).sort(byPreference);
  const [best] = sorted;
  return best && { ...best, contentType: sentAs(best.written, best.kind) };
}

function byPreference(one: { kind: ApiBody["kind"] }, other: { kind: ApiBody["kind"] }): number {
  return ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind);
}

/** Anything is what a JSON API accepts who says nothing of it. */
function kindOf(written: string): ApiBody["kind"] {
  const type = bare(written);
  if (isJsonType(type) || type === "*/*" || type === "application/*") return "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (type.startsWith("multipart/")) return "multipart";
  return type.startsWith("text/") || /[/+](?:xml|yaml|x-yaml|ndjson|x-ndjson|jsonl)$/.test(type) ? "text" : "binary";
}

function sentAs(written: string, kind: ApiBody["kind"]): string {
  if (!written.includes("*")) return written.trim().slice(0, 200);
  return { json: "application/json", text: "text/plain", multipart: "multipart/form-data" }[kind as "json"] ?? written;
}

function bare(type: string): string {
  return (type.slice(0, 200).split(";", 1)[0] ?? "").trim().toLowerCase();
}

export type Writing = {
  readonly [K in "contentType" | "style" | "explode" | "allowReserved"]: ApiBodyMember[K] | undefined;
};

export const NO_WRITING: Writing = {
  contentType: undefined,
  style: undefined,
  explode: undefined,
  allowReserved: undefined,
};

const STYLES: readonly ParameterStyle[] = ["form", "spaceDelimited", "pipeDelimited", "deepObject"];

/** A style counts before a media type, and any word on it means that it is written like a parameter. */
export function formWriting(media: Form, name: string): Writing {
  const encoding = formAt(formAt(media, "encoding"), name);
  const { style: written, explode, allowReserved } = encoding;
  if (written === undefined && typeof explode !== "boolean" && allowReserved !== true) {
    const contentType = partType(media, name);
    return { ...NO_WRITING, contentType: contentType && isJsonType(contentType) ? contentType : undefined };
  }
  const style = STYLES.find((each) => each === written) ?? "form";
  return {
    contentType: undefined,
    style,
    explode: typeof explode === "boolean" ? explode : style === "form" || style === "deepObject",
    allowReserved: allowReserved === true ? true : undefined,
  };
}

/** The first of those that the document allows for it. */
export function partType(media: Form, name: string): string | undefined {
  const written = textAt(formAt(formAt(media, "encoding"), name), "contentType");
  const first = written?.slice(0, 200).split(",", 1)[0]?.trim();
  return !first || first.includes("*") ? undefined : first;
}
