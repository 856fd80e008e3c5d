/** What the doors promise that list and call tools by plain HTTP: seed 004's, and the one for OpenAPI clients. */
import { z } from "zod";
import type { BodySchema, Operation } from "../../contract/operation.ts";
import { PRIORITIES } from "../../contract/rules.ts";

const TAG = "Tools";

const HOW = z.object({
  "X-Priority": z.enum(PRIORITIES).optional().describe("MEDIUM unless given."),
  "X-Timeout": z.string().optional().describe("Seconds, 1 to 300, waiting included."),
});

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

export const TOOL_OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    path: "/api/tools/discover",
    operationId: "apiToolsDiscover",
    tag: TAG,
    needs: "see",
    summary: "The tools that the caller may use",
    answers: { 200: { description: "All of them.", schema: DISCOVERED } },
  },
  {
    method: "POST",
    path: "/api/tools/execute",
    operationId: "apiToolsExecute",
    tag: TAG,
    needs: "call",
    summary: "Calls a tool",
    description:
      "What fails in the tool, or on the way to it, is told in the body; only what is no request is a problem.",
    headers: HOW,
    body: EXECUTE,
    answers: { 200: { description: "What became of it.", schema: EXECUTED } },
  },
  {
    method: "GET",
    path: "/openapi/tools.json",
    operationId: "openApiTools",
    tag: TAG,
    needs: "see",
    summary: "The tools that the caller may use, as one OpenAPI operation each",
    answers: { 200: { description: "An OpenAPI 3.1 document.", schema: z.looseObject({ openapi: z.string() }) } },
  },
  {
    method: "POST",
    path: "/openapi/tools/{tool}",
    operationId: "callTool",
    tag: TAG,
    needs: "call",
    summary: "Calls a tool with the body as its arguments",
    description: "A tool that says it failed is answered with 502 and its own words in `detail`.",
    names: { tool: "The tool's name, percent-encoded." },
    headers: HOW,
    body: ARGUMENTS,
    answers: { 200: { description: "What the tool gave: JSON, a text, or a list of several.", schema: z.unknown() } },
  },
];
