/** Which of the media types of a body is sent, and how. */
import type { ApiBody } from "../sources/api/operation.ts";

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
