/**
 * What asks us to stop: a signal, or the end of the npm that started us. The first asks for an orderly stop, a second
 * signal ends the process at once.
 */
import process from "node:process";
import { npmScript, onLauncherGone } from "./launcher.ts";

/** SIGHUP: the terminal was closed. */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
/** Ctrl+C reaches us from the terminal and, a moment later, from the npm that started us: that is one wish. */
const ECHO_MS = 1_000;

type Signal = keyof typeof SIGNALS;

interface Stopping {
  /** Resolves with the first wish. */
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
    // The exit code by which shells know who ended a program.
    if (askedAt !== undefined && performance.now() - askedAt >= echoMs) process.exit(128 + SIGNALS[signal]);
    ask();
  };
  for (const signal of Object.keys(SIGNALS) as Signal[]) process.on(signal, take);
  const unwatch = onLauncherGone(env, ask);
  return {
    asked: promise,
    release: () => {
      unwatch();
      for (const signal of Object.keys(SIGNALS) as Signal[]) process.off(signal, take);
    },
  };
}

/** For the commands that serve a client on stdin: it counts as gone, and what it asked for is still answered. */
export async function untilStopped(env: NodeJS.ProcessEnv, work: () => Promise<void>): Promise<void> {
  const stopping = listenForStop(env);
  void stopping.asked.then(() => process.stdin.destroy());
  try {
    await work();
  } finally {
    stopping.release();
  }
}
