/**
 * The npm that started us (`npm start`, `npx zaguan`, a script of somebody's package), and its end. npm runs a script in a
 * shell and signals that shell alone, which then leaves us behind with our port; nobody is told at all when npm is killed.
 * So we look for it once a second. A hub that somebody put into the background has no launcher that it would follow.
 */
import { readFileSync } from "node:fs";
import process from "node:process";

const LOOK_MS = 1_000;
/** Scripts that start something to outlive them. */
const LETS_GO = /\bnohup\b|\bsetsid\b|[^&]&\s*$/;

/** The npm script that runs us, as far as it is about us and waits for us. */
export function npmScript(env: NodeJS.ProcessEnv): string | undefined {
  const script = env["npm_lifecycle_script"];
  return script?.includes("zaguan") && !LETS_GO.test(script) ? script : undefined;
}

/** Calls back once when npm, or the shell between npm and us, is gone. It keeps no process alive. */
export function onLauncherGone(env: NodeJS.ProcessEnv, callback: () => void): () => void {
  const script = npmScript(env);
  if (script === undefined) return () => {};
  const parent = process.ppid;
  // Where the shell made way for us, our parent is npm itself. Without /proc we know our parent alone.
  const isShell = read(parent, "cmdline").includes(`\0${script}`);
  const npm = isShell ? parentOf(parent) : undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent && isThere(parent) && (!isShell || parentOf(parent) === npm)) return;
    clearInterval(timer);
    callback();
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}

/** On Windows a process keeps the number of its parent when that is gone. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** `stat` is "pid (name) state parent …", and the name may hold anything. */
function parentOf(pid: number): string | undefined {
  const stat = read(pid, "stat");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
}

function read(pid: number, file: "cmdline" | "stat"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
