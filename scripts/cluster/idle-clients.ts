/** Measures what idle clients cost: MCP sessions of revision 2025-11-25, and voice boxes on their sockets. */
import { setTimeout as sleep } from "node:timers/promises";
import { Generator } from "../../bench/load/generator.ts";
import { Crowds } from "../../test/support/boxes/crowds.ts";
import type { IdleClientFigures } from "./figures.ts";
import { measureUsage, sum } from "./usage.ts";
import { type ClusterWorld, memoryOf } from "./world.ts";

/** Sessions opened at each node before the first measurement, so that one-time costs are not counted. */
const WARM_SESSIONS = 200;

/** How many times the processor time of idle nodes is measured, before the clients come and after. */
const SPANS = 5;

interface IdleClientOptions {
  readonly count: number;
  /** How long the processor time of idle nodes is measured. */
  readonly idleSeconds: number;
}

/** Sessions that one client opens and leaves idle, without an event stream. */
export async function measureSessions(world: ClusterWorld, options: IdleClientOptions): Promise<IdleClientFigures> {
  const generator = new Generator();
  try {
    const share = Math.ceil(options.count / world.nodes.length);
    for (const { url } of world.nodes) await generator.fill(`${url}/mcp`, WARM_SESSIONS);
    const connect = async (): Promise<number> => {
      for (const { url } of world.nodes) await generator.fill(`${url}/mcp`, share);
      return share * world.nodes.length;
    };
    return await measureIdleClients(world, options, connect);
  } finally {
    generator.end();
  }
}

/** Devices with five tools each, which the hub lists. */
export async function measureDevices(world: ClusterWorld, options: IdleClientOptions): Promise<IdleClientFigures> {
  const share = Math.ceil(options.count / world.nodes.length);
  const crowds = world.nodes.map(({ url }, index) => new Crowds(url, share, undefined, "boxes", index * share));
  try {
    const connect = async (): Promise<number> => {
      const reports = await Promise.all(crowds.map((crowd) => crowd.come()));
      const lost = sum(reports.map((report) => report.lost));
      if (lost > 0) throw new Error(`${lost} devices were sent away`);
      return share * crowds.length;
    };
    return await measureIdleClients(world, options, connect);
  } finally {
    for (const crowd of crowds) crowd.end();
  }
}

async function measureIdleClients(
  world: ClusterWorld,
  { idleSeconds }: IdleClientOptions,
  connect: () => Promise<number>,
): Promise<IdleClientFigures> {
  const idle = () => leastProcessorTime(world, idleSeconds);
  const [memoryBefore, idleBefore] = [await totalMemory(world), await idle()];
  const startedAt = performance.now();
  const [usage, count] = await measureUsage(world, async () => {
    const connected = await connect();
    const openedInSeconds = (performance.now() - startedAt) / 1_000;
    // Deferred writes and PostgreSQL's statistics take a while.
    await sleep(12_000);
    return { connected, openedInSeconds };
  });
  const [idleAfter, memoryAfter] = [await idle(), await totalMemory(world)];
  return {
    count: count.connected,
    nodes: world.nodes.length,
    openedInSeconds: count.openedInSeconds,
    residentBytes: (memoryAfter.rss - memoryBefore.rss) / count.connected,
    heldBytes: (memoryAfter.held - memoryBefore.held) / count.connected,
    processorMicroseconds: ((idleAfter - idleBefore) * 1_000) / count.connected,
    transactionsEach: usage.transactions / count.connected,
  };
}

/**
 * Processor milliseconds a second of all nodes while nothing is asked: of several spans the least, since what else runs (garbage
 * collection, compilation, other processes in the caches) only adds to it, and may add more than thousands of idle clients.
 */
async function leastProcessorTime(world: ClusterWorld, seconds: number): Promise<number> {
  const spans: number[] = [];
  while (spans.length < SPANS) {
    const [usage] = await measureUsage(world, () => sleep((seconds * 1_000) / SPANS));
    spans.push(sum(usage.nodes) / usage.seconds);
  }
  return Math.min(...spans);
}

/** The memory of all nodes together. */
async function totalMemory({ nodes }: ClusterWorld): Promise<{ rss: number; held: number }> {
  const all = await Promise.all(nodes.map(memoryOf));
  return { rss: sum(all.map(({ rss }) => rss)), held: sum(all.map(({ held }) => held)) };
}
