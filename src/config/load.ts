/** Reads `zaguan.json`: text to a checked ZaguanConfig, or one ConfigError whose message is a line for a person. */
import { basename, dirname } from "node:path";
import { ConfigError, refuse } from "./config-error.ts";
import { JsonMistake, parseJsonc } from "./jsonc.ts";
import { checkFileForm } from "./schema.ts";
import type { ZaguanConfig } from "./types.ts";
import { type Environment, expandVariables } from "./variables.ts";

export { ConfigError } from "./config-error.ts";
export type { Environment } from "./variables.ts";

export function parseConfig(text: string, fileName: string, env: Environment): ZaguanConfig {
  return readForm(text, fileName, env, "refuse") as ZaguanConfig;
}

/**
 * The same check with variables left open: for whoever edits the file in another environment than the hub's. Throws
 * what `parseConfig` throws, but for variables that are not set.
 */
export function checkConfigText(text: string, fileName: string): void {
  readForm(text, fileName, {}, "leave");
}

/** JSON with comments, trailing commas and a byte order mark to a value; a mistake is told with its line and column. */
export function parseJsonText(text: string, fileName: string): unknown {
  try {
    return parseJsonc(text.replace(/^\uFEFF/, " "));
  } catch (cause) {
    if (!(cause instanceof JsonMistake)) throw cause;
    throw new ConfigError(`${basename(fileName)}: line ${cause.line}, column ${cause.column}: ${cause.message}`);
  }
}

/** Undefined only where unset variables are left open and stand in the way of a complete configuration. */
function readForm(
  text: string,
  fileName: string,
  env: Environment,
  unset: "refuse" | "leave",
): ZaguanConfig | undefined {
  const { value, problems, missing } = expandVariables(parseJsonText(text, fileName), env);
  const checked = checkFileForm(value, dirname(fileName));
  const open = new Set([...problems, ...missing].map((problem) => problem.path));
  const found = "problems" in checked ? checked.problems : [];
  const wrong = found.filter((problem) => problem.ofKey || !open.has(problem.path));
  refuse(fileName, [...wrong, ...problems, ...(unset === "refuse" ? missing : [])]);
  return "config" in checked ? checked.config : undefined;
}
