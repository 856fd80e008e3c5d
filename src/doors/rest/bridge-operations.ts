/** What the bridge of seed 003 promises, for the description. Its failures are those of JSON-RPC. */
import { z } from "zod";
import type { BodySchema, Operation, QuerySchema } from "../../contract/operation.ts";
import { PRIORITIES } from "../../contract/rules.ts";

const RPC = z.object({ jsonrpc: z.literal("2.0"), id: z.union([z.string(), z.number(), z.null()]) });
const FAILURE = RPC.extend({
  error: z.object({ code: z.int(), message: z.string(), data: z.looseObject({ code: z.string() }) }),
  bridge_info: z.object({ timestamp: z.string(), request_id: z.string() }).optional(),
}).meta({ id: "BridgeFailure" });
const ANSWER = RPC.extend({ result: z.looseObject({}), bridge_info: z.looseObject({}).optional() }).meta({
  id: "BridgeAnswer",
});

const HELLO: BodySchema = z.strictObject({
  protocolVersion: z.string().describe("Any revision of MCP that the hub knows."),
  capabilities: z.looseObject({}).optional(),
  clientInfo: z.object({ name: z.string(), version: z.string() }).optional(),
  session_id: z.string().optional().describe("Of one's own choosing, if it is free."),
});

const SESSION = z.string().describe("What /mcp/initialize answered with.");
const CACHE = z.string().optional().describe("max-age=N or no-cache.");
const HOW = {
  "X-Priority": z.enum(PRIORITIES).optional().describe("MEDIUM unless given."),
  "X-Timeout": z.string().optional().describe("Seconds, 1 to 300, waiting included."),
  "X-Request-ID": z.string().optional().describe("Repeated in the answer."),
};

export const BRIDGE_OPERATIONS: readonly Operation[] = [
  {
    ...place("POST", "/mcp/initialize", "bridgeInitialize", "Opens a session, or renews one's own"),
    headers: z.object({ "X-Client-ID": z.string().optional().describe("Kept with the session.") }),
    body: HELLO,
  },
  {
    ...place("DELETE", "/mcp/session", "bridgeEnd", "Ends a session"),
    headers: z.object({ "X-Session-ID": SESSION }),
    answers: {
      204: { description: "It is gone." },
      404: { description: "There is no such session.", schema: FAILURE },
    },
  },
  {
    ...place(
      "GET",
      "/mcp/tools/list",
      "listToolsStrictly",
      "The tools, as JSON-RPC without an id and without a session",
    ),
    answers: { 200: { description: "All tools.", schema: z.looseObject({ jsonrpc: z.literal("2.0") }) } },
  },
  asked("tools/list", "bridgeListTools", "The tools", z.object({ "X-Session-ID": SESSION, "X-Cache-Control": CACHE })),
  asked(
    "tools/call",
    "bridgeCallTool",
    "Calls a tool; without a session strict JSON-RPC, nothing beside",
    z.object({ "X-Session-ID": SESSION.optional(), "X-Cache-Control": CACHE, ...HOW }),
  ),
  asked("resources/list", "bridgeListResources", "The resources"),
  asked("resources/read", "bridgeReadResource", "One resource"),
  asked("resources/templates/list", "bridgeListTemplates", "The templates of resources"),
  asked("prompts/list", "bridgeListPrompts", "The prompts"),
  asked("prompts/get", "bridgeGetPrompt", "One prompt"),
];

function asked(method: string, operationId: string, summary: string, headers?: QuerySchema): Operation {
  const body = z.strictObject({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.number()]).optional(),
    method: z.literal(method),
    params: z.looseObject({}).optional(),
  });
  const usual = z.object({ "X-Session-ID": SESSION, ...HOW });
  return { ...place("POST", `/mcp/${method}`, operationId, summary), headers: headers ?? usual, body };
}

function place(method: Operation["method"], path: string, operationId: string, summary: string): Operation {
  const answers = {
    200: { description: "The result, and what the bridge knows of the request.", schema: ANSWER },
    400: { description: "The request is wrong.", schema: FAILURE },
    404: { description: "There is no such session or method.", schema: FAILURE },
    503: { description: "Too busy, or the source is away.", schema: FAILURE, headers: { "Retry-After": "Seconds." } },
  };
  return { method, path, operationId, tag: "Bridge", needs: "call", summary, answers };
}
