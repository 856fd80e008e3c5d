/** `zaguan call`: one call of one tool of the running hub, and its result for a person. */
import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../contract/rules.ts";
import type { Context, Output, Say } from "../command.ts";
import { EXIT_FAILED, UsageError } from "../failures.ts";
import { connectHub, type HubClient, listTools } from "../hub-client.ts";
import { listOption, textOption } from "../options.ts";
import { spinner } from "../progress.ts";
import { unknownTool } from "../registry-client.ts";
import { plainText } from "../terminal.ts";
import { typedArguments } from "../typed-arguments.ts";

/** The longest time to wait; a hub usually ends a call earlier, by its own limit. */
const PATIENCE_SECONDS = 3600;

export async function run(context: Context): Promise<number> {
  const { world, say } = context;
  const [tool = ""] = context.operands;
  const timeoutMs = secondsOf(context) * 1000;
  const json = givenJson(context);
  const hub = connectHub(context);
  const progress = spinner(world.stderr, tool);
  try {
    const args = await argumentsText(context, hub, tool, json);
    const result = await hub.rpc("tools/call", `{"name":${JSON.stringify(tool)},"arguments":${args}}`, { timeoutMs });
    progress.stop();
    const { text, isError } = showResult(result, say);
    write(isError ? world.stderr : world.stdout, text);
    return isError ? EXIT_FAILED : 0;
  } finally {
    progress.stop();
  }
}

function secondsOf(context: Context): number {
  const text = textOption(context, "timeout");
  const seconds = text === undefined ? PATIENCE_SECONDS : Number(text);
  if (seconds > 0 && seconds <= PATIENCE_SECONDS) return seconds;
  throw new UsageError("cli.call.timeout", { max: PATIENCE_SECONDS }, context.command.name);
}

/** Goes out as it was written, so that large numbers keep all their digits. */
function givenJson(context: Context): string | undefined {
  const text = textOption(context, "json");
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return text;
  } catch {
    // Told below, like any other JSON that is no object.
  }
  throw new UsageError("cli.call.notObject", {}, context.command.name);
}

async function argumentsText(
  context: Context,
  hub: HubClient,
  tool: string,
  json: string | undefined,
): Promise<string> {
  const pairs = listOption(context, "arg");
  if (pairs.length === 0) return json ?? "{}";
  const typed = typedArguments(pairs, await schemaOf(hub, tool));
  return JSON.stringify({ ...JSON.parse(json ?? "{}"), ...typed });
}

/** `server__name` works even where the list has the tool under its plain name. */
async function schemaOf(hub: HubClient, tool: string): Promise<unknown> {
  const tools = await listTools(hub);
  const plain = tool.slice(tool.indexOf("__") + 2);
  const found = tools.find(({ name }) => name === tool) ?? tools.find(({ name }) => name === plain && name !== tool);
  if (found || tool.includes("__")) return found?.inputSchema;
  throw unknownTool(
    tool,
    tools.map(({ name }) => name),
  );
}

/** A pipe gets the text as it is; a terminal gets it without control characters. */
function write(output: Output, text: string): void {
  const shown = output.isTTY ? plainText(text) : text;
  if (shown !== "") output.write(shown.endsWith("\n") ? shown : `${shown}\n`);
}

type Item = Readonly<Record<string, unknown>>;

interface ShownResult {
  readonly text: string;
  readonly isError: boolean;
}

/** Text as text, structured content as JSON, everything else as a short note. */
export function showResult(result: unknown, say: Say): ShownResult {
  const { content, structuredContent, isError } = (result ?? {}) as Item;
  const items = Array.isArray(content) ? (content as Item[]) : undefined;
  if (!items && structuredContent === undefined) return { text: pretty(result), isError: isError === true };
  // Servers say the same twice, as text and in structure: the text is for people, unless it is only the structure again.
  const shown = (items ?? []).filter((item) => structuredContent === undefined || !repeats(item, structuredContent));
  const lines = shown.length > 0 ? shown.map((item) => note(item, say)) : [pretty(structuredContent)];
  return { text: lines.join("\n"), isError: isError === true };
}

function repeats(item: Item, structured: unknown): boolean {
  if (item["type"] !== "text") return false;
  try {
    return isDeepStrictEqual(JSON.parse(String(item["text"])), structured);
  } catch {
    return false;
  }
}

function note(item: Item, say: Say): string {
  const type = String(item["type"]);
  if (type === "text") return String(item["text"] ?? "");
  if (type === "resource_link") return `[${String(item["uri"])}]`;
  if (type === "resource") return resourceNote((item["resource"] ?? {}) as Item, say);
  if (typeof item["data"] === "string") return dataNote(type, item["mimeType"], item["data"], say);
  return pretty(item);
}

function resourceNote(resource: Item, say: Say): string {
  if (typeof resource["text"] === "string") return resource["text"];
  return dataNote(String(resource["uri"]), resource["mimeType"], String(resource["blob"] ?? ""), say);
}

function dataNote(what: string, mimeType: unknown, base64: string, say: Say): string {
  return say("cli.call.data", { what, type: String(mimeType ?? "?"), bytes: Buffer.byteLength(base64, "base64") });
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}
