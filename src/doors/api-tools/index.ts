/**
 * The older interface of HandsAI (seed 004): `GET /api/tools/discover` and `POST /api/tools/execute`, over the catalogue and
 * the pipeline of every other door.
 */

import { isLimited } from "../../core/access.ts";
import type { ZaguanError } from "../../errors.ts";
import { type Language, say, sayType } from "../../messages/catalogue.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import { memberOf } from "../../protocol/json/scan.ts";
import { memberString, memberText } from "../../protocol/json-rpc/message.ts";
import type { Door, DoorContext, DoorFactory, Exchange, Route } from "../door.ts";
import { tellable, textOf } from "../mcp/failure.ts";
import { invalidFields } from "../rest/checked.ts";
import { sendProblem } from "../rest/problem.ts";
import { type JsonObject, readObject } from "../rest/request-parts.ts";
import { asJson, callTool, failureIn, type ToolResult, textIn } from "../rest/tool-call.ts";
import { LastChange, ToolTexts, ToolTypes } from "./tool-list.ts";

const DOOR = "api-tools";

export const apiTools: DoorFactory = (context) => new ApiTools(context);

class ApiTools implements Door {
  readonly name = DOOR;
  readonly routes: readonly Route[];
  readonly #context: DoorContext;
  readonly #types: ToolTypes;
  readonly #texts: ToolTexts;
  readonly #lastChange: LastChange;

  constructor(context: DoorContext) {
    this.#context = context;
    this.#types = new ToolTypes(context);
    this.#texts = new ToolTexts(this.#types);
    this.#lastChange = new LastChange(context.gateway, () => Date.parse(context.status().startedUtc));
    this.routes = [
      {
        method: "GET",
        path: "/api/tools/discover",
        needs: "see",
        fail: sendProblem,
        handle: (exchange) => this.#discover(exchange),
      },
      {
        method: "POST",
        path: "/api/tools/execute",
        needs: "call",
        fail: sendProblem,
        handle: (exchange) => execute(exchange, this.#context, this.#types),
      },
    ];
  }

  close(): void {
    this.#lastChange.close();
  }

  async #discover(exchange: Exchange): Promise<void> {
    const { principal, language } = exchange;
    const tools = await this.#context.gateway.listTools(principal, language);
    const lastUpdated = new Date(await this.#lastChange.time()).toISOString();
    const list = this.#texts.listOf(tools);
    exchange.reply(200, `{"tools":${list},"totalCount":${tools.length},"lastUpdated":"${lastUpdated}"}`);
  }
}

/** What became of a call. */
interface Outcome {
  readonly success: boolean;
  /** JSON text. */
  readonly result: string;
  readonly errorMessage: string | null;
}

/** Whatever fails in the tool is told with 200, as HandsAI does; only what is no request is refused. */
async function execute(exchange: Exchange, context: DoorContext, types: ToolTypes): Promise<void> {
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

/** A single text is the result itself; any other content is given as the list that MCP has. */
function valueIn({ contents, contentsText, structured, text }: ToolResult): string {
  if (!contents) return text;
  const [only, ...others] = contents;
  const said = only && others.length === 0 ? textIn(only) : undefined;
  if (said !== undefined) return asJson(said);
  return only ? (contentsText ?? "null") : (structured ?? "null");
}

/** HandsAI's own words for an unknown tool. Limited callers are not told that a tool exists and is off. */
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
