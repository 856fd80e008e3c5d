/**
 * `POST /api/tools/execute`: calls a tool and tells what became of it. Whatever fails in the tool is told with 200, as the
 * real system does; only what is no request is refused.
 */
import { isLimited } from "../../core/access.ts";
import type { ZaguanError } from "../../errors.ts";
import { type Language, say, sayType } from "../../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import { memberOf } from "../../protocol/json/scan.ts";
import { memberString, memberText } from "../../protocol/json-rpc/message.ts";
import type { DoorContext, Exchange } from "../door.ts";
import { tellable, textOf } from "../mcp/failure.ts";
import { invalidFields } from "../rest/checked.ts";
import { type JsonObject, readObject } from "../rest/request-parts.ts";
import { asJson, callTool, failureIn, type ToolResult, textIn } from "../rest/tool-call.ts";
import type { ToolTypes } from "./tool-list.ts";

const DOOR = "api-tools";

/** What became of a call. */
interface Outcome {
  readonly success: boolean;
  /** JSON text. */
  readonly result: string;
  readonly errorMessage: string | null;
}

export async function execute(exchange: Exchange, context: DoorContext, types: ToolTypes): Promise<void> {
  const body = await readObject(exchange, context.limits());
  const tool = toolIn(body, exchange.language);
  const args = argumentsIn(body, exchange.language);
  const startedAt = performance.now();
  const outcome = await outcomeOf(exchange, context, tool, args);
  const ms = Math.round(performance.now() - startedAt);
  exchange.reply(200, written(outcome, ms, types.called(tool)));
}

function written({ success, result, errorMessage }: Outcome, ms: number, toolType: string): string {
  const message = JSON.stringify(errorMessage);
  return `{"success":${success},"result":${result},"executionTimeMs":${ms},"toolType":"${toolType}","errorMessage":${message}}`;
}

async function outcomeOf(exchange: Exchange, context: DoorContext, tool: string, args: Payload): Promise<Outcome> {
  try {
    const result = await callTool(context, exchange, { tool, args, door: DOOR });
    if (result.failed) return failed(failureIn(result, exchange.language));
    return { success: true, result: valueIn(result), errorMessage: null };
  } catch (cause) {
    return failed(await wordsFor(tellable(cause, context.report), tool, exchange, context));
  }
}

function failed(errorMessage: string): Outcome {
  return { success: false, result: "null", errorMessage };
}

/** One text is what the tool says; anything else is told as MCP has it. */
function valueIn({ contents, contentsText, structured, text }: ToolResult): string {
  if (!contents) return text;
  const [only, ...others] = contents;
  const said = only && others.length === 0 ? textIn(only) : undefined;
  if (said !== undefined) return asJson(said);
  return only ? (contentsText ?? "null") : (structured ?? "null");
}

/** The real system's words to the letter where it has some; whoever may not use everything learns of no tool that is off. */
async function wordsFor(
  error: ZaguanError,
  tool: string,
  { principal, language }: Exchange,
  { apis }: DoorContext,
): Promise<string> {
  if (error.code !== "UNKNOWN_TOOL") return textOf(error, language);
  const isOff = !isLimited(principal) && (await apis.tools.isOff(tool));
  return `${isOff ? "Tool is disabled or unhealthy" : "Tool not found"}: ${tool.slice(0, LONGEST_NAME)}`;
}

const LONGEST_NAME = 200;

function toolIn({ text, members }: JsonObject, language: Language): string {
  const tool = memberString(text, members, "toolName");
  if (tool !== undefined) return tool;
  const isGiven = memberText(text, members, "toolName") !== undefined;
  const message = isGiven ? sayType(language, ["string"]) : say(language, "rule.missing");
  throw invalidFields([{ field: "toolName", message }], language);
}

function argumentsIn({ text, members }: JsonObject, language: Language): Payload {
  const member = memberOf(members, "parameters");
  const given = memberText(text, members, "parameters");
  if (!member || given === undefined) return EMPTY_OBJECT;
  if (member.kind === "object") return Payload.ofText(given, member.members);
  throw invalidFields([{ field: "parameters", message: sayType(language, ["object"]) }], language);
}
