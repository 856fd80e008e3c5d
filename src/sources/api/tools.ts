/** The operations of an API as tools. Their hints are our own: HTTP says which methods only read, and which may be repeated. */
import type { ToolAnnotations, ToolDefinition } from "../../core/call.ts";
import { type Language, type MessageKey, say } from "../../messages/catalogue.ts";
import { isFields } from "./arguments.ts";
import type { ApiOperation, ApiOptions, HttpMethod } from "./operation.ts";
import type { Ways } from "./result.ts";

export const PICK = "_pick";
export const OFFSET = "_offset";

const SAID: Readonly<Record<string, MessageKey>> = { [PICK]: "api.pick", [OFFSET]: "api.offset" };

const ADDED = {
  [PICK]: { type: "string", description: say("en", "api.pick") },
  [OFFSET]: { type: "integer", minimum: 0, description: say("en", "api.offset") },
} as const;

/**
 * Without the output schema: an answer may be cut or picked from, real ones do not always keep to it, and clients that
 * check it throw away the whole result.
 */
export function toolOf(operation: ApiOperation, ways: Ways): ToolDefinition {
  const { name, title, description, method, plain } = operation;
  const inputSchema = plain ? operation.inputSchema : withWays(operation.inputSchema, ways);
  const annotations = hintsOf(method, title);
  return { name, ...(title !== undefined && { title }), description, inputSchema, ...(annotations && { annotations }) };
}

/** Reading twice is free; anything else would be done again. A name that the operation has itself is left to it. */
export function waysOf(operation: ApiOperation): Ways {
  if (operation.method !== "GET" && operation.method !== "HEAD") return { offset: false, pick: false };
  const { parameters, body, inputSchema } = operation;
  const properties = inputSchema["properties"];
  const taken = new Set([
    ...parameters.map(({ argument }) => argument),
    body?.argument,
    ...(body?.members ?? []).map(({ argument }) => argument),
    ...(isFields(properties) ? Object.keys(properties) : []),
  ]);
  return { offset: !taken.has(OFFSET), pick: !taken.has(PICK) };
}

/** What is ours in it, in that language; the API's own words stay. */
export function translated(tool: ToolDefinition, language: Language): ToolDefinition {
  const properties = tool.inputSchema["properties"];
  if (language === "en" || !isFields(properties)) return tool;
  const ours = Object.entries(ADDED).filter(([name, { description }]) => isSaidOf(properties, name, description));
  if (ours.length === 0) return tool;
  const spoken = ours.map(([name, schema]) => [name, { ...schema, description: say(language, keyOf(name)) }] as const);
  return {
    ...tool,
    inputSchema: { ...tool.inputSchema, properties: { ...properties, ...Object.fromEntries(spoken) } },
  };
}

function isSaidOf(properties: Readonly<Record<string, unknown>>, name: string, description: string): boolean {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isFields(property) && property["description"] === description;
}

function keyOf(name: string): MessageKey {
  return SAID[name] as MessageKey;
}

function withWays(schema: ApiOperation["inputSchema"], ways: Ways): ApiOperation["inputSchema"] {
  const { properties } = schema;
  const added = { ...(ways.pick && { [PICK]: ADDED[PICK] }), ...(ways.offset && { [OFFSET]: ADDED[OFFSET] }) };
  if (Object.keys(added).length === 0) return schema;
  return { ...schema, properties: { ...(isFields(properties) ? properties : {}), ...added } };
}

function hintsOf(method: HttpMethod, title: string | undefined): ToolAnnotations | undefined {
  const named = title === undefined ? {} : { title };
  if (method === "GET" || method === "HEAD") return { ...named, readOnlyHint: true };
  // Not DELETE: what is gone may have been made anew before the second one comes.
  if (method === "PUT") return { ...named, readOnlyHint: false, idempotentHint: true };
  return { ...named, readOnlyHint: false };
}

/** The tools of an API, which are known before anything is asked of it. */
export function toolsOf({ operations }: ApiOptions): readonly ToolDefinition[] {
  return operations.map((operation) => toolOf(operation, waysOf(operation)));
}
