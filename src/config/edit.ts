/**
 * Changes to `zaguan.json` for `zaguan add` and `zaguan import`. A broken file is never touched, the result is checked
 * before it is written, and it is written in one step.
 */
import { basename } from "node:path";
import { slugOf } from "../server-name.ts";
import { ConfigError, formatPath } from "./config-error.ts";
import { readConfigText, writeConfigText } from "./config-file.ts";
import { type ForeignServer, findServers, variablesOf } from "./import-forms.ts";
import { removeMember, setMember } from "./jsonc.ts";
import { checkConfigText, parseJsonText } from "./load.ts";

/** An entry of `mcpServers` as people write it. */
export type WrittenEntry = Readonly<Record<string, unknown>>;

export interface ImportResult {
  readonly added: string[];
  readonly skipped: { readonly name: string; readonly reason: string }[];
  /** Environment variables that the hub has to have from now on. */
  readonly variables: string[];
  /** Those in the place of what VS Code asks a person; empty while they are not set. */
  readonly inputs: string[];
  /** The added servers that are programs: the hub starts them on its own machine. */
  readonly programs: ImportedProgram[];
}

/** What would run, as a person is to see it before. */
export interface ImportedProgram {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Names of variables that it is given; their values may be secret. */
  readonly env: readonly string[];
  readonly cwd?: string;
}

/** Adds a server; one of that name is refused unless `replace` is given. Tells whether the file is another now. */
export function addServer(
  file: string,
  name: string,
  entry: WrittenEntry,
  options: { replace?: boolean } = {},
): boolean {
  const text = readChecked(file);
  if (serverNames(text, file).has(name) && !options.replace) {
    throw new ConfigError(`${basename(file)}: there is a server ${JSON.stringify(name)} already`);
  }
  const edited = setMember(text, "mcpServers", name, withoutUndefined(entry));
  writeChecked(file, edited);
  return edited !== text;
}

/** By its name or its slug. Tells whether there was one. */
export function removeServer(file: string, said: string): boolean {
  const text = readChecked(file);
  const names = serverNames(text, file);
  const name = names.has(said) ? said : [...names].find((each) => slugOf(each) === said);
  if (name === undefined) return false;
  writeChecked(file, removeMember(text, "mcpServers", name));
  return true;
}

/**
 * Takes over the servers of another client's file; what cannot be taken over is told with its reason. With `preview` it
 * writes nothing.
 */
export function importServers(
  file: string,
  text: string,
  sourceName: string,
  options: { preview?: boolean } = {},
): ImportResult {
  const found = findServers(parseJsonText(text, sourceName));
  if (found === undefined) throw new ConfigError(`${basename(sourceName)}: has neither "mcpServers" nor "servers"`);
  const before = readChecked(file);
  const present = serverNames(before, file);
  const result: ImportResult = { added: [], skipped: [], variables: [], inputs: [], programs: [] };
  let edited = before;
  for (const server of found) {
    const { name, entry } = server;
    const isTaken = present.has(name) || result.added.includes(name);
    const reason = isTaken ? "there is a server of that name already" : problemOf(name, entry);
    if (reason !== undefined) {
      result.skipped.push({ name, reason });
      continue;
    }
    edited = setMember(edited, "mcpServers", name, entry);
    note(result, server);
  }
  if (result.added.length > 0 && !options.preview) writeChecked(file, edited);
  return result;
}

function note(result: ImportResult, { name, entry, inputs }: ForeignServer): void {
  result.added.push(name);
  addNew(result.variables, variablesOf(entry));
  addNew(result.inputs, inputs);
  if (isProgram(entry)) result.programs.push(programOf(name, entry));
}

/** The entry was checked before. */
type ProgramEntry = { command: string; args?: string[]; env?: Record<string, unknown>; cwd?: string };

function isProgram(entry: unknown): entry is ProgramEntry {
  return (entry as { command?: unknown }).command !== undefined;
}

function programOf(name: string, { command, args = [], env = {}, cwd }: ProgramEntry): ImportedProgram {
  return { name, command, args, env: Object.keys(env), ...(cwd !== undefined && { cwd }) };
}

function addNew(known: string[], names: readonly string[]): void {
  known.push(...names.filter((name) => !known.includes(name)));
}

/** The servers of the file as they are written there, variables and all. */
export function writtenServers(file: string): Readonly<Record<string, WrittenEntry>> {
  const { mcpServers = {} } = parseJsonText(readChecked(file), file) as { mcpServers?: Record<string, WrittenEntry> };
  return mcpServers;
}

function readChecked(file: string): string {
  const text = readConfigText(file);
  if (text === undefined) return "{}";
  checkConfigText(text, file);
  return text.replace(/^\uFEFF/, "");
}

function writeChecked(file: string, text: string): void {
  checkConfigText(text, file);
  writeConfigText(file, text);
}

function serverNames(text: string, file: string): Set<string> {
  const { mcpServers = {} } = parseJsonText(text, file) as { mcpServers?: Record<string, unknown> };
  return new Set(Object.keys(mcpServers));
}

/** What is wrong with one entry, without the part of the path that everybody knows. */
function problemOf(name: string, entry: unknown): string | undefined {
  try {
    checkConfigText(JSON.stringify({ mcpServers: { [name]: entry } }), "entry");
    return undefined;
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    const where = formatPath(["mcpServers", name]);
    return cause.message.replace("entry: ", "").replaceAll(`${where}: `, "").replaceAll(`${where}.`, "");
  }
}

function withoutUndefined(entry: WrittenEntry): unknown {
  return JSON.parse(JSON.stringify(entry));
}
