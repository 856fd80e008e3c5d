/**
 * Opens the configuration file. The parser and its schema library are heavy and only loaded when there is a file: a hub
 * without one starts faster and stays smaller.
 */
import { readConfigText } from "./config-file.ts";
import { DEFAULT_CONFIG } from "./defaults.ts";
import type { ZaguanConfig } from "./types.ts";
import type { Environment } from "./variables.ts";

/** A missing file means all defaults. */
export async function loadConfig(file: string, env: Environment): Promise<ZaguanConfig> {
  const text = readConfigText(file);
  if (text === undefined) return DEFAULT_CONFIG;
  const { parseConfig } = await import("./load.ts");
  return parseConfig(text, file, env);
}
