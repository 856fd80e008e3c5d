/**
 * The processes of a run, and its temporary folders. Each process is the head of a group of its own, so that what it starts ends with it; whatever way the
 * bench ends, nothing of it stays behind.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

export interface Started {
  readonly pid: number;
  readonly url: string;
  /** The last that it said. */
  said(): string;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Where it listens, if it does not print that itself. */
  readonly port?: number;
}

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 5_000;
const ADDRESS = /http:\/\/(?:127\.0\.0\.1|localhost|0\.0\.0\.0):\d+/;
const SAID_LIMIT = 4_000;

/** Set when somebody stops the bench: what fails from then on fails for that reason. */
export const stopping: { asked: boolean } = { asked: false };

const running = new Set<ChildProcess>();
const folders = new Set<string>();

process.once("exit", () => {
  for (const child of running) killGroup(child, "SIGKILL");
  for (const folder of folders) removeFolder(folder);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    stopping.asked = true;
    process.stderr.write("\nstopping\n");
    void stopAll().then(() => process.exit(130));
  });
}

/** Starts a program and waits until it listens. */
export async function start(command: string, args: readonly string[], options: StartOptions = {}): Promise<Started> {
  const env = { ...cleanEnvironment(), ...options.env };
  const child = spawn(command, args, { env, cwd: options.cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const said = listenTo(child);
  child.once("exit", () => running.delete(child));
  try {
    const url = options.port === undefined ? await addressIn(child, said) : await answersAt(child, options.port, said);
    return { pid: child.pid as number, url, said, stop: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stop));
}

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-bench-"));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** A port that nobody has at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Processor time that a process has used, in milliseconds; not known where there is no /proc. */
export function processorTime(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

/** Memory that a process has; not known where there is no /proc. */
export function residentBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) * 1_024;
  } catch {
    return Number.NaN;
  }
}

/** Our own without what would change a subject's behaviour. */
function cleanEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !/^(?:ZAGUAN_|MCP_|NODE_OPTIONS$)/.test(entry[0]),
  );
  return Object.fromEntries(kept);
}

/** The last that it said, for when it fails. */
function listenTo(child: ChildProcess): () => string {
  let said = "";
  const hear = (chunk: Buffer): void => {
    said = (said + chunk.toString()).slice(-SAID_LIMIT);
  };
  child.stdout?.on("data", hear);
  child.stderr?.on("data", hear);
  return () => said;
}

function addressIn(child: ChildProcess, said: () => string): Promise<string> {
  return waitFor(child, said, async () => ADDRESS.exec(said())?.[0]);
}

function answersAt(child: ChildProcess, port: number, said: () => string): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  const ask = (): Promise<string | undefined> =>
    fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      () => url,
      () => undefined,
    );
  return waitFor(child, said, ask);
}

async function waitFor<T>(child: ChildProcess, said: () => string, look: () => Promise<T | undefined>): Promise<T> {
  const limit = performance.now() + START_LIMIT_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (hasEnded(child)) throw new Error(`${child.spawnargs.join(" ")} ended: ${said().trim()}`);
    if (performance.now() > limit) throw new Error(`${child.spawnargs.join(" ")} did not start: ${said().trim()}`);
    await sleep(5);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const limit = performance.now() + STOP_LIMIT_MS;
  killGroup(child, "SIGTERM");
  while (!hasEnded(child) && performance.now() < limit) await sleep(10);
  // Whatever it left in its group.
  killGroup(child, "SIGKILL");
  running.delete(child);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It is gone already.
  }
}
