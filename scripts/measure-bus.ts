/**
 * What sealing costs on the bus between nodes: a message to another process and back through a real NATS server, sealed by
 * `src/bus` and bare beside it, in turns so that both meet the same noise. Prints times, throughput with 64 under way, and memory,
 * as figures of this machine and as ratios. The secret comes from ZAGUAN_CLUSTER_SECRET, or is made for the run.
 *
 *   npm run measure:bus [-- --seconds 3]
 */
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { Bus } from "../src/bus/bus.ts";
import { readClusterSecrets } from "../src/bus/cluster-secret.ts";
import { openBus } from "../src/bus/nats-bus.ts";
import { collectGarbage } from "../test/support/garbage.ts";
import { startNats } from "../test/support/nats.ts";
import { installNats } from "./nats.ts";

const ECHO = "echo";
const BARE_SUBJECT = "bare.echo";
const BARE_BACK = "bare.back";
const SIZES = [
  { name: "512 B", bytes: 512, turns: 3_000 },
  { name: "64 KiB", bytes: 65_536, turns: 600 },
] as const;
const UNDER_WAY = 64;
const WARM_UP = 300;

/** One way to a process that sends everything back. */
interface Way {
  readonly name: string;
  send(text: string): void;
  onBack: (text: string) => void;
  readonly times: number[];
  perSecond: number;
}

if (process.argv[2] === ECHO) await runEcho();
else await measure();

async function runEcho(): Promise<void> {
  const [, , , url = "", secret = ""] = process.argv;
  const [bus, bare] = await openBoth(url, secret, ECHO);
  bus.listen((from, text) => bus.send(from, text));
  bare.subscribe(BARE_SUBJECT, {
    callback: (_error, message) => bare.publish(BARE_BACK, message.string()),
  });
  await bare.flush();
  process.send?.("ready");
  await once(process, "disconnect");
  await Promise.all([bus.close(), bare.close()]);
}

async function openBoth(servers: string, secret: string, node: string): Promise<[Bus, NatsConnection]> {
  const secrets = await readClusterSecrets({ env: secret, file: undefined });
  return [await openBus({ node, nats: { servers }, secrets }), await connect({ servers, noAsyncTraces: true })];
}

async function measure(): Promise<void> {
  const { values } = parseArgs({ options: { seconds: { type: "string", default: "3" } } });
  const found = installNats();
  if ("missing" in found) throw new Error(found.missing);
  const secret = process.env["ZAGUAN_CLUSTER_SECRET"] || randomBytes(32).toString("base64url");
  const nats = await startNats();
  const empty = residentMiB();
  const child = fork(fileURLToPath(import.meta.url), [ECHO, nats.url, secret]);
  try {
    await once(child, "message");
    const [bus, bare] = await openBoth(nats.url, secret, "measure");
    const [opened, held] = [residentMiB(), await heldMiB()];
    const ways = [sealedWay(bus), await bareWay(bare)] as const;
    for (const { name, bytes, turns } of SIZES) await measureSize(ways, name, bytes, turns, Number(values.seconds));
    console.log(`resident: ${empty} MiB before, ${opened} with both connections, ${residentMiB()} after all of this`);
    console.log(`held after a collection: ${await heldMiB()} MiB, before all of this ${held}`);
    console.log(`refused: ${JSON.stringify(bus.counts().refused)}, dropped: ${JSON.stringify(bus.counts().dropped)}`);
    await Promise.all([bus.close(), bare.close()]);
  } finally {
    await end(child);
    await nats.stop();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, "exit");
  child.disconnect();
  await gone;
}

function sealedWay(bus: Bus): Way {
  const way = newWay("sealed", (text) => bus.send({ node: ECHO }, text));
  bus.listen((_from, text) => way.onBack(text));
  return way;
}

async function bareWay(bare: NatsConnection): Promise<Way> {
  const way = newWay("bare", (text) => bare.publish(BARE_SUBJECT, text));
  bare.subscribe(BARE_BACK, { callback: (_error, message) => way.onBack(message.string()) });
  await bare.flush();
  return way;
}

function newWay(name: string, send: (text: string) => unknown): Way {
  return { name, send, onBack: () => {}, times: [], perSecond: 0 };
}

async function measureSize(
  ways: readonly [Way, Way],
  name: string,
  bytes: number,
  turns: number,
  seconds: number,
): Promise<void> {
  const text = "x".repeat(bytes);
  for (const way of ways) way.times.length = way.perSecond = 0;
  for (let turn = 0; turn < WARM_UP + turns; turn++) {
    for (const way of ways) await roundTrip(way, text, turn >= WARM_UP);
  }
  // A second each in turns, so that a slow moment of the machine meets both.
  for (let turn = 0; turn < seconds; turn++) {
    for (const way of ways) way.perSecond += (await throughput(way, text, 1_000)) / seconds;
  }
  report(name, ways);
}

async function roundTrip(way: Way, text: string, counts: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  way.onBack = () => resolve();
  const startedAt = performance.now();
  way.send(text);
  await promise;
  if (counts) way.times.push(performance.now() - startedAt);
}

/** Messages a second, there and back. */
async function throughput(way: Way, text: string, ms: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const startedAt = performance.now();
  let back = 0;
  let underWay = UNDER_WAY;
  way.onBack = () => {
    back++;
    if (performance.now() - startedAt < ms) way.send(text);
    else if (--underWay === 0) resolve();
  };
  for (let index = 0; index < UNDER_WAY; index++) way.send(text);
  await promise;
  return (back * 1_000) / (performance.now() - startedAt);
}

function report(size: string, [sealed, bare]: readonly [Way, Way]): void {
  const line = (what: string, one: number, other: number, digits: number, unit: string): string =>
    `${size} ${what}: sealed ${one.toFixed(digits)} ${unit}, bare ${other.toFixed(digits)} ${unit}, ratio ${(one / other).toFixed(2)}`;
  console.log(line("round trip p50", quantile(sealed, 0.5), quantile(bare, 0.5), 3, "ms"));
  console.log(line("round trip p99", quantile(sealed, 0.99), quantile(bare, 0.99), 3, "ms"));
  console.log(line(`with ${UNDER_WAY} under way`, sealed.perSecond, bare.perSecond, 0, "a second"));
}

function quantile({ times }: Way, part: number): number {
  return times.toSorted((one, other) => one - other)[Math.floor(part * (times.length - 1))] ?? 0;
}

/** What is reachable, on V8's heap and beside it: what is resident also holds what nobody has collected yet. */
async function heldMiB(): Promise<number> {
  for (let times = 0; times < 3; times++) {
    collectGarbage();
    await sleep(50);
  }
  const { heapUsed, external } = process.memoryUsage();
  return Math.round((heapUsed + external) / 1_048_576);
}

function residentMiB(): number {
  return Math.round(process.memoryUsage().rss / 1_048_576);
}
