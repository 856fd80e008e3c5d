/**
 * Starts a whole cluster on this machine, to try it: PostgreSQL, NATS, a balancer and several nodes with the simulated house. Ctrl+C
 * ends all of it, and leaves no process or file behind.
 *
 *   npm run cluster -- [--nodes 3] [--port 3003] [--database postgres://…] [--nats nats://…] [--balancer haproxy|nginx|own]
 *
 * A database given with --database keeps what the nodes store.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { isRunning } from "../test/support/processes.ts";
import { descendantsOf, type SpawnedZaguan } from "../test/support/spawn-zaguan.ts";
import { type Balancer, startBalancer } from "./cluster/balancer.ts";
import { type Engines, type RunContext, startEngines, startNodes, untilFormed } from "./cluster/engines.ts";
import { type Plan, planOf, Refusal } from "./cluster/plan.ts";
import { Steps } from "./cluster/steps.ts";

const WATCH_MS = 500;
/** Ctrl+C arrives twice, from the terminal and a moment later from npm; the second signal within this time is ignored. */
const ECHO_MS = 1_000;

interface Running {
  readonly engines: Engines;
  readonly nodes: ReadonlyMap<string, SpawnedZaguan>;
  readonly balancer: Balancer;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const signal = stopSignal();
  const steps = new Steps();
  await using stack = new AsyncDisposableStack();
  try {
    const plan = await planOf(process.argv.slice(2));
    const running = await start({ plan, stack, steps, signal });
    steps.end();
    console.log(instructions(plan, running));
    await untilAborted(signal, running.nodes);
  } catch (cause) {
    steps.end();
    if (!signal.aborted) {
      console.error(cause instanceof Refusal ? `npm run cluster: ${cause.message}` : cause);
      return 1;
    }
  }
  console.log("\nStopping …");
  await stack.disposeAsync();
  console.log("Everything has ended, and nothing is left.");
  return 0;
}

/** The first signal starts an orderly end; a later one kills every child process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  let askedAt = 0;
  const ask = (): void => {
    if (controller.signal.aborted && performance.now() - askedAt > ECHO_MS) killAll();
    askedAt ||= performance.now();
    controller.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, ask);
  return controller.signal;
}

function killAll(): void {
  for (const pid of descendantsOf(process.pid)) if (isRunning(pid)) process.kill(pid, "SIGKILL");
}

async function start(given: Omit<RunContext, "folder">): Promise<Running> {
  const { plan, stack, steps, signal } = given;
  const folder = mkdtempSync(join(tmpdir(), "zaguan-try-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const context = { ...given, folder };
  const engines = await startEngines(context);
  signal.throwIfAborted();
  const nodes = await startNodes(context, engines);
  signal.throwIfAborted();
  const balancer = await steps.of(`${plan.balancer} before them`, () => balancerOf(context, nodes));
  stack.defer(() => balancer.stop());
  await steps.of("the nodes know each other", () => untilFormed(context));
  return { engines, nodes, balancer };
}

function balancerOf({ plan, folder }: RunContext, nodes: ReadonlyMap<string, SpawnedZaguan>): Promise<Balancer> {
  const ports = new Map([...nodes].map(([name, { url }]) => [name, Number(new URL(url).port)]));
  return startBalancer(plan.balancer, { port: plan.port, nodes: ports, folder }).catch((cause: Error) => {
    throw new Refusal(cause.message);
  });
}

function instructions({ port }: Plan, { engines, nodes, balancer }: Running): string {
  const hub = `http://127.0.0.1:${port}`;
  const params = { name: "set_light_state", arguments: { name: "salon", on: true } };
  const lamp = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const [first] = nodes.values();
  return [
    "",
    `${nodes.size} nodes are one hub, behind ${balancer.title}.`,
    "",
    `  hub         ${hub}/mcp`,
    `  console     ${hub}/`,
    ...[...nodes].map(([name, { url, pid }]) => `  ${name.padEnd(10)}  ${url}  (process ${pid})`),
    `  PostgreSQL  ${withoutPassword(engines.database)}`,
    `  NATS        ${withoutPassword(engines.nats)}`,
    "",
    "Switch on a lamp, through whichever node has its turn:",
    `  curl ${hub}/mcp -H 'content-type: application/json' -d '${lamp}'`,
    "See which node answers, and which one holds the house:",
    `  curl ${hub}/health/cluster`,
    "Take a node away, and go on:",
    `  kill -9 ${first?.pid}`,
    "",
    "Ctrl+C ends all of it.",
  ].join("\n");
}

/** Addresses that the user gives may contain a password. */
function withoutPassword(address: string): string {
  return address.replace(/\/\/[^@/]*@/g, "//").replace(/\?.*$/, "");
}

/** Waits for the end, and reports nodes that end meanwhile, as when the user kills one to try it. */
async function untilAborted(signal: AbortSignal, nodes: ReadonlyMap<string, SpawnedZaguan>): Promise<void> {
  const alive = new Map(nodes);
  const timer = setInterval(() => {
    for (const [name, { pid }] of alive) {
      if (isRunning(pid)) continue;
      alive.delete(name);
      console.log(`${name} has ended; within some twelve seconds the others hold what it held.`);
    }
  }, WATCH_MS);
  if (!signal.aborted) await once(signal, "abort");
  clearInterval(timer);
}
