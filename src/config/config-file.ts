/**
 * The configuration file on disk: read whole and bounded, written so that nobody ever sees half of it. The parser and its
 * schema library are heavy and only loaded when there is a file: a hub without one starts faster and stays smaller.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { ConfigError } from "./config-error.ts";
import { DEFAULT_CONFIG } from "./defaults.ts";
import type { Environment } from "./load.ts";
import type { ZaguanConfig } from "./types.ts";

const CONFIG_BYTES_MAX = 1_048_576;

/** It may hold tokens: for its owner only. */
const NEW_FILE_MODE = 0o600;

/** The file's text, undefined if there is none. */
export function readConfigText(file: string, bytesMax: number = CONFIG_BYTES_MAX): string | undefined {
  try {
    const found = statSync(file);
    if (!found.isFile()) throw new ConfigError(`${basename(file)}: is not a file`);
    if (found.size > bytesMax) throw tooLarge(file, bytesMax);
    return decode(file, readFileSync(file), bytesMax);
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    throw explainFailure(file, "read", cause);
  }
}

/** Replaces the file in one step and keeps its mode; a symbolic link stays one. */
export function writeConfigText(file: string, text: string): void {
  if (Buffer.byteLength(text) > CONFIG_BYTES_MAX) throw tooLarge(file, CONFIG_BYTES_MAX);
  let temporary: string | undefined;
  try {
    const target = realTarget(file);
    temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`);
    writeDurably(temporary, text, modeOf(target));
    renameSync(temporary, target);
  } catch (cause) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    throw explainFailure(file, "written", cause);
  }
}

function writeDurably(file: string, text: string, mode: number): void {
  const handle = openSync(file, "wx", NEW_FILE_MODE);
  try {
    writeFileSync(handle, text);
    fchmodSync(handle, mode);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function realTarget(file: string): string {
  try {
    return realpathSync(file);
  } catch (cause) {
    if (isAbsent(cause)) return file;
    throw cause;
  }
}

function modeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? found.mode & 0o777 : NEW_FILE_MODE;
}

function decode(file: string, bytes: Uint8Array, bytesMax: number): string {
  if (bytes.length > bytesMax) throw tooLarge(file, bytesMax);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ConfigError(`${basename(file)}: is not UTF-8 text`);
  }
}

function tooLarge(file: string, bytesMax: number): ConfigError {
  return new ConfigError(`${basename(file)}: is larger than ${bytesMax} bytes`);
}

function isAbsent(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
}

function explainFailure(file: string, what: "read" | "written", cause: unknown): ConfigError {
  if (cause instanceof ConfigError) return cause;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? "unknown reason";
  const reason = code === "ENOENT" ? "its folder does not exist" : code === "EACCES" ? "permission denied" : code;
  return new ConfigError(`${basename(file)}: cannot be ${what}: ${reason}`, cause);
}

/** The checked configuration; a missing file means all defaults. */
export async function loadConfig(file: string, env: Environment): Promise<ZaguanConfig> {
  const text = readConfigText(file);
  if (text === undefined) return DEFAULT_CONFIG;
  const { parseConfig } = await import("./load.ts");
  return parseConfig(text, file, env);
}

/**
 * One setting of `cluster` alone, for commands that open the store themselves. The rest of the file may be wrong, or name variables
 * that only the hub's environment has. A path is as it is written.
 */
export async function clusterInFile(
  name: "database" | "secretFile",
  file: string,
  env: Environment,
): Promise<string | undefined> {
  const text = readConfigText(file);
  if (!text?.includes('"cluster"')) return undefined;
  const { expandVariables, member, parseJsonText } = await import("./load.ts");
  const written = member(member(parseJsonText(text, file), "cluster"), name);
  if (typeof written !== "string" || written === "") return undefined;
  const { value, problems, missing } = expandVariables(written, env);
  const [wrong] = [...problems, ...missing];
  if (wrong) throw new ConfigError(`${basename(file)}: cluster.${name}: ${wrong.text}`);
  return value as string;
}
