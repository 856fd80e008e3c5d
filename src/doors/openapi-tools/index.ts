/**
 * The hub as an OpenAPI tool server, for clients that read their tools from such a document (Open WebUI):
 * `GET /openapi/tools.json` has one operation for each tool that the caller may use, `POST /openapi/tools/{tool}` calls it
 * with the body as arguments.
 */
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { DoorContext, DoorFactory, Exchange } from "../door.ts";
import { addressOf } from "../rest/address.ts";
import { readObject } from "../rest/json-object.ts";
import type { OpenApiDocument } from "../rest/openapi.ts";
import { sendProblem } from "../rest/problem.ts";
import { callTool } from "../rest/tool-call.ts";
import { answerOf } from "./answer.ts";
import { TOOLS_PATH, ToolDocuments } from "./document.ts";

const DOOR = "openapi-tools";

export const openApiTools: DoorFactory = (context) => {
  const documents = new ToolDocuments();
  let frame: Promise<OpenApiDocument> | undefined;
  const show = async (exchange: Exchange): Promise<void> => {
    const tools = await context.gateway.listTools(exchange.principal, exchange.language);
    frame ??= frameOf(context);
    exchange.reply(200, documents.write(tools, await frame, addressOf(exchange)));
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

/** Loaded by the first who asks: a start must not wait for it. */
async function frameOf(context: DoorContext): Promise<OpenApiDocument> {
  const { openApi } = await import("../rest/openapi.ts");
  return openApi([], context.status().version);
}

async function call(exchange: Exchange, context: DoorContext): Promise<void> {
  const { text, members } = await readObject(exchange, context.limits());
  const tool = exchange.names["tool"] ?? "";
  const named = { tool, args: Payload.ofText(text, members), door: DOOR };
  const result = await callTool(context, exchange, named).catch((cause) => {
    throw isUnknown(cause) ? noSuchTool(tool) : cause;
  });
  exchange.reply(200, answerOf(result, exchange.language));
}

function isUnknown(cause: unknown): boolean {
  return cause instanceof ZaguanError && cause.code === "UNKNOWN_TOOL";
}

/** The tool is a place here, and there is none. */
function noSuchTool(name: string): ZaguanError {
  return new ZaguanError("NO_SUCH", { params: { kind: "tool", name: name.slice(0, 64) } });
}
