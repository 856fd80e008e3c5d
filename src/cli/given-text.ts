/**
 * Values of options that are more than a word: `K=V` and `'K: V'`, and texts that are long or secret, which come from a file
 * or from stdin, so that they need not stand in the list of processes.
 */
import { text as readAll } from "node:stream/consumers";
import { readConfigText } from "../config/config-file.ts";
import type { Context } from "./command.ts";
import { CommandFailure, UsageError } from "./failures.ts";
import { listOption, textOption } from "./options.ts";

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

/** Refuses a second option that would read stdin, which can be read once. */
export function refuseTwoInputs(context: Context, fromStdin: readonly string[]): void {
  const headers = listOption(context, "header").flatMap((text) => (text === "@-" ? ["--header @-"] : []));
  const [one = "", other] = [...fromStdin, ...headers];
  if (other !== undefined) throw new UsageError("cli.usage.together", { one, other }, context.command.name);
}

/** `K=V`, or `'K: V'`. What does not fit is not repeated: it may hold a secret. */
export function pairOf(context: Context, option: string, text: string, separator: "=" | ":"): [string, string] {
  const at = text.indexOf(separator);
  const key = text.slice(0, at).trim();
  if (at >= 1 && key !== "") return [key, separator === "=" ? text.slice(at + 1) : text.slice(at + 1).trim()];
  const form = separator === "=" ? "K=V" : "'K: V'";
  throw new UsageError("cli.usage.pair", { option: `--${option}`, form }, context.command.name);
}

export function headerOf(context: Context, text: string): [string, string] {
  return pairOf(context, "header", text, ":");
}
