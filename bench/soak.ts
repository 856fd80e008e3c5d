/**
 * Whether memory grows: a Zaguan under mixed load for as long as one likes, its memory looked at after every stretch, with
 * its garbage collected.
 */
import type { Load } from "./load/protocol.ts";
import { type Memory, memoryOf, probed } from "./memory.ts";
import type { Tools } from "./rounds.ts";
import { growthOf } from "./statistics.ts";
import { questionOf, WORK, type Work } from "./work.ts";

export interface Soak {
  readonly minutes: number;
  readonly answers: number;
  readonly errors: readonly string[];
  readonly samples: readonly Memory[];
  /** From the first sample that counts to the last, as a share of the mean. */
  readonly heapGrowth: number;
  readonly residentGrowth: number;
}

const STRETCH_SECONDS = 10;
/** Caches and compiled code fill up in the beginning. */
const UNCOUNTED = 0.2;
const MIX: readonly Partial<Work>[] = [
  { connections: 4 },
  { connections: 2, bytes: 10_000 },
  { connections: 1, bytes: 300_000 },
  { connections: 2, era: "2026" },
  { connections: 2, era: "bare" },
  { connections: 2, method: "tools/list" },
  { connections: 2, door: "websocket" },
];

export async function measureSoak({ generator, options, progress }: Tools): Promise<Soak> {
  const running = await probed({ ...(WORK[0] as Work), tools: 10 });
  const url = running.target.kind === "http" ? running.target.url : "";
  const loads = MIX.map((part) => loadOf({ ...(WORK[0] as Work), tools: 10, ...part }, url));
  const until = performance.now() + options.soakMinutes * 60_000;
  const samples: Memory[] = [];
  const errors: string[] = [];
  let answers = 0;
  try {
    await running.ready?.();
    while (performance.now() < until) {
      // Sessions are opened and ended with every stretch, so that they are part of the mix.
      await Promise.all(loads.map((load, place) => generator.open(`soak ${place}`, load)));
      const stretches = await Promise.all(loads.map((_, place) => generator.run(`soak ${place}`, STRETCH_SECONDS)));
      await Promise.all(loads.map((_, place) => generator.close(`soak ${place}`)));
      for (const stretch of stretches) answers += stretch.answers;
      errors.push(...stretches.flatMap(({ reasons }) => reasons));
      const sample = await memoryOf(running);
      samples.push(sample);
      progress(`soak: ${samples.length * STRETCH_SECONDS} s, ${answers} answers, ${inMegabytes(sample)}`);
    }
  } finally {
    await running.stop();
  }
  const counted = samples.slice(Math.floor(samples.length * UNCOUNTED));
  const heapGrowth = growthOf(counted.map(({ held }) => held));
  const residentGrowth = growthOf(counted.map(({ rss }) => rss));
  return { minutes: options.soakMinutes, answers, errors, samples, heapGrowth, residentGrowth };
}

function loadOf(work: Work, url: string): Load {
  const question = questionOf(work);
  const { connections } = work;
  if (work.door === "http") return { target: { kind: "http", url }, question, connections };
  return { target: { kind: "websocket", url: url.replace("http:", "ws:") }, question, connections };
}

export function inMegabytes({ held, rss }: Memory): string {
  return `${(held / 1e6).toFixed(1)} MB held, ${(rss / 1e6).toFixed(0)} MB resident`;
}
