/** `zaguan call`: one call of one tool of the running hub. */

import { isObject, nearest } from "../../contract/rules.ts";
import type { Context } from "../command.ts";
import { CommandFailure, EXIT_FAILED, UsageError } from "../failures.ts";
import { connectHub, type HubClient } from "../hub-client.ts";
import { listTools } from "../hub-tools.ts";
import { listOption, textOption } from "../options.ts";
import { spinner } from "../progress.ts";
import { plainText } from "../text.ts";
import { showResult } from "../tool-result.ts";
import { typedArguments } from "../typed-arguments.ts";
import type { Output } from "../world.ts";

/** A hub answers within the limit of its own configuration; this is for one that does not. */
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
  const names = tools.map(({ name }) => name);
  const guess = nearest(tool, names);
  if (guess !== undefined) throw new CommandFailure("cli.call.unknownToolNear", { tool, guess });
  throw new CommandFailure("cli.call.unknownTool", { tool });
}

/** A pipe gets the very text; a terminal gets what cannot steer it. */
function write(output: Output, text: string): void {
  const shown = output.isTTY ? plainText(text) : text;
  if (shown !== "") output.write(shown.endsWith("\n") ? shown : `${shown}\n`);
}
