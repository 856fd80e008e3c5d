/** How much of the processors a virtual machine was denied by its host: a row that counts milliseconds shows the host's stalls then, not ours. */
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

const FILE = "/proc/stat";

interface Times {
  /** What ran, or wanted to run and was not let. */
  readonly wanted: number;
  readonly stolen: number;
}

/** Begins to look; the returned function tells the share since then, from 0 to 1. 0 where the system does not tell. */
export function watchStolen(read: () => string = readStat): () => number {
  const before = timesIn(read());
  return () => {
    const now = timesIn(read());
    const wanted = now.wanted - before.wanted;
    return wanted > 0 ? (now.stolen - before.stolen) / wanted : 0;
  };
}

/** How long every processor is kept busy to see whether the host leaves them to us; what only idles is denied nothing. */
const LOOK_MS = 2_000;
const PAUSE_MS = 15_000;

/** Resolves when the host takes less than this share away, or after the limit. */
export async function waitForHost(
  most: number,
  limitMs: number,
  look = stolenWhenBusy,
  pauseMs = PAUSE_MS,
): Promise<void> {
  const until = performance.now() + limitMs;
  while ((await look()) >= most && performance.now() < until) await sleep(pauseMs);
}

async function stolenWhenBusy(): Promise<number> {
  const share = watchStolen();
  const busy = `const until = Date.now() + ${LOOK_MS}; while (Date.now() < until);`;
  const ended = Array.from({ length: availableParallelism() }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    new Worker(busy, { eval: true }).once("exit", () => resolve());
    return promise;
  });
  await Promise.all(ended);
  return share();
}

function readStat(): string {
  return existsSync(FILE) ? readFileSync(FILE, "latin1") : "";
}

/** The first line: user, nice, system, idle, iowait, irq, softirq, steal. */
function timesIn(text: string): Times {
  const line = /^cpu +(.*)$/m.exec(text)?.[1] ?? "";
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = line.split(" ").map(Number);
  return { wanted: user + nice + system + irq + softirq + stolen, stolen };
}
