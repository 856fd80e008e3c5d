/**
 * DATA/hub.json, by which a running hub tells where it is. One that was left behind by a dead hub does not count.
 * Read here and not through the composition root, which would load the whole hub for it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface RunningHub {
  readonly pid: number;
  readonly url: string | undefined;
  /** Proves to the hub that we are the local user. */
  readonly token: string | undefined;
  readonly configFile: string | undefined;
  /** When it last took up its file, or refused it; unknown of older hubs. */
  readonly configUtc: string | undefined;
  readonly configRefused: string | undefined;
  /** The address of its database, without credentials; undefined if it is the file in the data folder. */
  readonly database: string | undefined;
}

export function findRunningHub(dataDir: string): RunningHub | undefined {
  const { pid, ...told } = readHubFile(dataDir);
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
  const text = (key: string): string | undefined => {
    const value = told[key];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  return {
    pid,
    url: text("url"),
    token: text("token"),
    configFile: text("configFile"),
    configUtc: text("configUtc"),
    configRefused: text("configRefused"),
    database: text("database"),
  };
}

/** The token that the running hub wrote for us, if that is the hub at this URL: no other is told. */
export function tokenFor(dataDir: string, url: string): string | undefined {
  const hub = findRunningHub(dataDir);
  return hub?.url === url ? hub.token : undefined;
}

function readHubFile(dataDir: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(join(dataDir, "hub.json"), "utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A process that we may not signal is there all the same. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM";
  }
}
