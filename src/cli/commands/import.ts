/** `zaguan import`: takes over the servers of another client's file; other kinds of files are recognised and refused. */
import { basename } from "node:path";
import { ConfigError } from "../../config/config-error.ts";
import { readConfigText } from "../../config/config-file.ts";
import { importServers } from "../../config/edit.ts";
import { parseJsonText } from "../../config/load.ts";
import type { Context } from "../command.ts";
import { type ConfigTarget, configTarget, whatHappensNow } from "../config-target.ts";
import { CommandFailure, EXIT_FAILED } from "../failures.ts";

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
  const { world, say } = context;
  for (const { name, reason } of result.skipped) {
    world.stderr.write(`${say("cli.import.skipped", { name, reason })}\n`);
  }
  const names = result.added.join(", ");
  if (names === "") {
    world.stderr.write(`${say("cli.import.nothing")}\n`);
    return EXIT_FAILED;
  }
  const done = say("cli.import.done", { count: result.added.length, file: basename(target.file), names });
  world.stdout.write(`${done} ${whatHappensNow(context, target)}\n`);
  return 0;
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
