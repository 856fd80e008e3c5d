/**
 * The line protocol of seed 000, both sides: one JSON object per line. What passes through is carried as the text it
 * came in, so ids and results keep their spelling. Splitting bytes into lines is not done here.
 */
import { isObject } from "../../contract/rules.ts";
import { type Member, memberOf, scanJson } from "../json/scan.ts";

/** A tool as `ready` announces it. */
export interface LineTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly output_schema?: Readonly<Record<string, unknown>> | undefined;
}

export type ServerLine =
  | { readonly type: "ready"; readonly version: string; readonly tools: readonly LineTool[] }
  | { readonly type: "result"; readonly id: unknown; readonly resultText: string }
  | { readonly type: "error"; readonly id: unknown; readonly error: string };

/** Deep enough for any tool's answer and shallow enough for the stack; the length of a line is bounded by its link. */
const SERVER_LIMITS = { depth: 256, elements: 1_000_000 } as const;

export function encodeReady(version: string, tools: readonly LineTool[]): string {
  return oneLine(JSON.stringify({ type: "ready", version, tools }));
}

/** `idText` and `resultText` are JSON already. */
export function encodeResult(idText: string, resultText: string): string {
  return oneLine(`{"type":"result","id":${idText},"ok":true,"result":${resultText}}`);
}

export function encodeError(idText: string, text: string): string {
  return oneLine(`{"type":"error","id":${idText},"ok":false,"error":${JSON.stringify(text)}}`);
}

export function encodeCall(id: number, tool: string, argsText: string): string {
  return oneLine(`{"type":"call","id":${id},"tool":${JSON.stringify(tool)},"args":${argsText}}`);
}

/** What a server said, or undefined if this line is none of its messages: a warning, a log line, a broken one. */
export function parseServerLine(line: string): ServerLine | undefined {
  const scan = scanJson(line, SERVER_LIMITS, { refuseDuplicates: false });
  if (!scan.ok || scan.kind !== "object") return undefined;
  const textOf = (key: string) => sliceOf(line, memberOf(scan.members, key));
  switch (parsed(textOf("type"))) {
    case "ready":
      return readyFrom(parsed(textOf("version")), parsed(textOf("tools")));
    case "result":
      return { type: "result", id: parsed(textOf("id")), resultText: textOf("result") ?? "null" };
    case "error":
      return { type: "error", id: parsed(textOf("id")), error: asText(textOf("error")) };
    default:
      return undefined;
  }
}

function readyFrom(version: unknown, tools: unknown): ServerLine | undefined {
  if (!Array.isArray(tools)) return undefined;
  return {
    type: "ready",
    version: typeof version === "string" ? version : "",
    tools: tools.map(toolFrom).filter((tool) => tool !== undefined),
  };
}

/** Undefined for what cannot be called: an entry without a name. */
function toolFrom(entry: unknown): LineTool | undefined {
  if (!isObject(entry)) return undefined;
  const { name, description, input_schema, output_schema } = entry;
  if (typeof name !== "string" || name === "") return undefined;
  return {
    name,
    description: typeof description === "string" ? description : "",
    input_schema: isObject(input_schema) ? input_schema : { type: "object" },
    ...(isObject(output_schema) ? { output_schema } : {}),
  };
}

function asText(json: string | undefined): string {
  const value = parsed(json);
  return typeof value === "string" ? value : (json ?? "");
}

function sliceOf(text: string, member: Member | undefined): string | undefined {
  return member && text.slice(member.start, member.end);
}

function parsed(json: string | undefined): unknown {
  return json === undefined ? undefined : JSON.parse(json);
}

/**
 * The same JSON without anything that a reader may take for the end of a line. Raw CR and LF are only white space in
 * JSON; U+2028 and U+2029, at which Node's readline splits, can only stand inside a string.
 */
function oneLine(json: string): string {
  if (!/[\r\n\u2028\u2029]/.test(json)) return json;
  return json
    .replace(/[\r\n]+/g, " ")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}
