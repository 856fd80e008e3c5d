/** `zaguan import`: takes over the servers of another client's file; other kinds of files are recognised and refused. */
import { basename } from "node:path";
import { ConfigError } from "../../config/config-error.ts";
import { readConfigText } from "../../config/config-file.ts";
import { importServers } from "../../config/edit.ts";
import { parseJsonText } from "../../config/load.ts";
import type { Context } from "../command.ts";
import { type ConfigTarget, configTarget, whatHappensNow } from "../config-target.ts";
import { CommandFailure, EXIT_FAILED } from "../failures.ts";
import { isGiven } from "../options.ts";
import { printJson, printLine, printNote } from "../output.ts";

export async function run(context: Context): Promise<number> {
  const [source = ""] = context.operands;
  const file = basename(source);
  const text = readConfigText(source);
  if (text === undefined) throw new CommandFailure("cli.import.noFile", { file: source });
  const kind = unsupportedKind(text, source);
  if (kind !== undefined) throw new CommandFailure("cli.import.unsupported", { file, kind });
  const target = configTarget(context);
  const result = importServers(target.file, text, source);
  return tell(context, target, result);
}

function tell(context: Context, target: ConfigTarget, result: ReturnType<typeof importServers>): number {
  const names = result.added.join(", ");
  const count = result.added.length;
  for (const { name, reason } of result.skipped) printNote(context, "cli.import.skipped", { name, reason });
  if (count === 0) printNote(context, "cli.import.nothing");
  if (isGiven(context, "json")) printJson(context, result);
  else if (count > 0) {
    const done = context.say("cli.import.done", { count, file: basename(target.file), names });
    printLine(context, `${done} ${whatHappensNow(context, target)}`);
  }
  tellNext(context, result);
  return count > 0 ? 0 : EXIT_FAILED;
}

/** What the hub will want; what is set here is likely set there. */
function tellNext(context: Context, { renamed, variables, inputs }: ReturnType<typeof importServers>): void {
  const unset = (names: readonly string[]): string => names.filter((name) => !context.world.env[name]).join(", ");
  const [needed, asked] = [unset(variables), unset(inputs)];
  for (const { name, was } of renamed) printNote(context, "cli.import.renamed", { name, was });
  if (needed !== "") printNote(context, "cli.import.variables", { names: needed });
  if (asked !== "") printNote(context, "cli.import.inputs", { names: asked });
}

/** An OpenAPI document may be YAML, which is no JSON: its first line tells. */
function unsupportedKind(text: string, source: string): "OpenAPI" | "HandsAI" | undefined {
  if (/^(?:openapi|swagger)\s*:/m.test(text)) return "OpenAPI";
  let value: unknown;
  try {
    value = parseJsonText(text, source);
  } catch (cause) {
    if (cause instanceof ConfigError) return undefined;
    throw cause;
  }
  if (has(value, "openapi") || has(value, "swagger")) return "OpenAPI";
  return isHandsAi(value) ? "HandsAI" : undefined;
}

/** A list of providers with their tools, or one of them. */
function isHandsAi(value: unknown): boolean {
  const providers = Array.isArray(value) ? value : [value];
  return providers.length > 0 && providers.every((one) => has(one, "baseUrl") && has(one, "tools"));
}

function has(value: unknown, key: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}
