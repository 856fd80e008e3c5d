/** What the registry's endpoints take and give, as schemas: requests are checked by them, and OpenAPI shows them. */

import { z } from "zod";
import { address, headers } from "../../contract/fields.ts";
import type { BindingInput } from "../../registry/agents.ts";
import type { ServerInput } from "../../registry/servers.ts";
import { SERVER_NAME } from "../../server-name.ts";
import type { BindingConfig, NewAgent } from "../../store/registry.ts";
import type { BodySchema } from "../rest/operation.ts";

/** A body that is this when it has passed. */
type BodyOf<T> = BodySchema & z.ZodType<T>;

const serverName = z.string().regex(SERVER_NAME, {
  error: 'must be 1 to 100 characters on one line, without spaces around them, and not "house"',
});
const SERVER_FIELDS = {
  name: serverName.describe("For people: any text. What stands in addresses, `slug`, is made of it."),
  description: z.string().max(10_000).optional().describe("What the server is for."),
  baseUrl: address(/^(?:https?|wss?)$/, "an http, https, ws or wss", "credentials")
    .optional()
    .describe(
      "Where the server is; every transport of MCP is tried there. What is secret in it is kept encrypted and shown as [redacted].",
    ),
  command: z.string().min(1).max(1_000).optional().describe("A program to start instead; for administrators."),
  args: z.array(z.string().max(10_000)).max(100).optional(),
  env: z
    .record(z.string().regex(/^[^=\0]+$/), z.string())
    .optional()
    .describe("Kept encrypted, never returned."),
  authType: z.enum(["none", "apikey", "oauth"]),
  credentials: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.null()])
    .optional()
    .describe("A key or token, or { header, value }. Kept encrypted, never returned."),
  headers: headers.optional().describe("Sent with every request. Kept encrypted, never returned."),
};

export const NEW_SERVER: BodyOf<ServerInput> = z
  .strictObject({ ...SERVER_FIELDS, authType: SERVER_FIELDS.authType.default("none") })
  .meta({ id: "NewServer" });

export const SERVER_CHANGE: BodyOf<Partial<ServerInput>> = z
  .strictObject(SERVER_FIELDS)
  .partial()
  .meta({ id: "ServerChange" });

export const SERVER: z.ZodType = z
  .object({
    id: z.string(),
    name: z.string(),
    slug: z.string().describe("What stands in addresses and before the `__` of a tool's name."),
    description: z.string().nullable(),
    status: z.enum(["active", "error", "disabled"]),
    baseUrl: z.string().nullable(),
    transport: z.string().nullable(),
    lastSeenUtc: z.string().nullable(),
    lastError: z.string().nullable(),
    progress: z.string().nullable().describe("The last line of its log, while it starts."),
    authType: z.string(),
    origin: z.enum(["registered", "configured", "built-in", "api", "device"]),
    command: z.string().nullable(),
    createdUtc: z.string(),
    updatedUtc: z.string(),
    kind: z.string().describe("How the hub holds it."),
    state: z
      .string()
      .describe("idle, starting, installing, ready, waiting, broken or closed; what the hub knows of it now."),
    tools: z.int(),
    restarts: z.int(),
    revision: z
      .string()
      .nullable()
      .describe(
        "Of MCP: the one that it speaks, or last spoke; null where that is not known, or no MCP. Only for those who may see everything.",
      ),
    log: z
      .array(z.string())
      .describe(
        "The last lines of its own log, in a list of several twenty at most; only for those who may see everything.",
      ),
  })
  .meta({ id: "Server" });

export const TOOL: z.ZodType = z
  .object({
    id: z.string(),
    name: z.string(),
    publicName: z
      .string()
      .optional()
      .describe("What it is called in the list of all tools, where another server has the older right to its name."),
    description: z.string(),
    scope: z.string(),
    inputSchema: z.unknown(),
    inputSchemaJson: z.string(),
    serverId: z.string(),
    serverName: z.string(),
    serverSlug: z.string(),
    title: z.string().optional().describe("For people, where its server gave it one."),
    annotations: z.record(z.string(), z.unknown()).optional().describe("What its server says of it: see MCP."),
    hidden: z
      .array(z.string())
      .optional()
      .describe(
        "Characters in its definition that cannot be seen, as U+202E; at most twenty. Clients get them as they are.",
      ),
    missing: z.boolean().optional(),
    quarantine: z.string().optional().describe("Why it is kept but not offered."),
  })
  .meta({ id: "Tool" });

