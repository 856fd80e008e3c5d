/**
 * Signals for a whole process group, and the search for processes that left it: on Linux everything that descends from a
 * child carries the child's marker in its environment, whatever group, session or parent it chose for itself.
 */
import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** The variable that marks a child of a hub; its value is `<hub>.<number>`. */
export const MARKER_VARIABLE = "ZAGUAN_CHILD";

const LINUX = process.platform === "linux";
const WINDOWS = process.platform === "win32";
/** So many files of /proc are read at once: the others who use the thread pool must not wait long. */
const READS_AT_ONCE = 16;
/** A process that forks while it is searched for is found by the next pass, or one of these. */
const PASSES = 25;
const PASS_PAUSE_MS = 20;

/** Tells whether there was anybody to signal. */
export function signalGroup(pgid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  if (!isGroup(pgid)) return false;
  if (WINDOWS) return endTree(pgid, signal);
  try {
    process.kill(-pgid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Whether a process of the group still runs. A zombie that nobody reaps (in a container without init) does not count. */
export async function groupRuns(pgid: number): Promise<boolean> {
  if (!isGroup(pgid) || WINDOWS || !answersSignal(-pgid)) return false;
  if (!LINUX) return true;
  const members = await findProcesses("stat", (stat) => isRunningMember(stat, pgid));
  return members.length > 0;
}

/** Kills whatever carries exactly this marker, until a search finds nothing more. Without /proc it does nothing. */
export async function killMarked(marker: string): Promise<void> {
  if (!LINUX) return;
  for (let pass = 0; pass < PASSES; pass++) {
    const found = await findMarked(marker);
    if (found.length === 0) return;
    for (const pid of found) killOne(pid);
    await sleep(PASS_PAUSE_MS);
  }
}

/** The processes that carry exactly this marker; none where there is no /proc. */
async function findMarked(marker: string): Promise<readonly number[]> {
  const entry = `\0${MARKER_VARIABLE}=${marker}\0`;
  return await findProcesses("environ", (environ) => `\0${environ}\0`.includes(entry));
}

// Minus one and minus zero would mean everybody and ourselves.
function isGroup(pgid: number): boolean {
  return Number.isSafeInteger(pgid) && pgid > 1;
}

function answersSignal(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function killOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already, or not ours to kill.
  }
}

/** Windows has no groups: it knows the tree of a process as long as its root lives. */
function endTree(pid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  if (!answersSignal(pid)) return false;
  const force = signal === "SIGKILL" ? ["/f"] : [];
  const options = { windowsHide: true, stdio: "ignore" } as const;
  spawn("taskkill", ["/pid", String(pid), "/t", ...force], options).on("error", () => {});
  return true;
}

async function findProcesses(file: "stat" | "environ", matches: (text: string) => boolean): Promise<number[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (let start = 0; start < pids.length; start += READS_AT_ONCE) {
    const some = pids.slice(start, start + READS_AT_ONCE).filter((pid) => pid > 1 && pid !== process.pid);
    const texts = await Promise.all(some.map((pid) => readFile(`/proc/${pid}/${file}`, "latin1").catch(() => "")));
    found.push(...some.filter((_pid, index) => matches(texts[index] ?? "")));
  }
  return found;
}

/** `stat` is "pid (name) state parent group …", and the name may hold anything. */
function isRunningMember(stat: string, pgid: number): boolean {
  const [state = "Z", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 3);
  return state !== "Z" && state !== "X" && Number(group) === pgid;
}

/**
 * Resolves when the promise has, or after this time. What came while we were held up is seen first: on a busy machine the
 * timer and the news are often due in the same turn.
 */
export function within(ms: number, promise: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => setImmediate(resolve), ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
