/**
 * What asks us to stop: a signal, or the end of the npm that started us. The first asks for an orderly stop, a second
 * signal ends the process at once.
 *
 * npm (`npm start`, `npx zaguan`, a script of somebody's package) runs a script in a shell and signals that shell alone,
 * which then leaves us behind with our port; nobody is told at all when npm is killed. So we look for it once a second. A
 * hub that somebody put into the background does not follow the npm that started it.
 */
import { readFileSync } from "node:fs";
import { isAlive } from "./hub-file.ts";

/** SIGHUP: the terminal was closed. */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
/** Ctrl+C reaches us from the terminal and, a moment later, from the npm that started us: that counts once. */
const ECHO_MS = 1_000;

type Signal = keyof typeof SIGNALS;

interface Stopping {
  /** Resolves when we are first asked to stop. */
  readonly asked: Promise<void>;
  /** Gives the signals back. */
  release(): void;
}

export function listenForStop(env: NodeJS.ProcessEnv): Stopping {
  const { promise, resolve } = Promise.withResolvers<void>();
  const echoMs = npmScript(env) === undefined ? 0 : ECHO_MS;
  let askedAt: number | undefined;
  const ask = (): void => {
    askedAt ??= performance.now();
    resolve();
  };
  const take = (signal: Signal): void => {
    // The exit code by which shells tell which signal ended a program.
    if (askedAt !== undefined && performance.now() - askedAt >= echoMs) process.exit(128 + SIGNALS[signal]);
    ask();
  };
  for (const signal of Object.keys(SIGNALS) as Signal[]) process.on(signal, take);
  const unwatch = onNpmGone(env, ask);
  return {
    asked: promise,
    release: () => {
      unwatch();
      for (const signal of Object.keys(SIGNALS) as Signal[]) process.off(signal, take);
    },
  };
}

/** For commands that serve a client on stdin: when asked to stop, reads no more, but answers what was asked. */
export async function untilStopped(env: NodeJS.ProcessEnv, work: () => Promise<void>): Promise<void> {
  const stopping = listenForStop(env);
  void stopping.asked.then(() => process.stdin.destroy());
  try {
    await work();
  } finally {
    stopping.release();
  }
}

const LOOK_MS = 1_000;
/** Scripts that start something in the background. */
const IN_BACKGROUND = /\bnohup\b|\bsetsid\b|[^&]&\s*$/;

/** The npm script that runs us, as far as it is about us and waits for us. */
function npmScript(env: NodeJS.ProcessEnv): string | undefined {
  const script = env["npm_lifecycle_script"];
  return script?.includes("zaguan") && !IN_BACKGROUND.test(script) ? script : undefined;
}

/** Calls back once when npm, or the shell between npm and us, is gone. It keeps no process alive. */
function onNpmGone(env: NodeJS.ProcessEnv, callback: () => void): () => void {
  const script = npmScript(env);
  if (script === undefined) return () => {};
  const parent = process.ppid;
  // Where the shell made way for us, our parent is npm itself. Without /proc we know our parent alone.
  const isShell = read(parent, "cmdline").includes(`\0${script}`);
  const npm = isShell ? parentOf(parent) : undefined;
  const timer = setInterval(() => {
    // On Windows a process keeps the number of its parent when that is gone.
    if (process.ppid === parent && isAlive(parent) && (!isShell || parentOf(parent) === npm)) return;
    clearInterval(timer);
    callback();
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
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
