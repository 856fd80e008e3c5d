/** Those who hold something at a node and do nothing: MCP sessions of revision 2025-11-25, and voice boxes on their sockets. */
import { setTimeout as sleep } from "node:timers/promises";
import { Generator } from "../../bench/load/generator.ts";
import { Crowds } from "../../test/support/boxes/crowds.ts";
import type { HolderFigures } from "./figures.ts";
import { sum, used } from "./usage.ts";
import { type ClusterWorld, memoryOf } from "./world.ts";

/** Opened at each node before the first look, so that what is made once is there. */
const WARM_SESSIONS = 200;

interface HolderOptions {
  readonly count: number;
  /** How long nothing happens while the processor is looked at. */
  readonly idleSeconds: number;
}

/** Opened by one client and left alone, without an event stream. */
export async function measureSessions(world: ClusterWorld, options: HolderOptions): Promise<HolderFigures> {
  const generator = new Generator();
  try {
    const share = Math.ceil(options.count / world.nodes.length);
    for (const { url } of world.nodes) await generator.fill(`${url}/mcp`, WARM_SESSIONS);
    const come = async (): Promise<number> => {
      for (const { url } of world.nodes) await generator.fill(`${url}/mcp`, share);
      return share * world.nodes.length;
    };
    return await measureHolders(world, options, come);
  } finally {
    generator.end();
  }
}

/** Each with five tools, which the hub asks for. */
export async function measureDevices(world: ClusterWorld, options: HolderOptions): Promise<HolderFigures> {
  const share = Math.ceil(options.count / world.nodes.length);
  const crowds = world.nodes.map(({ url }, index) => new Crowds(url, share, undefined, "boxes", index * share));
  try {
    const come = async (): Promise<number> => {
      const reports = await Promise.all(crowds.map((crowd) => crowd.come()));
      const lost = sum(reports.map((report) => report.lost));
      if (lost > 0) throw new Error(`${lost} devices were sent away`);
      return share * crowds.length;
    };
    return await measureHolders(world, options, come);
  } finally {
    for (const crowd of crowds) crowd.end();
  }
}

async function measureHolders(
  world: ClusterWorld,
  { idleSeconds }: HolderOptions,
  come: () => Promise<number>,
): Promise<HolderFigures> {
  const idle = async (): Promise<number> => {
    const [usage] = await used(world, () => sleep(idleSeconds * 1_000));
    return sum(usage.nodes) / usage.seconds;
  };
  const [memoryBefore, idleBefore] = [await wholeMemory(world), await idle()];
  const startedAt = performance.now();
  const [coming, count] = await used(world, async () => {
    const came = await come();
    const openedInSeconds = (performance.now() - startedAt) / 1_000;
    // What is written behind, and PostgreSQL's own counting, take a while.
    await sleep(12_000);
    return { came, openedInSeconds };
  });
  const [idleAfter, memoryAfter] = [await idle(), await wholeMemory(world)];
  return {
    count: count.came,
    nodes: world.nodes.length,
    openedInSeconds: count.openedInSeconds,
    residentBytes: (memoryAfter.rss - memoryBefore.rss) / count.came,
    heldBytes: (memoryAfter.held - memoryBefore.held) / count.came,
    processorMicroseconds: ((idleAfter - idleBefore) * 1_000) / count.came,
    transactionsEach: coming.transactions / count.came,
  };
}

/** Of all nodes together. */
async function wholeMemory({ nodes }: ClusterWorld): Promise<{ rss: number; held: number }> {
  const all = await Promise.all(nodes.map(memoryOf));
  return { rss: sum(all.map(({ rss }) => rss)), held: sum(all.map(({ held }) => held)) };
}
