/**
 * `DATA/hub.json`, readable by its owner alone: where the running hub is found by the other commands, by what token it
 * knows them, and whether it has read its configuration.
 */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

interface RunFile {
  readonly pid: number;
  readonly url: string;
  /** Whoever brings it is the local user: only those who can read this file know it. */
  readonly token: string;
  readonly configFile: string;
  readonly startedUtc: string;
  /** When the configuration file was last taken up, or refused. */
  readonly configUtc: string;
  /** Why it was refused, if it was; then the one before still counts. */
  readonly configRefused?: string | undefined;
  /** The address of the database, without credentials, if it is not the file in this folder. */
  readonly database?: string | undefined;
}

/** Leaves the file to another hub that is running on the same folder, and tells which. */
export async function writeRunFile(dataDir: string, content: RunFile): Promise<{ taken: RunFile | undefined }> {
  const other = await readRunFile(dataDir);
  if (other && other.pid !== content.pid && isRunning(other.pid)) return { taken: other };
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // In one step: commands read it at any moment.
  const written = `${pathIn(dataDir)}.${content.pid}`;
  try {
    await writeFile(written, JSON.stringify(content), { mode: 0o600 });
    await rename(written, pathIn(dataDir));
  } catch (cause) {
    await rm(written, { force: true });
    throw cause;
  }
  return { taken: undefined };
}

/** Only our own: another hub may have taken the folder over. */
export async function removeRunFile(dataDir: string): Promise<void> {
  const found = await readRunFile(dataDir);
  if (found?.pid === process.pid) await rm(pathIn(dataDir), { force: true });
}

async function readRunFile(dataDir: string): Promise<RunFile | undefined> {
  try {
    return JSON.parse(await readFile(pathIn(dataDir), "utf8")) as RunFile;
  } catch {
    return undefined;
  }
}

function pathIn(dataDir: string): string {
  return join(dataDir, "hub.json");
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
