/** The REST APIs whose operations are tools, as `zaguan.json` has them: by their OpenAPI document, or written down. */
import { resolve } from "node:path";
import { z } from "zod";
import { GivenAuth } from "../contract/api.ts";
import { headers, type Of, webAddress } from "../contract/fields.ts";
import { areByScheme } from "../contract/rules.ts";
import { type ParameterEntry, placeOf, type ToolEntry, toolSchema } from "./api-tool-schema.ts";
import { formatPath, type Problem } from "./config-error.ts";
import { policyShape } from "./server-schema.ts";
import type { ApiToolsConfig, WrittenParameterConfig, WrittenToolConfig } from "./types.ts";

const webUrl = webAddress("auth");

const entry = z.strictObject({
  openapi: z
    .string()
    .min(1)
    .refine((text) => isWebUrl(text) || !/^[a-z][a-z0-9+.-]+:\/\//i.test(text), {
      error: "expected a file, or a URL that begins with http:// or https://, without a password",
    })
    .optional()
    .describe("Where its OpenAPI document is: a file, seen from the folder of zaguan.json, or a URL."),
  baseUrl: webUrl.optional().describe("Where the API is; without it, the first server of the document."),
  auth: GivenAuth.default({}).describe("Its credentials: one by itself, or several by the names of security schemes."),
  headers: headers.default({}).describe("Headers that go with every request."),
  tags: z.array(z.string().min(1)).default([]).describe("Only operations with one of these tags."),
  paths: z
    .array(z.string().min(1))
    .default([])
    .describe('Only operations at one of these: "/pets", "/pets/*", "GET /pets".'),
  tools: z
    .array(toolSchema)
    .min(1, { error: "needs at least one tool" })
    .refine(isEachNameOnce, { error: "names a tool twice" })
    .optional()
    .describe("Its tools, written down instead of read from a document."),
  callsPerMinute: z.int().min(0).max(10_000_000).default(0).describe("Calls per minute to this API; 0 for no limit."),
  disabled: z.boolean().default(false).describe("Leave this API out."),
  zaguan: z
    .strictObject(policyShape({ allowPrivate: false, ready: "60" }))
    .prefault({})
    .describe("Our own settings for this API."),
});

/** An API as written, checked and with its defaults. */
type ApiEntry = Of<typeof entry>;

/** The entry with its cross-checks; the JSON Schema says "exactly one" in its own way. */
export const apiSchema = entry
  .check((payload) => {
    if (payload.issues.length > 0) return;
    for (const [path, message] of contradictionsIn(payload.value)) {
      payload.issues.push({ code: "custom", input: payload.value, path, message });
    }
  })
  .meta({ oneOf: [{ required: ["openapi"] }, { required: ["tools"] }], dependentRequired: { tools: ["baseUrl"] } });

/** A name stands for one thing. */
export function apiClashes(apis: object, servers: object, houses: object): readonly Problem[] {
  const told = (name: string, what: string): Problem => ({
    path: formatPath(["apiTools", name]),
    text: `there is ${what} already`,
  });
  return Object.keys(apis).flatMap((name) => [
    ...(Object.hasOwn(servers, name) ? [told(name, `a server ${JSON.stringify(name)} in mcpServers`)] : []),
    ...(Object.hasOwn(houses, name) ? [told(name, `a house ${JSON.stringify(name)} in homeAssistant`)] : []),
  ]);
}

/** `folder` is where relative paths begin. */
export function toApis(
  apis: Readonly<Record<string, ApiEntry>>,
  folder: string,
): Readonly<Record<string, ApiToolsConfig>> {
  return Object.fromEntries(Object.entries(apis).map(([name, api]) => [name, toApi(api, folder)]));
}

function toApi(api: ApiEntry, folder: string): ApiToolsConfig {
  const { openapi = "", tools, tags, paths, disabled, callsPerMinute, zaguan } = api;
  const baseUrl = api.baseUrl?.replace(/\/+$/, "");
  const settings = {
    auths: areByScheme(api.auth) ? api.auth : { "": api.auth },
    headers: api.headers,
    ...(callsPerMinute > 0 && { callsPerMinute }),
    disabled,
    policy: { trusted: true, ...zaguan },
  };
  if (tools) return { baseUrl: baseUrl ?? "", tools: tools.map(toTool), ...settings };
  const document = isWebUrl(openapi) ? { url: openapi } : { file: resolve(folder, openapi) };
  return { document, ...(baseUrl !== undefined && { baseUrl }), tags, paths, ...settings };
}

function toTool(tool: ToolEntry): WrittenToolConfig {
  return { ...tool, parameters: tool.parameters.map((parameter) => toParameter(tool, parameter)) };
}

function toParameter(tool: ToolEntry, parameter: ParameterEntry): WrittenParameterConfig {
  const place = placeOf(tool, parameter);
  const isNeeded = place === "path" && parameter.default === undefined;
  return { ...parameter, type: parameter.type ?? "string", required: parameter.required || isNeeded, in: place };
}

function* contradictionsIn(api: ApiEntry): Generator<[string[], string]> {
  const { openapi, tools, baseUrl, tags, paths, auth } = api;
  if (openapi !== undefined && tools !== undefined) yield [[], 'has both "openapi" and "tools"; keep one of them'];
  if (openapi === undefined && tools === undefined) yield [[], 'needs either "openapi" or "tools"'];
  if (openapi !== undefined || tools === undefined) return;
  if (baseUrl === undefined) yield [["baseUrl"], '"tools" need to know where the API is'];
  const chosen = Object.entries({ tags, paths }).filter(([, list]) => list.length > 0);
  for (const [key] of chosen) yield [[key], "chooses operations of a document, and there is none"];
  if (areByScheme(auth) && Object.keys(auth).length > 0)
    yield [["auth"], "has names of a document's schemes, and there is none"];
}

function isWebUrl(text: string): boolean {
  return webUrl.safeParse(text).success;
}

function isEachNameOnce(tools: readonly ToolEntry[]): boolean {
  return new Set(tools.map(({ name }) => name)).size === tools.length;
}
