/** Where a command would be found, by the rules of the system. Starts nothing. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import process from "node:process";

interface Search {
  readonly path: string;
  /** Against which a command with a slash is read. */
  readonly cwd: string;
}

/** The program's path, undefined if there is none. */
export function findProgram(command: string, { path, cwd }: Search): string | undefined {
  const folders = /[\\/]/.test(command) ? [""] : path.split(delimiter).filter((folder) => folder !== "");
  const candidates = folders.flatMap((folder) => endings().map((ending) => placed(folder, command, cwd) + ending));
  return candidates.find(isProgram);
}

function placed(folder: string, command: string, cwd: string): string {
  if (folder === "") return isAbsolute(command) ? command : resolve(cwd, command);
  return join(folder, command);
}

function endings(): readonly string[] {
  return process.platform === "win32" ? ["", ".exe", ".cmd", ".bat", ".com"] : [""];
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
