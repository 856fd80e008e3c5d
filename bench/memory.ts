/** Memory of a running Zaguan, after its garbage was collected; and what an idle session of a 2025 client costs. */
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { SessionsResult } from "./results.ts";
import type { Tools } from "./rounds.ts";
import { program, type Running } from "./subjects/subject.ts";
import { zaguan } from "./subjects/zaguan.ts";
import { WORK, type Work } from "./work.ts";

export interface Memory {
  readonly rss: number;
  /** On the heap, and held outside of it. */
  readonly held: number;
}

/** Opened and left alone before the first look, so that what is made once is there. */
const WARM_SESSIONS = 500;
const ANSWER_LIMIT_MS = 10_000;
const PROBE = /memory-probe (\{.*\})\n/g;

/** A Zaguan whose memory can be asked. */
export function probed(work: Work): Promise<Running> {
  const options = `--expose-gc --import=${pathToFileURL(program("memory-probe.mjs"))}`;
  return zaguan(work, { env: { NODE_OPTIONS: options } });
}

export async function memoryOf({ pid, said }: Running): Promise<Memory> {
  const before = said?.().match(PROBE)?.at(-1);
  const limit = performance.now() + ANSWER_LIMIT_MS;
  process.kill(pid as number, "SIGUSR2");
  while (performance.now() < limit) {
    await sleep(20);
    const last = said?.().match(PROBE)?.at(-1);
    if (last === undefined || last === before) continue;
    const { rss, heapUsed, external } = JSON.parse(last.slice("memory-probe ".length));
    return { rss, held: heapUsed + external };
  }
  throw new Error("Zaguan did not say how much memory it has");
}

export async function measureSessions({ generator, options, progress }: Tools): Promise<SessionsResult> {
  const sessions = options.quick ? 1_000 : 5_000;
  const resident: number[] = [];
  const heap: number[] = [];
  for (let round = 0; round < (options.quick ? 1 : Math.min(3, options.rounds)); round++) {
    progress(`sessions: round ${round + 1}, ${sessions} idle sessions`);
    const running = await probed(WORK[0] as Work);
    try {
      const url = running.target.kind === "http" ? running.target.url : "";
      await generator.fill(url, WARM_SESSIONS);
      const before = await memoryOf(running);
      await generator.fill(url, sessions);
      const after = await memoryOf(running);
      resident.push((after.rss - before.rss) / sessions);
      heap.push((after.held - before.held) / sessions);
    } finally {
      await running.stop();
    }
  }
  return { sessions, resident, heap };
}
