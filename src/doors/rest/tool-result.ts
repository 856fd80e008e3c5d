/**
 * What a tool gave, for callers who know nothing of MCP. Text that is JSON is JSON to them, with every character as it
 * was written: a number beyond 2^53 keeps its digits.
 */
import { type Language, say } from "../../messages/catalogue.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { scanJson } from "../../protocol/json/scan.ts";
import { membersOf } from "../../protocol/json/text-edit.ts";

export interface ToolResult {
  /** The tool itself says that it failed. */
  readonly failed: boolean;
  /** Undefined where the answer has none, and is something else. */
  readonly contents: readonly Content[] | undefined;
  /** `contents` as they were written. */
  readonly contentsText: string | undefined;
  /** `structuredContent` as it was written. */
  readonly structured: string | undefined;
  /** All of it as it was written. */
  readonly text: string;
}

/** One part of what a tool gave; a source may write anything there. */
export interface Content {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
}

/** Deeper JSON is a text to us: the parsers of many languages give up at some depth. */
const READABLE = { depth: 128, elements: Number.POSITIVE_INFINITY };
const AS_SENT = { refuseDuplicates: false };
const NOTHING: Content = {};

export function readResult({ text, value }: Payload): ToolResult {
  const { content, isError } = (value ?? {}) as { content?: unknown; isError?: unknown };
  const contents = Array.isArray(content) ? content.map(asContent) : undefined;
  const written = writtenIn(text);
  return {
    failed: isError === true,
    contents,
    contentsText: contents && written("content"),
    structured: written("structuredContent"),
    text,
  };
}

/** The text of a part that is text. */
export function textIn({ type, text }: Content): string | undefined {
  return type === "text" && typeof text === "string" ? text : undefined;
}

/** JSON as it was written where the text is some; else the text, as a JSON string. */
export function asJson(text: string): string {
  return scanJson(text, READABLE, AS_SENT).ok ? text : JSON.stringify(text);
}

/** Why a tool failed, in its own words. */
export function failureIn({ contents = [] }: ToolResult, language: Language): string {
  const said = contents.flatMap((content) => textIn(content) ?? []).join("\n");
  return said.trim() === "" ? say(language, "apiTools.failed") : said;
}

/** Null counts as absent. Of two members of one name the last one counts, as for everybody who parses it. */
function writtenIn(text: string): (key: string) => string | undefined {
  const members = membersOf(text);
  return (wanted) => {
    const member = members.findLast(({ key }) => key === wanted);
    const written = member && text.slice(member.start, member.end);
    return written === "null" ? undefined : written;
  };
}

function asContent(part: unknown): Content {
  return typeof part === "object" && part !== null ? part : NOTHING;
}
