/** Ends programs by name: asks them to close, or with force makes them, and sees what became of it. */
import { setTimeout as sleep } from "node:timers/promises";
import { undertakerPid } from "../../link/undertaker.ts";
import { mayEnd, named, type RunningProgram, readProgram, readPrograms, type Self } from "./processes.ts";

interface Closed {
  readonly ended: number;
  readonly stillRunning: number;
  /** There are such processes, and none of them may be ended. */
  readonly isProtected: boolean;
}

/** How long a program may take to close when it was asked to. */
const CLOSE_MS = 3000;
const LOOK_MS = 50;

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

/** Looks once more right before: numbers are given anew. */
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
