/** How commands write what they found: results to stdout, what a person should know beside them to stderr. */
import type { MessageKey, MessageParams } from "../messages/catalogue.ts";
import type { Context } from "./command.ts";
import { isGiven } from "./options.ts";
import { displayWidth, padEnd, plainLine, table } from "./terminal.ts";

type Column = Extract<MessageKey, `cli.column.${string}`> extends `cli.column.${infer Name}` ? Name : never;

export function printJson({ world }: Context, value: unknown): void {
  world.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** A line that is the command's whole answer. */
export function printLine({ world }: Context, line: string): void {
  world.stdout.write(`${plainLine(line)}\n`);
}

export function printNote({ world, say }: Context, key: MessageKey, params?: MessageParams): void {
  world.stderr.write(`${plainLine(say(key, params))}\n`);
}

/** JSON if it was asked for, else the line. */
export function printOutcome(context: Context, value: unknown, line: string): void {
  if (isGiven(context, "json")) printJson(context, value);
  else printLine(context, line);
}

function printTable({ world, say }: Context, columns: readonly Column[], rows: readonly (readonly string[])[]): void {
  const heading = columns.map((column) => say(`cli.column.${column}`));
  world.stdout.write(table(heading, rows, world));
}

/** A list as JSON if that was asked for, else as a table; where it is empty, what is said instead. */
export function printList(
  context: Context,
  list: unknown,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  empty?: { readonly key: MessageKey; readonly params?: MessageParams },
): void {
  if (isGiven(context, "json")) printJson(context, list);
  else if (rows.length > 0) printTable(context, columns, rows);
  else if (empty) printNote(context, empty.key, empty.params);
}

/** One field on each line; those without a value are left out. */
export function printFields({ world, say }: Context, fields: readonly (readonly [Column, unknown])[]): void {
  const shown = fields
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([column, value]) => [say(`cli.column.${column}`), plainLine(String(value))] as const);
  const width = Math.max(0, ...shown.map(([label]) => displayWidth(label)));
  world.stdout.write(shown.map(([label, value]) => `${padEnd(label, width)}  ${value}\n`).join(""));
}

/** A time in a table: UTC, to the minute. */
export function minute(utc: string | null | undefined): string {
  return utc ? `${utc.slice(0, 16).replace("T", " ")}Z` : "–";
}

/** The time so many milliseconds after another, to the millisecond. */
export function moment(utc: string, afterMs: number): string {
  const at = Date.parse(utc) + afterMs;
  return Number.isNaN(at) ? "–" : new Date(at).toISOString().replace("T", " ");
}
