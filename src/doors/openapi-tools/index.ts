/**
 * The hub as an OpenAPI tool server, for clients that read their tools from such a document (Open WebUI):
 * `GET /openapi/tools.json` has one operation for each tool that the caller may use, `POST /openapi/tools/{tool}` calls it
 * with the body as arguments.
 */
import { ERRORS, ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { DoorContext, DoorFactory, Exchange } from "../door.ts";
import type { OpenApiDocument } from "../rest/openapi.ts";
import { noSuch, sendProblem } from "../rest/problem.ts";
import { addressOf, readObject } from "../rest/request-parts.ts";
import { asJson, type Content, callTool, failureIn, type ToolResult, textIn } from "../rest/tool-call.ts";
import type { ToolDocuments } from "./document.ts";

const DOOR = "openapi-tools";
export const TOOLS_PATH = "/openapi/tools/";

export const openApiTools: DoorFactory = (context) => {
  let writer: Promise<Writer> | undefined;
  const show = async (exchange: Exchange): Promise<void> => {
    const tools = await context.gateway.listTools(exchange.principal, exchange.language);
    writer ??= openWriter(context);
    const { documents, frame } = await writer;
    exchange.reply(200, documents.write(tools, frame, addressOf(exchange)));
  };
  return {
    name: DOOR,
    routes: [
      { method: "GET", path: "/openapi/tools.json", needs: "see", handle: show, fail: sendProblem },
      {
        method: "POST",
        path: `${TOOLS_PATH}{tool}`,
        needs: "call",
        fail: sendProblem,
        handle: (exchange) => call(exchange, context),
      },
    ],
  };
};

interface Writer {
  readonly documents: ToolDocuments;
  readonly frame: OpenApiDocument;
}

/** Loaded by the first who asks: a start must not wait for it. */
async function openWriter(context: DoorContext): Promise<Writer> {
  const { ToolDocuments } = await import("./document.ts");
  const { openApi } = await import("../rest/openapi.ts");
  return { documents: new ToolDocuments(), frame: openApi([], context.status().version) };
}

async function call(exchange: Exchange, context: DoorContext): Promise<void> {
  const { text, members } = await readObject(exchange, context.limits());
  const tool = exchange.names["tool"] ?? "";
  const named = { tool, args: Payload.ofText(text, members), door: DOOR };
  const result = await callTool(context, exchange, named).catch((cause) => {
    // The tool is a place in the URL here: one that does not exist is answered with 404.
    throw isUnknown(cause) ? noSuch("tool", tool) : cause;
  });
  exchange.reply(200, answerOf(result, exchange.language));
}

function isUnknown(cause: unknown): boolean {
  return cause instanceof ZaguanError && cause.code === "UNKNOWN_TOOL";
}

/**
 * What a tool gave, as the body of an answer: one JSON value that a client shows to its model. What the tool structured
 * itself comes first; else its only part, or a list of its parts. Text that is JSON is JSON, other text a string, images
 * and sounds are data URLs, which Open WebUI shows.
 */
function answerOf(result: ToolResult, language: Language): string {
  if (result.failed) throw toolFailed(result, language);
  const { structured, contents, text } = result;
  if (structured !== undefined) return structured;
  if (!contents) return text;
  const [only = "null", ...others] = contents.map(partOf);
  return others.length === 0 ? only : `[${[only, ...others].join(",")}]`;
}

function partOf(content: Content): string {
  const { type, data, mimeType } = content;
  const text = textIn(content);
  if (text !== undefined) return asJson(text);
  const isMedia = (type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string";
  return JSON.stringify(isMedia ? `data:${mimeType};base64,${data}` : content);
}

/**
 * A tool that says it failed is answered as a failed source, with its own words in the problem: clients hand those to the
 * model ("HTTP error 502: …") and count the call as failed, which they would not if it came with 200.
 */
function toolFailed(result: ToolResult, language: Language): ZaguanError {
  const relayed = { code: ERRORS.SOURCE_ERROR.rpc, message: failureIn(result, language) };
  return new ZaguanError("SOURCE_ERROR", { relayed, delivery: "executed" });
}
