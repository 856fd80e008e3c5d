/**
 * The running programs of this machine, out of /proc: which there are, which of them may be ended by name, and ending
 * them.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MARKER_VARIABLE } from "../../link/process-group.ts";
import { undertakerPid } from "../../link/undertaker.ts";

export interface RunningProgram {
  readonly pid: number;
  readonly parent: number;
  readonly uid: number;
  readonly name: string;
  /** With the pid it identifies the process: pids are used again. */
  readonly startTime: string;
  /** A child of a hub, which looks after it and would only start it again. */
  readonly isSupervised: boolean;
}

/** Few at a time: others need the thread pool as well. */
const READS_AT_ONCE = 16;

export async function readPrograms(proc: string): Promise<RunningProgram[]> {
  const pids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: RunningProgram[] = [];
  for (let start = 0; start < pids.length; start += READS_AT_ONCE) {
    const some = await Promise.all(pids.slice(start, start + READS_AT_ONCE).map((pid) => readProgram(proc, pid)));
    found.push(...some.filter((program) => program !== undefined));
  }
  return found.sort((a, b) => a.pid - b.pid);
}

/** Undefined for one that is gone, is dead, or is a thread of the kernel. */
async function readProgram(proc: string, pid: number): Promise<RunningProgram | undefined> {
  const folder = join(proc, String(pid));
  const read = (file: string): Promise<string> => readFile(join(folder, file), "utf8").catch(() => "");
  const [status, command, environment] = await Promise.all([read("stat"), read("cmdline"), read("environ")]);
  const { uid } = await stat(folder).catch(() => ({ uid: -1 }));
  const comm = status.slice(status.indexOf("(") + 1, status.lastIndexOf(")"));
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  if (comm === "" || uid === -1 || command === "" || fields[0] === "Z") return undefined;
  const isSupervised = `\0${environment}`.includes(`\0${MARKER_VARIABLE}=`);
  return {
    pid,
    parent: Number(fields[1]),
    uid,
    name: nameOf(comm, command),
    startTime: fields[19] ?? "",
    isSupervised,
  };
}

/** The kernel keeps fifteen bytes of a name; the first word of the command line has the rest, unless it was rewritten. */
function nameOf(comm: string, command: string): string {
  const first = basename(command.split("\0")[0] ?? "");
  return first.startsWith(comm) ? first : comm;
}

/** The processes with that name which this user may end: never we ourselves, whoever started us, or who is looked after. */
export function mayEnd(all: readonly RunningProgram[], names: ReadonlySet<string>, self: Self): RunningProgram[] {
  const untouchable = new Set([1, self.pid, ...self.others, ...ancestors(all, self.pid)]);
  return named(all, names, self.uid).filter(({ pid, isSupervised }) => !isSupervised && !untouchable.has(pid));
}

interface Self {
  readonly pid: number;
  readonly uid: number;
  /** Other processes of ours without a marker in their environment: the undertaker. */
  readonly others: readonly number[];
}

function named(all: readonly RunningProgram[], names: ReadonlySet<string>, uid: number): RunningProgram[] {
  return all.filter((program) => program.uid === uid && names.has(program.name.toLowerCase()));
}

function ancestors(all: readonly RunningProgram[], pid: number): number[] {
  const parents = new Map(all.map((program) => [program.pid, program.parent]));
  const found: number[] = [];
  for (let next = parents.get(pid); next && !found.includes(next); next = parents.get(next)) found.push(next);
  return found;
}

interface Closed {
  readonly ended: number;
  readonly stillRunning: number;
  /** There are such processes, and none of them may be ended. */
  readonly isProtected: boolean;
}

/** How long a program may take to close when it was asked to. */
const CLOSE_MS = 3000;
const LOOK_MS = 50;

/** Asks programs to close, or with force makes them, and sees what became of it. */
export async function closePrograms(proc: string, names: ReadonlySet<string>, force: boolean): Promise<Closed> {
  const self: Self = { pid: process.pid, uid: process.getuid?.() ?? -1, others: [undertakerPid() ?? 1] };
  const all = await readPrograms(proc);
  const targets = mayEnd(all, names, self);
  if (targets.length === 0) {
    return { ended: 0, stillRunning: 0, isProtected: named(all, names, self.uid).length > 0 };
  }
  for (const target of targets) await signal(proc, target, force ? "SIGKILL" : "SIGTERM");
  const left = await outliving(proc, targets);
  return { ended: targets.length - left.length, stillRunning: left.length, isProtected: false };
}

/** Checks the process once more right before the signal, since pids are used again. */
async function signal(proc: string, target: RunningProgram, name: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (!(await isStill(proc, target))) return;
  try {
    process.kill(target.pid, name);
  } catch {
    // Gone by now, or not ours to end: it is counted afterwards.
  }
}

async function outliving(proc: string, targets: readonly RunningProgram[]): Promise<readonly RunningProgram[]> {
  const until = performance.now() + CLOSE_MS;
  for (let left = targets; ; await sleep(LOOK_MS)) {
    const still = await Promise.all(left.map((target) => isStill(proc, target)));
    left = left.filter((_target, index) => still[index]);
    if (left.length === 0 || performance.now() > until) return left;
  }
}

async function isStill(proc: string, { pid, startTime }: RunningProgram): Promise<boolean> {
  return (await readProgram(proc, pid))?.startTime === startTime;
}
