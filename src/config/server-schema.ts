/**
 * One entry of `mcpServers`, as Claude Desktop, Cursor, VS Code, LM Studio, Cline and others write it, with our own
 * settings in its member "zaguan"; and its conversion.
 */
import { z } from "zod";
import { headers, type Of } from "../contract/fields.ts";
import { isServerUrl } from "../contract/rules.ts";
import { isSlug, SERVER_NAME, SLUG, serverNameProblem, slugsFor } from "../server-name.ts";
import { nodeName } from "./cluster-schema.ts";
import { PROTOCOLS, type ServerConfig } from "./types.ts";

/** What other clients write for themselves: accepted, so that entries can be pasted, and not used but for a description. */
const IGNORED = [
  "timeout",
  "autoApprove",
  "alwaysAllow",
  "description",
  "name",
  "icon",
  "envFile",
  "gallery",
  "version",
  "dev",
  "tools",
  "note",
] as const;
export const IGNORED_SERVER_KEYS: readonly string[] = IGNORED;

/** What clients write, and what is meant by it. */
const TRANSPORTS = {
  stdio: "stdio",
  http: "http",
  "streamable-http": "http",
  streamableHttp: "http",
  sse: "sse",
  ws: "websocket",
  websocket: "websocket",
  line: "line",
} as const;
export type Transport = (typeof TRANSPORTS)[keyof typeof TRANSPORTS];

const BY_URL: ReadonlySet<Transport> = new Set(["http", "sse", "websocket"]);

/** What stands in `mcpServers` may have any name; whatever else is named in the file has a slug. */
export const serverNameSchema = z.string().regex(SERVER_NAME, {
  error: (issue) => serverNameProblem(String(issue.input)) ?? "is not valid",
});

export const slugSchema = z.string().regex(SLUG, {
  error: (issue) => slugProblem(String(issue.input)),
});

function slugProblem(name: string): string {
  if (name.includes("__")) return 'a name here may not contain "__", which separates server and tool';
  if (name.endsWith("_")) return 'a name here may not end with "_": "__" separates server and tool';
  return serverNameProblem(name) ?? 'a name here is 1 to 64 letters without accents, digits, "_", "." or "-"';
}

const transport = z.enum(Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[]).optional();

const environmentValue = z.union([z.string(), z.number(), z.boolean()], {
  error: "expected a text, a number, true or false",
});

/** What is set for whatever has a URL, as members of a schema. */
export function policyShape(otherwise: { readonly allowPrivate: boolean; readonly ready: string }) {
  return {
    allowPrivate: z
      .boolean()
      .default(otherwise.allowPrivate)
      .describe("The URL may lead to a private or loopback address."),
    concurrency: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe("Calls at once; by default what the kind of source says."),
    repeatable: z
      .array(z.string().min(1))
      .default([])
      .describe("Tools that may be repeated after a lost answer, by name."),
    cacheSeconds: z
      .record(z.string().min(1), z.number().min(0).max(31_536_000))
      .default({})
      .describe("Read-only tools whose answers may be kept, by name: for how many seconds."),
    readySeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .optional()
      .describe(`Seconds that it has to become ready; not set: ${otherwise.ready}.`),
    nodes: z
      .array(nodeName)
      .min(1, { error: "must name a node; leave it out for all of them" })
      .optional()
      .describe("Nodes that may run it, by name; counts in a cluster only. Not set: all of them."),
  };
}

export const policy = z.strictObject({
  trusted: z.boolean().default(false).describe("Believe this server's readOnlyHint and idempotentHint."),
  ...policyShape({
    allowPrivate: false,
    ready: "600 for programs that may install something (npx, uvx, docker …), else 60",
  }),
});

const ignored = z.unknown().optional().describe("Of other clients; accepted and ignored.");

