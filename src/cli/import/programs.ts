/** Programs that another client's file brings: shown before they are written down, since the hub then starts them. */
import { basename } from "node:path";
import type { ImportedProgram, ImportResult } from "../../config/edit.ts";
import type { Context } from "../command.ts";
import { isGiven } from "../options.ts";
import { printNote } from "../output.ts";
import { plainLine } from "../text.ts";

/** A yes in any of our languages. */
const YES = /^\s*(?:y|yes|s|si|sí|o|oui|是)\s*$/iu;

/** What would run, one line each. */
export function showPrograms(context: Context, { programs }: ImportResult): void {
  if (programs.length === 0) return;
  printNote(context, "cli.import.programs");
  for (const program of programs) context.world.stderr.write(`  ${plainLine(lineOf(context, program))}\n`);
}

/** Whether somebody agrees that these are written into the file. */
export async function agreed(context: Context, { programs, added }: ImportResult, file: string): Promise<boolean> {
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

/** For a shell of this world. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
