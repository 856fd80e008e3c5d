/** Which configuration file a command edits: the one it was told, else that of the running hub, else `zaguan.json`. */
import { resolve } from "node:path";
import type { Context } from "./command.ts";
import { findRunningHub } from "./hub-file.ts";
import { serveOptions, textOption } from "./options.ts";

export interface ConfigTarget {
  readonly file: string;
  /** True where a running hub watches this very file. */
  readonly watched: boolean;
}

export function configTarget(context: Context): ConfigTarget {
  const { configFile, dataDir } = serveOptions(context);
  const watched = findRunningHub(dataDir)?.configFile;
  const told = textOption(context, "config") !== undefined;
  const file = told ? configFile : (watched ?? configFile);
  return { file, watched: watched !== undefined && resolve(watched) === resolve(file) };
}

/** What to say after the file was changed. */
export function whatHappensNow(context: Context, target: ConfigTarget): string {
  return context.say(target.watched ? "cli.config.takenUp" : "cli.config.atStart");
}