const entry = z.strictObject({
  command: z.string().min(1).optional().describe("The program to start."),
  args: z.array(z.string()).default([]).describe("The program's arguments."),
  env: z.record(z.string().min(1), environmentValue).default({}).describe("Environment variables of the program."),
  cwd: z.string().min(1).optional().describe("The program's working directory."),
  url: z
    .string()
    .refine(isServerUrl, { error: "expected a URL that begins with http://, https://, ws:// or wss://" })
    .optional()
    .describe("The address of a remote server."),
  headers: headers.default({}).describe("Headers that go with every request to the URL."),
  protocol: z
    .enum(PROTOCOLS)
    .optional()
    .describe("The revision of MCP that the server speaks. Not set: found by asking it."),
  type: transport.describe(
    'How the server is reached, or for a URL what is tried first; "stdio" or "http" unless given.',
  ),
  transport: transport.describe('The same as "type", as some clients write it.'),
  disabled: z.boolean().optional().describe("Leave this server out. Not set: false."),
  enabled: z.boolean().optional().describe('The opposite of "disabled", as some clients write it.'),
  zaguan: policy.prefault({}).describe("Our own settings for this server."),
  ...(Object.fromEntries(IGNORED.map((key) => [key, ignored])) as Record<(typeof IGNORED)[number], typeof ignored>),
  description: z.unknown().optional().describe("What the server is for; a text is shown to people."),
});

/** An entry as written, checked and with its defaults. */
export type ServerEntry = Of<typeof entry>;

/** The entry with its cross-checks; the JSON Schema says "exactly one" in its own way. */
export const serverSchema = entry
  .refine((value) => contradiction(value) === undefined, {
    error: (issue) => contradiction(issue.input as ServerEntry) ?? "is not valid",
    // A misspelt key is told alone, not together with the lack of the right one.
    when: (payload) => payload.issues.length === 0,
  })
  .meta({ oneOf: [{ required: ["command"] }, { required: ["url"] }] });

function toServerConfig(value: ServerEntry): ServerConfig {
  return {
    type: typeOf(value),
    command: value.command,
    args: value.args,
    env: Object.fromEntries(Object.entries(value.env).map(([name, text]) => [name, String(text)])),
    cwd: value.cwd,
    url: value.url,
    headers: value.headers,
    protocol: value.protocol,
    disabled: value.disabled ?? value.enabled === false,
    policy: value.zaguan,
    ...(typeof value.description === "string" && { description: value.description }),
  };
}

/** The servers by their slugs, none of which another has; a name that is a slug has the first right to it. */
export function bySlug(
  entries: Readonly<Record<string, ServerEntry>>,
  others: Iterable<string>,
): Readonly<Record<string, ServerConfig>> {
  const taken = new Set([...others, ...Object.keys(entries).filter(isSlug)].map((name) => name.toLowerCase()));
  const named = Object.entries(entries).map(([name, entry]) => {
    if (isSlug(name)) return [name, toServerConfig(entry)] as const;
    const slug = freeSlug(name, taken);
    taken.add(slug);
    return [slug, { ...toServerConfig(entry), title: name }] as const;
  });
  return Object.fromEntries(named);
}

function freeSlug(name: string, taken: ReadonlySet<string>): string {
  const slugs = slugsFor(name);
  let slug: string;
  do slug = slugs.next().value;
  while (taken.has(slug));
  return slug;
}

function contradiction(value: ServerEntry): string | undefined {
  if (value.command !== undefined && value.url !== undefined) return 'has both "command" and "url"; keep one of them';
  if (value.command === undefined && value.url === undefined) return 'needs either "command" or "url"';
  if (value.disabled !== undefined && value.disabled === value.enabled)
    return '"disabled" and "enabled" contradict each other';
  const said = [value.type, value.transport].filter((word) => word !== undefined).map((word) => TRANSPORTS[word]);
  if (said[1] !== undefined && said[0] !== said[1]) return '"type" and "transport" contradict each other';
  const needed = BY_URL.has(typeOf(value)) ? "url" : "command";
  return value[needed] === undefined ? `the type "${typeOf(value)}" needs "${needed}"` : undefined;
}

function typeOf(value: ServerEntry): Transport {
  const said = value.type ?? value.transport;
  if (said !== undefined) return TRANSPORTS[said];
  if (value.url === undefined) return "stdio";
  return /^ws/i.test(value.url) ? "websocket" : "http";
}
