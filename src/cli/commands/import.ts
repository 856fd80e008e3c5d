/**
 * `zaguan import`: another client's servers into the configuration file; a REST API's OpenAPI document, or what HandsAI
 * exported, to the running hub.
 */
import { basename } from "node:path";
import { type ImportedProgram, type ImportResult, importServers } from "../../config/edit.ts";
import type { Context } from "../command.ts";
import { type ConfigTarget, configTarget, whatHappensNow } from "../config-target.ts";
import { EXIT_FAILED } from "../failures.ts";
import { connectHub } from "../hub-client.ts";
import { isAddress, kindOf, readOperand } from "../import/kind.ts";
import { importApi, patiently } from "../import/openapi.ts";
import { refuseDocumentOptions } from "../import/settings.ts";
import { isGiven } from "../options.ts";
import { printJson, printLine, printNote, printOutcome } from "../output.ts";
import { plainLine } from "../terminal.ts";

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

/** Names the variables that the hub will need and that are not set in this environment. */
function tellNext(context: Context, { variables, inputs }: ImportResult): void {
  const unset = (names: readonly string[]): string => names.filter((name) => !context.world.env[name]).join(", ");
  const [needed, asked] = [unset(variables), unset(inputs)];
  if (needed !== "") printNote(context, "cli.import.variables", { names: needed });
  if (asked !== "") printNote(context, "cli.import.inputs", { names: asked });
}

/** A yes in any of our languages. */
const YES = /^\s*(?:y|yes|s|si|sí|o|oui|是)\s*$/iu;

/** The programs that the file brings and the hub would start, one line each. */
function showPrograms(context: Context, { programs }: ImportResult): void {
  if (programs.length === 0) return;
  printNote(context, "cli.import.programs");
  for (const program of programs) context.world.stderr.write(`  ${plainLine(lineOf(context, program))}\n`);
}

/** Whether somebody agrees that the programs are written into the configuration. */
async function agreed(context: Context, { programs, added }: ImportResult, file: string): Promise<boolean> {
  if (programs.length === 0 || isGiven(context, "yes")) return true;
  const { say, world } = context;
  const answer = await world.ask?.(say("cli.import.ask", { count: added.length, file: basename(file) }));
  if (answer !== undefined && YES.test(answer)) return true;
  printNote(context, answer === undefined ? "cli.import.needsYes" : "cli.import.notImported");
  return false;
}

function lineOf({ say }: Context, { name, command, args, env, cwd }: ImportedProgram): string {
  const line = [command, ...args].map(quoted).join(" ");
  const names = env.length > 0 ? ` (${say("cli.import.environment", { names: env.join(", ") })})` : "";
  return `${name}: ${line}${names}${cwd === undefined ? "" : ` (${say("cli.import.folder", { folder: cwd })})`}`;
}

/** As a POSIX shell takes it for one word. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A provider of HandsAI as the hub shows it. */
interface Provider {
  readonly code: string;
  readonly authenticationType: string;
  readonly apiKeyValue: string | null;
  readonly isDynamicAuth?: boolean;
  readonly oauth2?: { readonly clientSecret?: string };
  readonly tools: readonly unknown[];
}

/** Providers that HandsAI exported, with their tools, to the running hub. */
async function importProviders(context: Context, providers: readonly unknown[]): Promise<number> {
  const taken = (await patiently(context, (timing) =>
    connectHub(context).send("POST", "/api/import/providers", providers, timing),
  )) as readonly Provider[];
  const count = taken.reduce((sum, { tools }) => sum + tools.length, 0);
  const names = taken.map(({ code }) => code).join(", ");
  printOutcome(context, taken, context.say("cli.import.doneProviders", { count, names }));
  const without = taken.filter(lacksSecret).map(({ code }) => code);
  if (without.length > 0) printNote(context, "cli.import.noKeys", { names: without.join(", ") });
  return 0;
}

/** An export has placeholders where keys were. */
function lacksSecret({ authenticationType, apiKeyValue, isDynamicAuth, oauth2 }: Provider): boolean {
  if (authenticationType === "NONE" || isDynamicAuth) return false;
  return authenticationType === "OAUTH2" ? oauth2?.clientSecret === undefined : apiKeyValue === null;
}
