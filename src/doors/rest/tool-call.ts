/**
 * Calls of tools over plain HTTP, for callers who know nothing of MCP: the headers of seed 003 that say how a call is wanted,
 * the call, and its result. A header that cannot be understood counts as not given: it never prevents a call.
 */
import { PRIORITIES, type Priority } from "../../contract/rules.ts";
import type { CallOptions, Freshness } from "../../core/call.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import type { Payload } from "../../protocol/json/payload.ts";
import { scanJson } from "../../protocol/json/scan.ts";
import { membersOf } from "../../protocol/json/text-edit.ts";
import type { DoorContext, Exchange } from "../door.ts";
import { notByCaller } from "../mcp/failure.ts";

const SECONDS = /^[+-]?\d+(?:\.\d+)?$/;
const LEAST_SECONDS = 1;
const MOST_SECONDS = 300;

export function callOptionsIn(exchange: Exchange): CallOptions {
  return { priority: priorityIn(exchange), timeoutMs: timeoutMsIn(exchange), freshness: freshnessIn(exchange) };
}

export function priorityIn(exchange: Exchange): Priority {
  const wanted = exchange.header("x-priority")?.trim().toUpperCase() ?? "";
  return PRIORITIES.find((priority) => priority === wanted) ?? "MEDIUM";
}

/** Undefined where the hub's own time limit holds. */
export function timeoutMsIn(exchange: Exchange): number | undefined {
  const wanted = exchange.header("x-timeout")?.trim() ?? "";
  if (!SECONDS.test(wanted)) return undefined;
  return Math.min(Math.max(Number(wanted), LEAST_SECONDS), MOST_SECONDS) * 1_000;
}

/** Of several directives the strictest. */
export function freshnessIn(exchange: Exchange): Freshness | undefined {
  const ages = (exchange.header("x-cache-control") ?? "").toLowerCase().split(",").map(ageIn);
  const known = ages.filter((age) => age !== undefined);
  return known.length === 0 ? undefined : { maxAgeSeconds: Math.min(...known) };
}

function ageIn(directive: string): number | undefined {
  const said = directive.trim();
  if (said === "no-cache" || said === "no-store") return 0;
  const [, seconds] = /^max-age="?(\d+)"?$/.exec(said) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

interface NamedCall {
  readonly tool: string;
  readonly args: Payload;
  /** For the log. */
  readonly door: string;
}

export async function callTool({ gateway }: DoorContext, exchange: Exchange, call: NamedCall): Promise<ToolResult> {
  const { principal, language, left } = exchange;
  try {
    return readResult(await gateway.call({ ...call, ...callOptionsIn(exchange), principal, language, signal: left }));
  } catch (cause) {
    throw left.aborted ? cause : notByCaller(cause);
  }
}

/** What a tool gave, with every character as it was written: a number beyond 2^53 keeps its digits. */
export interface ToolResult {
  /** The tool itself says that it failed. */
  readonly failed: boolean;
  /** Undefined where the answer has no list of contents. */
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

/** Deeper JSON is passed on as text: the parsers of many languages give up at some depth. */
const READABLE = { depth: 128, elements: Number.POSITIVE_INFINITY };
const AS_SENT = { refuseDuplicates: false };
const NOTHING: Content = {};

function readResult({ text, value }: Payload): ToolResult {
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