const STEPS = z.array(z.object({ attempt: z.int(), atMs: z.number(), transport: z.string(), outcome: z.string() }));

export const DISCOVERY: z.ZodType = z
  .object({
    startedUtc: z.string(),
    ms: z.number(),
    ok: z.boolean(),
    tools: z.int().optional(),
    error: z.string().optional(),
    steps: STEPS,
  })
  .meta({ id: "Discovery" });

export const PREVIEW: z.ZodType = z
  .object({
    ok: z.boolean().describe("Whether it was reached and listed its tools."),
    nameTaken: z.boolean().describe("Whether it could not be registered under this name."),
    transport: z.string().nullable().describe("How it was reached."),
    revision: z.string().nullable().describe("The revision of MCP that it speaks; null where it speaks none."),
    serverInfo: z.record(z.string(), z.unknown()).nullable().describe("Who it says it is."),
    tools: z.array(z.object({ name: z.string(), description: z.string() })),
    steps: STEPS.describe("What was tried, in its order."),
    ms: z.number(),
    error: z.string().nullable().describe("Why it could not be reached, in the caller's language."),
  })
  .meta({ id: "ServerPreview" });

const agentName = z
  .string()
  .regex(/^(?!\.{1,2}$)[^\p{Cc}/\\?#%]{1,64}$/u, { error: "must be 1 to 64 characters, without / \\ ? # or %" });

const AGENT_FIELDS = {
  name: agentName,
  description: z.string().max(10_000).optional(),
  systemPrompt: z.string().max(100_000).optional(),
  autonomy: z.enum(["Manual", "Supervised", "Auto"]),
};

export const NEW_AGENT: BodyOf<NewAgent> = z
  .strictObject({ ...AGENT_FIELDS, autonomy: AGENT_FIELDS.autonomy.default("Supervised") })
  .meta({ id: "NewAgent" });

export const AGENT_CHANGE: BodyOf<Partial<NewAgent>> = z
  .strictObject(AGENT_FIELDS)
  .partial()
  .meta({ id: "AgentChange" });

export const AGENT: z.ZodType = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    systemPrompt: z.string().nullable(),
    autonomy: z.string(),
    createdUtc: z.string(),
    updatedUtc: z.string(),
  })
  .meta({ id: "Agent" });

const BINDING_CONFIG = z
  .strictObject({
    fixedArguments: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Given with every call; hidden from the agent."),
    allowedArguments: z.array(z.string()).max(1_000).optional().describe("What the agent may give; absent: all."),
  })
  .meta({ id: "BindingConfig" });

export const NEW_BINDING: BodyOf<Omit<BindingInput, "config"> & { config?: BindingConfig | null | undefined }> = z
  .strictObject({
    toolId: z.string().min(1).describe("The id of a tool, its name in the list of all tools, or `server__tool`."),
    config: BINDING_CONFIG.nullable().optional(),
    enabled: z.boolean().default(true),
  })
  .meta({ id: "NewBinding" });

export const BINDING_CHANGE: BodyOf<{ config?: BindingConfig | null | undefined; enabled?: boolean | undefined }> = z
  .strictObject({ config: BINDING_CONFIG.nullable().optional(), enabled: z.boolean().optional() })
  .meta({ id: "BindingChange" });

export const BINDING: z.ZodType = z
  .object({
    id: z.string(),
    agentId: z.string(),
    toolId: z.string(),
    config: BINDING_CONFIG.nullable(),
    enabled: z.boolean(),
    tool: TOOL.optional(),
  })
  .meta({ id: "Binding" });

export const AGENT_KEY: z.ZodType = z
  .object({ key: z.string().describe("Shown only now."), hint: z.string(), agentId: z.string() })
  .meta({ id: "AgentKey" });
