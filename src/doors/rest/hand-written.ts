/**
 * OpenAPI descriptions of the routes that are no `RestRoute`: the bridge of seed 003, tools over plain HTTP, events, and
 * monitoring (`monitoring-operations.ts`). A table, and longer for it.
 */
import { z } from "zod";
import type { BodySchema, Operation, QuerySchema } from "../../contract/operation.ts";
import { PRIORITIES } from "../../contract/rules.ts";
import { MONITORING_OPERATIONS } from "./monitoring-operations.ts";

/** How a call is wanted. */
const CALL_HEADERS = {
  "X-Priority": z.enum(PRIORITIES).optional().describe("MEDIUM unless given."),
  "X-Timeout": z.string().optional().describe("Seconds, 1 to 300, waiting included."),
};

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
const BRIDGE_HEADERS = {
  ...CALL_HEADERS,
  "X-Request-ID": z.string().optional().describe("Repeated in the answer."),
};

const BRIDGE_OPERATIONS: readonly Operation[] = [
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
    z.object({ "X-Session-ID": SESSION.optional(), "X-Cache-Control": CACHE, ...BRIDGE_HEADERS }),
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
  const usual = z.object({ "X-Session-ID": SESSION, ...BRIDGE_HEADERS });
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

const DISCOVERED = z
  .object({
    tools: z.array(
      z.object({
        name: z.string().describe("By which it is called."),
        description: z.string(),
        type: z.enum(["api_tool", "mcp_tool"]).describe("A described REST API, or anything else behind the hub."),
        parameters: z.looseObject({}).describe("The JSON Schema of its arguments."),
      }),
    ),
    totalCount: z.int(),
    lastUpdated: z.string().describe("When some tool came, changed or went; ISO 8601, in UTC."),
  })
  .meta({ id: "DiscoveredTools" });

const EXECUTED = z
  .object({
    success: z.boolean(),
    result: z
      .unknown()
      .describe("What the tool gave: JSON, a text, or a list of MCP's contents; null where it failed."),
    executionTimeMs: z.int(),
    toolType: z.enum(["api_tool", "mcp_tool"]),
    errorMessage: z.string().nullable().describe("Why it failed."),
  })
  .meta({ id: "ExecutedTool" });

const EXECUTE: BodySchema = z.strictObject({
  toolName: z.string(),
  parameters: z.looseObject({}).nullish().describe("The tool's arguments."),
  sessionId: z.string().nullish().describe("Of the caller's own use; no tool is told."),
});

/** Whatever the tool takes. */
const ARGUMENTS = z.looseObject({}) as unknown as BodySchema;

const TOOL_OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    path: "/api/tools/discover",
    operationId: "apiToolsDiscover",
    tag: "Tools",
    needs: "see",
    summary: "The tools that the caller may use",
    answers: { 200: { description: "All of them.", schema: DISCOVERED } },
  },
  {
    method: "POST",
    path: "/api/tools/execute",
    operationId: "apiToolsExecute",
    tag: "Tools",
    needs: "call",
    summary: "Calls a tool",
    description:
      "What fails in the tool, or on the way to it, is told in the body; only what is no request is a problem.",
    headers: z.object(CALL_HEADERS),
    body: EXECUTE,
    answers: { 200: { description: "What became of it.", schema: EXECUTED } },
  },
  {
    method: "GET",
    path: "/openapi/tools.json",
    operationId: "openApiTools",
    tag: "Tools",
    needs: "see",
    summary: "The tools that the caller may use, as one OpenAPI operation each",
    answers: { 200: { description: "An OpenAPI 3.1 document.", schema: z.looseObject({ openapi: z.string() }) } },
  },
  {
    method: "POST",
    path: "/openapi/tools/{tool}",
    operationId: "callTool",
    tag: "Tools",
    needs: "call",
    summary: "Calls a tool with the body as its arguments",
    description: "A tool that says it failed is answered with 502 and its own words in `detail`.",
    names: { tool: "The tool's name, percent-encoded." },
    headers: z.object(CALL_HEADERS),
    body: ARGUMENTS,
    answers: { 200: { description: "What the tool gave: JSON, a text, or a list of several.", schema: z.unknown() } },
  },
];

const HAND_WRITTEN: readonly Operation[] = [
  ...MONITORING_OPERATIONS,
  ...BRIDGE_OPERATIONS,
  ...TOOL_OPERATIONS,
  {
    method: "GET",
    path: "/events",
    operationId: "followHub",
    tag: "Hub",
    needs: "see",
    summary: "The hub as it changes, as server-sent events",
    description: [
      "First `hello` with the whole picture, then what is new, gathered for a quarter of a second: `servers`, `tools`,",
      "`calls`, `house`, `home`, `figures`. Everybody is told what they may see: administrators everybody's calls, others",
      "their own.",
    ].join(" "),
    answers: { 200: { description: "A stream of events (`text/event-stream`) that ends with the hub." } },
  },
  {
    method: "GET",
    path: "/openapi.json",
    operationId: "openApi",
    tag: "Hub",
    needs: "nobody",
    summary: "This description",
    answers: { 200: { description: "An OpenAPI 3.1 document.", schema: z.looseObject({ openapi: z.string() }) } },
  },
];

/** A route that describes itself wins. */
export function withHandWritten(described: readonly Operation[]): Operation[] {
  const isDescribed = ({ method, path }: Operation) =>
    described.some((operation) => operation.method === method && operation.path === path);
  return [...described, ...HAND_WRITTEN.filter((operation) => !isDescribed(operation))];
}
