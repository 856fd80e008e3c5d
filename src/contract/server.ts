/** A server as the registry takes, changes and shows it (seed 001, section 5). */
import { z } from "zod";
import { SERVER_NAME } from "../server-name.ts";
import { address, headers, type In, type Of } from "./fields.ts";
import { SOURCE_STATES } from "./rules.ts";
import { Tool } from "./tool.ts";

const authType = z.enum(["none", "apikey", "oauth"]);

/** Without defaults: a change made of these leaves alone what it does not say. */
const fields = {
  name: z
    .string()
    .regex(SERVER_NAME, {
      error: 'must be 1 to 100 characters on one line, without spaces around them, and not "house"',
    })
    .describe("For people: any text. What stands in addresses, `slug`, is made of it."),
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
  authType,
  credentials: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.null()])
    .optional()
    .describe("A key or token, or { header, value }. Kept encrypted, never returned."),
  headers: headers.optional().describe("Sent with every request. Kept encrypted, never returned."),
};

export const NewServer = z.strictObject({ ...fields, authType: authType.default("none") }).meta({ id: "NewServer" });
/** After checking. */
export type NewServer = Of<typeof NewServer>;
/** As somebody sends it. */
export type GivenServer = In<typeof NewServer>;

export const ServerChange = z.strictObject(fields).partial().meta({ id: "ServerChange" });
export type ServerChange = Of<typeof ServerChange>;

export const Server = z
  .object({
    id: z.string(),
    name: z.string(),
    slug: z.string().describe("What stands in addresses and before the `__` of a tool's name."),
    description: z.string().nullable(),
    status: z
      .enum(["active", "error", "disabled"])
      .describe("`error` while the last attempt to find its tools failed."),
    baseUrl: z.string().nullable(),
    transport: z.string().nullable().describe("How it was last reached, in words for people."),
    lastSeenUtc: z.string().nullable(),
    lastError: z.string().nullable(),
    progress: z.string().nullable().describe("The last line of its log, while it starts."),
    authType,
    origin: z.enum(["registered", "configured", "built-in", "api", "device"]),
    command: z.string().nullable(),
    createdUtc: z.string(),
    updatedUtc: z.string().describe("Changes with anything that a client could see of it, its tools included."),
    kind: z.string().describe("How the hub holds it."),
    node: z
      .string()
      .nullable()
      .optional()
      .describe(
        "In a cluster: the node that holds it, null while none does. Absent where every node reaches it by itself.",
      ),
    state: z.enum(SOURCE_STATES).describe("What the hub knows of it now."),
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
export type Server = Of<typeof Server>;

/** What a limited principal gets instead. */
export const SERVER_HIDDEN = {
  baseUrl: null,
  lastError: null,
  command: null,
  progress: null,
  revision: null,
  log: [],
} satisfies Partial<Server>;

const step = z.object({ attempt: z.int(), atMs: z.number(), transport: z.string(), outcome: z.string() });
export type DiscoveryStep = Of<typeof step>;

export const Discovery = z
  .object({
    startedUtc: z.string(),
    ms: z.number(),
    ok: z.boolean(),
    tools: z.int().optional().describe("How many were found."),
    error: z.string().optional(),
    steps: z.array(step).describe("What was tried, in its order."),
  })
  .meta({ id: "Discovery" });
export type Discovery = Of<typeof Discovery>;

export const Discovered = z.object({ tools: z.array(Tool) });

export const ServerPreview = z
  .object({
    ok: z.boolean().describe("Whether it was reached and listed its tools."),
    nameTaken: z.boolean().describe("Whether it could not be registered under this name."),
    transport: z.string().nullable().describe("How it was reached."),
    revision: z.string().nullable().describe("The revision of MCP that it speaks; null where it speaks none."),
    serverInfo: z.record(z.string(), z.unknown()).nullable().describe("Who it says it is."),
    tools: z.array(z.object({ name: z.string(), description: z.string() })),
    steps: z.array(step).describe("What was tried, in its order."),
    ms: z.number(),
    error: z.string().nullable().describe("Why it could not be reached, in the caller's language."),
  })
  .meta({ id: "ServerPreview" });
export type ServerPreview = Of<typeof ServerPreview>;
export type ShownTool = ServerPreview["tools"][number];
