/**
 * Thousands of voice boxes at one hub, all at once and then idle: what they cost it, how long they take to be there with
 * their tools, and what other callers notice; then all leave, and come and leave once more. Hubs are real ones with their
 * defaults, the boxes are sockets of other processes. Usage: npm run measure:devices [-- COUNT]
 */
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { deviceIdOf, TOOLS } from "../test/support/boxes/box.ts";
import { Crowds } from "../test/support/boxes/crowds.ts";
import { MeasuredHub, type Memory } from "../test/support/boxes/hub.ts";
import { RawClient } from "../test/support/overload/raw-client.ts";
import { RpcOverHttp } from "../test/support/rpc-over-http.ts";

const COUNT = Number(process.argv[2] ?? 5_000);
const MOST_MEGABYTES = 200;
const MOST_SECONDS = 10;
const MOST_SLOWER = 1.2;
const GIVE_UP_SECONDS = 120;
const ROUNDS = 25;
const ROUND_PAUSE_MS = 100;
let missed = 0;

const BODY = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_presence","arguments":{}}}';
const ASKING = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;

await withHub(space);
await withHub(neighbours);
process.exitCode = missed > 0 ? 1 : 0;

/** What they take of a hub that has nothing else to do. */
async function space(world: World): Promise<void> {
  const { hub } = world;
  console.log(`\n${COUNT} boxes at a fresh hub`);
  const alone = await hub.settledMemory();
  show("memory without them", told(alone));
  await come(world);
  const memory = await hub.settledMemory();
  must("memory with them (MB)", memory.resident, (x) => x < MOST_MEGABYTES);
  show("the same", told(memory));
  show("each (kB)", round(((memory.resident - alone.resident) * 1_024) / COUNT));
  await called(world);
  show("memory after a call of one", told(await hub.settledMemory()));
  await leave(world);
}

/** What others notice, and what is left when they have gone. */
async function neighbours(world: World): Promise<void> {
  const { hub } = world;
  console.log(`\n${COUNT} boxes beside one who calls get_presence over POST /mcp`);
  await usualMs(world);
  const alone = await usualMs(world);
  show("median alone", `${alone.toFixed(3)} ms`);
  show("memory after these calls", told(await hub.settledMemory()));
  const crowds: number[] = [];
  for (let time = 1; time <= 2; time++) {
    await come(world);
    const memory = await hub.settledMemory();
    show("memory with them", told(memory));
    crowds.push(memory.resident);
    const ms = await usualMs(world);
    must(`median with them ${ms.toFixed(3)} ms, of what it was alone`, ms / alone, (x) => x <= MOST_SLOWER);
    await leave(world);
    show("memory without them", told(await hub.settledMemory()));
  }
  // V8 gives nothing back, but what those have left must do for the next.
  const [first = Number.NaN, second = Number.NaN] = crowds;
  must("memory of the second crowd, of the first's", second / first, (x) => x <= 1.15);
}

interface World {
  readonly hub: MeasuredHub;
  readonly crowds: Crowds;
  readonly http: RpcOverHttp;
}

async function withHub(work: (world: World) => Promise<void>): Promise<void> {
  const hub = await MeasuredHub.start();
  const world = { hub, crowds: new Crowds(hub.url, COUNT), http: new RpcOverHttp(hub.url, 1) };
  try {
    await work(world);
  } finally {
    world.crowds.end();
    await world.http.close();
    await hub.stop();
  }
}

async function come(world: World): Promise<void> {
  const { hub, crowds } = world;
  const linesBefore = hub.lines;
  const startedAt = performance.now();
  const { compressed, lost } = await crowds.come();
  await until(world, (there) => there === COUNT);
  must("until all are there with their tools (s)", secondsSince(startedAt), (x) => x < MOST_SECONDS);
  must("sockets that compress", compressed, (x) => x === 0);
  must("lost on the way", lost, (x) => x === 0);
  show("lines logged meanwhile", hub.lines - linesBefore);
}

async function leave(world: World): Promise<void> {
  const startedAt = performance.now();
  await world.crowds.leave();
  await until(world, (there) => there === 0);
  show("until all are gone with their tools (s)", round(secondsSince(startedAt)));
}

/** One of them by its own name, with all the others there. */
async function called({ http }: World): Promise<void> {
  const name = `device-${deviceIdOf(COUNT - 1).replaceAll(":", "-")}__self.audio_speaker.set_volume`;
  const params = { name, arguments: { volume: 42 } };
  const { reply, ms } = await http.rpc({ id: 1, method: "tools/call", params });
  const isAnswered = reply.result?.content?.[0]?.text === "true";
  must(`calls of one box that came back, in ${ms.toFixed(1)} ms`, isAnswered ? 1 : 0, (x) => x === 1);
}

/** Waits for so many devices with all their tools. */
async function until({ http }: World, isEnough: (there: number) => boolean): Promise<void> {
  for (const startedAt = performance.now(); secondsSince(startedAt) < GIVE_UP_SECONDS; await sleep(100)) {
    const { sources } = JSON.parse((await http.get("/health")).text) as { sources: readonly Listed[] };
    const devices = sources.filter(({ kind }) => kind === "device");
    const there = devices.filter(({ state, tools }) => state === "ready" && tools === TOOLS.length).length;
    if (isEnough(devices.length === there ? there : -1)) return;
  }
  throw new Error("not all came, or not all left");
}

interface Listed {
  readonly kind: string;
  readonly state: string;
  readonly tools: number;
}

/** One caller, one call after another on one connection. The middle of many rounds: what disturbs for a moment is not meant. */
async function usualMs({ hub }: World): Promise<number> {
  const client = new RawClient(Number(new URL(hub.url).port));
  const rounds: number[] = [];
  for (let time = 0; time < ROUNDS; time++) {
    rounds.push(await medianOf(client, 200));
    await sleep(ROUND_PAUSE_MS);
  }
  client.close();
  return middle(rounds);
}

async function medianOf(client: RawClient, calls: number): Promise<number> {
  const taken: number[] = [];
  for (let call = 0; call < calls; call++) {
    const startedAt = performance.now();
    const { status } = await client.send(ASKING);
    if (status !== 200) throw new Error(`a call was answered ${status}`);
    taken.push(performance.now() - startedAt);
  }
  return middle(taken);
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}

function told({ resident, proportional }: Memory): string {
  return `${resident.toFixed(1)} MB resident, ${proportional.toFixed(1)} MB of it its own`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function show(what: string, value: number | string): void {
  console.log(`        ${what}: ${value}`);
}

function must(what: string, value: number, holds: (value: number) => boolean): void {
  const isMet = holds(value);
  if (!isMet) missed++;
  console.log(`  ${isMet ? "PASS" : "FAIL"}  ${what}: ${round(value)}`);
}
