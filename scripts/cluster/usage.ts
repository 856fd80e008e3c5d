/** What nodes and engines use of the machine, by the counters of the kernel, NATS and PostgreSQL. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { descendantsOf } from "../../test/support/spawn-zaguan.ts";
import type { ClusterWorld } from "./world.ts";

/** Counters that only grow: the difference of two readings is the cost of the time between. */
export interface Usage {
  readonly at: number;
  /** Processor time in milliseconds: of each node without its children, of all their children, of the engines. */
  readonly nodes: readonly number[];
  readonly children: number;
  readonly nats: number;
  readonly postgres: number;
  /** Messages and bytes that NATS has received from its clients. */
  readonly busMessages: number;
  readonly busBytes: number;
  readonly transactions: number;
}

/** The kernel counts processor time in hundredths of a second. */
const TICK_MS = 10;
/** Reading the counters is a transaction itself. */
const OWN_TRANSACTIONS = 1;

async function usageOf(world: ClusterWorld): Promise<Usage> {
  const pids = world.nodes.map(({ pid }) => pid);
  const varz = (await (await fetch(`${world.monitor}/varz`)).json()) as { in_msgs: number; in_bytes: number };
  return {
    at: performance.now(),
    nodes: pids.map((pid) => processorMs(pid)),
    children: sum(pids.flatMap((pid) => descendantsOf(pid).map((child) => processorMs(child)))),
    nats: processorMs(world.nats.pid()),
    postgres: postgresMs(world.postgres.folder),
    busMessages: varz.in_msgs,
    busBytes: varz.in_bytes,
    transactions: world.transactions(),
  };
}

/** Runs `work`, and returns what was used meanwhile beside its result. */
export async function measureUsage<T>(
  world: ClusterWorld,
  work: () => Promise<T>,
): Promise<[Usage & { seconds: number }, T]> {
  const before = await usageOf(world);
  const result = await work();
  const after = await usageOf(world);
  const between = {
    at: after.at,
    seconds: (after.at - before.at) / 1_000,
    nodes: after.nodes.map((ms, index) => ms - (before.nodes[index] ?? 0)),
    children: after.children - before.children,
    nats: after.nats - before.nats,
    postgres: after.postgres - before.postgres,
    busMessages: after.busMessages - before.busMessages,
    busBytes: after.busBytes - before.busBytes,
    transactions: after.transactions - before.transactions - OWN_TRANSACTIONS,
  };
  return [between, result];
}

export function postgresMs(folder: string): number {
  const [pid = ""] = readFileSync(join(folder, "data", "postmaster.pid"), "latin1").split("\n");
  return sum([Number(pid), ...descendantsOf(Number(pid))].map((each) => processorMs(each, true)));
}

/** Processor time of a process; `withEnded` adds its children that have ended. */
function processorMs(pid: number, withEnded = false): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return sum(fields.slice(11, withEnded ? 15 : 13).map(Number)) * TICK_MS;
  } catch {
    return 0;
  }
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
