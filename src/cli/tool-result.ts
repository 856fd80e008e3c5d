/** A tool's result for a person: text as text, structured content as JSON, everything else as a short note. */
import { isDeepStrictEqual } from "node:util";
import type { Say } from "./command.ts";

type Item = Readonly<Record<string, unknown>>;

interface ShownResult {
  readonly text: string;
  readonly isError: boolean;
}

export function showResult(result: unknown, say: Say): ShownResult {
  const { content, structuredContent, isError } = (result ?? {}) as Item;
  const items = Array.isArray(content) ? (content as Item[]) : undefined;
  if (!items && structuredContent === undefined) return { text: pretty(result), isError: isError === true };
  // Servers say the same twice, as text and in structure: the text is for people, unless it is only the structure again.
  const shown = (items ?? []).filter((item) => structuredContent === undefined || !repeats(item, structuredContent));
  const lines = shown.length > 0 ? shown.map((item) => note(item, say)) : [pretty(structuredContent)];
  return { text: lines.join("\n"), isError: isError === true };
}

function repeats(item: Item, structured: unknown): boolean {
  if (item["type"] !== "text") return false;
  try {
    return isDeepStrictEqual(JSON.parse(String(item["text"])), structured);
  } catch {
    return false;
  }
}

function note(item: Item, say: Say): string {
  const type = String(item["type"]);
  if (type === "text") return String(item["text"] ?? "");
  if (type === "resource_link") return `[${String(item["uri"])}]`;
  if (type === "resource") return resourceNote((item["resource"] ?? {}) as Item, say);
  if (typeof item["data"] === "string") return dataNote(type, item["mimeType"], item["data"], say);
  return pretty(item);
}

function resourceNote(resource: Item, say: Say): string {
  if (typeof resource["text"] === "string") return resource["text"];
  return dataNote(String(resource["uri"]), resource["mimeType"], String(resource["blob"] ?? ""), say);
}

function dataNote(what: string, mimeType: unknown, base64: string, say: Say): string {
  return say("cli.call.data", { what, type: String(mimeType ?? "?"), bytes: Buffer.byteLength(base64, "base64") });
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}
