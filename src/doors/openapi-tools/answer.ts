/**
 * What a tool gave, as the body of an answer: one JSON value that a client shows to its model. What the tool structured
 * itself comes first; else its only part, or a list of its parts. Text that is JSON is JSON, other text a string, images
 * and sounds are data URLs, which Open WebUI shows.
 *
 * A tool that says it failed is answered as a failed source, with its own words in the problem: clients hand those to the
 * model ("HTTP error 502: …") and count the call as failed, which they would not if it came with 200.
 */
import { ERRORS, ZaguanError } from "../../errors.ts";
import type { Language } from "../../messages/catalogue.ts";
import { asJson, type Content, failureIn, type ToolResult, textIn } from "../rest/tool-result.ts";

export function answerOf(result: ToolResult, language: Language): string {
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

function toolFailed(result: ToolResult, language: Language): ZaguanError {
  const relayed = { code: ERRORS.SOURCE_ERROR.rpc, message: failureIn(result, language) };
  return new ZaguanError("SOURCE_ERROR", { relayed, delivery: "executed" });
}
