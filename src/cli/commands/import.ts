/**
 * `zaguan import`: another client's servers into the configuration file; a REST API's OpenAPI document, or what HandsAI
 * exported, to the running hub.
 */
import { basename } from "node:path";
import { type ImportResult, importServers } from "../../config/edit.ts";
import type { Context } from "../command.ts";
import { type ConfigTarget, configTarget, whatHappensNow } from "../config-target.ts";
import { EXIT_FAILED } from "../failures.ts";
import { importProviders } from "../import/handsai.ts";
import { isAddress, kindOf, readOperand } from "../import/kind.ts";
import { importApi } from "../import/openapi.ts";
import { agreed, showPrograms } from "../import/programs.ts";
import { refuseDocumentOptions } from "../import/settings.ts";
import { isGiven } from "../options.ts";
import { printJson, printLine, printNote } from "../output.ts";

export async function run(context: Context): Promise<number> {
  const [source = ""] = context.operands;
  if (isAddress(source)) return importApi(context, undefined);
  const text = await readOperand(source);
  const kind = kindOf(text, source);
  if (kind.is === "OpenAPI") return importApi(context, text);
  refuseDocumentOptions(context, source, kind.is === "servers" ? ["preview"] : []);
  if (kind.is === "HandsAI") return importProviders(context, kind.providers);
  return importFile(context, text, source);
}

/** What would be started is shown first: the file may be a stranger's. */
async function importFile(context: Context, text: string, source: string): Promise<number> {
  const target = configTarget(context);
  const planned = importServers(target.file, text, source, { preview: true });
  showPrograms(context, planned);
  if (isGiven(context, "preview")) return preview(context, planned);
  if (!(await agreed(context, planned, target.file))) return EXIT_FAILED;
  return tell(context, target, importServers(target.file, text, source));
}

function preview(context: Context, planned: ImportResult): number {
  if (isGiven(context, "json")) printJson(context, planned);
  noteSkipped(context, planned);
  printNote(context, "cli.import.wouldImport", { names: planned.added.join(", ") || "–" });
  return 0;
}

function noteSkipped(context: Context, { skipped }: ImportResult): void {
  for (const { name, reason } of skipped) printNote(context, "cli.import.skipped", { name, reason });
}

function tell(context: Context, target: ConfigTarget, result: ImportResult): number {
  const names = result.added.join(", ");
  const count = result.added.length;
  noteSkipped(context, result);
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
function tellNext(context: Context, { variables, inputs }: ImportResult): void {
  const unset = (names: readonly string[]): string => names.filter((name) => !context.world.env[name]).join(", ");
  const [needed, asked] = [unset(variables), unset(inputs)];
  if (needed !== "") printNote(context, "cli.import.variables", { names: needed });
  if (asked !== "") printNote(context, "cli.import.inputs", { names: asked });
}
