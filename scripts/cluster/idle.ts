/** Measures what idle nodes cost: heartbeats, leases, timers. */
import { setTimeout as sleep } from "node:timers/promises";
import type { IdleFigures } from "./figures.ts";
import { measureUsage, sum } from "./usage.ts";
import { type ClusterWorld, memoryOf } from "./world.ts";

export async function measureIdle(world: ClusterWorld, seconds: number): Promise<IdleFigures> {
  const memory = await Promise.all(world.nodes.map(memoryOf));
  const [usage] = await measureUsage(world, () => sleep(seconds * 1_000));
  const nodes = world.nodes.length;
  const each = (value: number): number => value / nodes / usage.seconds;
  return {
    seconds,
    processorPercent: each(sum(usage.nodes)) / 10,
    residentMiB: sum(memory.map(({ rss }) => rss)) / nodes / 1_048_576,
    transactionsPerSecond: each(usage.transactions),
    busMessagesPerSecond: each(usage.busMessages),
    busBytesPerSecond: each(usage.busBytes),
    natsPercent: usage.nats / usage.seconds / 10,
    postgresPercent: usage.postgres / usage.seconds / 10,
  };
}
