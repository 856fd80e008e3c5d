/** Texts that are long or secret: from a file or from stdin, so that they need not stand in the list of processes. */
import process from "node:process";
import { text as readAll } from "node:stream/consumers";
import { readConfigText } from "../config/config-file.ts";
import type { Context } from "./command.ts";
import { CommandFailure, UsageError } from "./failures.ts";
import { textOption } from "./options.ts";

/** What `--NAME TEXT` or `--NAME-file FILE` says; undefined if neither was given. */
export async function givenText(context: Context, name: string): Promise<string | undefined> {
  const [said, file] = [textOption(context, name), textOption(context, `${name}-file`)];
  if (said !== undefined && file !== undefined) {
    throw new UsageError("cli.usage.together", { one: `--${name}`, other: `--${name}-file` }, context.command.name);
  }
  return file === undefined ? said : (await readInput(file)).replace(/\r?\n$/, "");
}

/** A file's text; `-` is stdin. */
export async function readInput(file: string): Promise<string> {
  if (file === "-") return readAll(process.stdin);
  const found = readConfigText(file);
  if (found === undefined) throw new CommandFailure("cli.import.noFile", { file });
  return found;
}
