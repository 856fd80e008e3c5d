/**
 * `zaguan import`: another client's servers into the configuration file; a REST API's OpenAPI document, or what HandsAI
 * exported, to the running hub.
 */
import { basename } from "node:path";
import { importServers } from "../../config/edit.ts";
import type { Context } from "../command.ts";
import { type ConfigTarget, configTarget, whatHappensNow } from "../config-target.ts";
import { EXIT_FAILED } from "../failures.ts";
import { importProviders } from "../import/handsai.ts";
import { isAddress, kindOf, readOperand } from "../import/kind.ts";
import { importApi } from "../import/openapi.ts";
import { refuseDocumentOptions } from "../import/settings.ts";
import { isGiven } from "../options.ts";
import { printJson, printLine, printNote } from "../output.ts";

export async function run(context: Context): Promise<number> {
  const [source = ""] = context.operands;
  if (isAddress(source)) return importApi(context, undefined);
  const text = await readOperand(source);
  const kind = kindOf(text, source);
  if (kind.is === "OpenAPI") return importApi(context, text);
  refuseDocumentOptions(context, source);
  if (kind.is === "HandsAI") return importProviders(context, kind.providers);
  const target = configTarget(context);
  return tell(context, target, importServers(target.file, text, source));
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
function tellNext(context: Context, { variables, inputs }: ReturnType<typeof importServers>): void {
  const unset = (names: readonly string[]): string => names.filter((name) => !context.world.env[name]).join(", ");
  const [needed, asked] = [unset(variables), unset(inputs)];
  if (needed !== "") printNote(context, "cli.import.variables", { names: needed });
  if (asked !== "") printNote(context, "cli.import.inputs", { names: asked });
}
