/** Signals: the first asks for an orderly stop, the second ends the process at once. */
import process from "node:process";

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;

type Signal = keyof typeof SIGNALS;

export interface Stopping {
  /** Resolves with the first signal. */
  readonly asked: Promise<Signal>;
  /** Gives the signals back. */
  release(): void;
}

export function listenForStop(): Stopping {
  const { promise, resolve } = Promise.withResolvers<Signal>();
  let isAsked = false;
  const take = (signal: Signal): void => {
    // The exit code by which shells know who ended a program.
    if (isAsked) process.exit(128 + SIGNALS[signal]);
    isAsked = true;
    resolve(signal);
  };
  for (const signal of Object.keys(SIGNALS) as Signal[]) process.on(signal, take);
  return {
    asked: promise,
    release: () => {
      for (const signal of Object.keys(SIGNALS) as Signal[]) process.off(signal, take);
    },
  };
}

/** For the commands that serve a client on stdin: it counts as gone, and what it asked for is still answered. */
export async function untilStopped(work: () => Promise<void>): Promise<void> {
  const stopping = listenForStop();
  void stopping.asked.then(() => process.stdin.destroy());
  try {
    await work();
  } finally {
    stopping.release();
  }
}
