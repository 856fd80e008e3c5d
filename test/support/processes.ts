/** What tests ask about processes; as far from the code under test as /proc allows. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const LIMIT_MS = 60_000;

/** Waits until the condition holds; fails after a time that no working machine needs. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, limitMs: number = LIMIT_MS) {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`still not so: ${what}`);
    await sleep(10);
  }
}

/** Words before a command, by which the system sends it this signal when we are gone, however that came. Only Linux has them. */
export function endingWithUs(signal: "INT" | "TERM" | "KILL"): readonly string[] {
  return existsSync("/usr/bin/setpriv") ? ["/usr/bin/setpriv", "--pdeathsig", signal] : [];
}

/** True for a process that runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return stateOf(pid) !== "Z";
  } catch {
    return false;
  }
}

/** All direct children of this process, zombies too. */
export function ownChildren(): number[] {
  return readdirSync("/proc/self/task")
    .flatMap((task) => read(`/proc/self/task/${task}/children`).split(" "))
    .filter((pid) => pid !== "")
    .map(Number);
}

export function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}

/** The open files of a process that one it starts would get too. */
export function inheritableFiles(pid: number | "self" = "self"): string[] {
  const closeOnExec = 0o2000000;
  const flagsOf = (file: string): number =>
    Number.parseInt(/flags:\s*(\d+)/.exec(read(`/proc/${pid}/fdinfo/${file}`))?.[1] ?? "", 8);
  return list(`/proc/${pid}/fd`).filter((file) => (flagsOf(file) & closeOnExec) === 0);
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function stateOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
