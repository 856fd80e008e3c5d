/** `DATA/hub.json`: where the running hub is found by the other commands. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface RunFile {
  readonly pid: number;
  readonly url: string;
  readonly configFile: string;
  readonly startedUtc: string;
}

export async function writeRunFile(dataDir: string, content: RunFile): Promise<void> {
  await writeFile(pathIn(dataDir), JSON.stringify(content), { mode: 0o600 });
}

/** Only our own: another hub may have taken the folder over. */
export async function removeRunFile(dataDir: string): Promise<void> {
  const found = await readRunFile(dataDir);
  if (found?.pid === process.pid) await rm(pathIn(dataDir), { force: true });
}

export async function readRunFile(dataDir: string): Promise<RunFile | undefined> {
  try {
    return JSON.parse(await readFile(pathIn(dataDir), "utf8")) as RunFile;
  } catch {
    return undefined;
  }
}

function pathIn(dataDir: string): string {
  return join(dataDir, "hub.json");
}
