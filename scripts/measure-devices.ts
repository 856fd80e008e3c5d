/**
 * Thousands of voice boxes at one hub, all at once and then idle: what they cost it, how long they take to be there with
 * their tools, and what other callers notice; then all leave, and come and leave once more. The hub is the real one with its
 * defaults, the boxes are sockets of other processes. Usage: npm run measure:devices [-- COUNT]
 */
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { RpcOverHttp } from "../test/support/rpc-over-http.ts";
import { deviceIdOf, TOOLS } from "./devices/box.ts";
import { Crowds } from "./devices/crowds.ts";
import { MeasuredHub, type Memory } from "./devices/hub.ts";
import { RawClient } from "./overload/raw-client.ts";

const COUNT = Number(process.argv[2] ?? 5_000);
const MOST_MEGABYTES = 200;
const MOST_SECONDS = 10;
const MOST_SLOWER = 1.2;
const GIVE_UP_SECONDS = 120;
let missed = 0;

const BODY = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_presence","arguments":{}}}';
const ASKING = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;

const hub = await MeasuredHub.start();
const crowds = new Crowds(hub.url, COUNT);
const http = new RpcOverHttp(hub.url, 1);
try {
  await measure();
} finally {
  crowds.end();
  await http.close();
  await hub.stop();
}
process.exitCode = missed > 0 ? 1 : 0;

async function measure(): Promise<void> {
  await usualMs();
  const alone = { ms: await usualMs(), memory: await hub.settledMemory() };
  show("alone: get_presence over POST /mcp, median", `${alone.ms.toFixed(3)} ms`);
  show("alone: memory", told(alone.memory));
  const first = await comeAndStay(alone);
  await leave();
  const between = await hub.settledMemory();
  show("memory without them", told(between));
  const second = await comeAndStay(alone);
  await leave();
  const after = await hub.settledMemory();
  show("memory without them", told(after));
  must("more after the second round than after the first (MB)", after.resident - between.resident, (x) => x < 10);
  must("more with the second crowd than with the first (MB)", second.resident - first.resident, (x) => x < 10);
}

async function comeAndStay(alone: { readonly ms: number; readonly memory: Memory }): Promise<Memory> {
  console.log(`\n${COUNT} boxes come`);
  const linesBefore = hub.lines;
  const startedAt = performance.now();
  const { compressed, lost } = await crowds.come();
  await until((there) => there === COUNT);
  must("until all are there with their tools (s)", secondsSince(startedAt), (x) => x < MOST_SECONDS);
  must("sockets that compress", compressed, (x) => x === 0);
  must("lost on the way", lost, (x) => x === 0);
  show("memory just then", told(await hub.memory()));
  show("lines logged meanwhile", hub.lines - linesBefore);
  await called();
  const memory = await hub.settledMemory();
  must("memory with them (MB)", memory.resident, (x) => x < MOST_MEGABYTES);
  show("the same", told(memory));
  show("each (kB)", round(((memory.resident - alone.memory.resident) * 1_024) / COUNT));
  const ms = await usualMs();
  show("get_presence, median", `${ms.toFixed(3)} ms`);
  must("of what it was alone", ms / alone.ms, (x) => x <= MOST_SLOWER);
  return memory;
}

async function leave(): Promise<void> {
  const startedAt = performance.now();
  await crowds.leave();
  await until((there) => there === 0);
  show("until all are gone with their tools (s)", round(secondsSince(startedAt)));
}

/** One of them by its own name, with all the others there. */
async function called(): Promise<void> {
  const name = `device-${deviceIdOf(COUNT - 1).replaceAll(":", "-")}__self.audio_speaker.set_volume`;
  const params = { name, arguments: { volume: 42 } };
  const { reply, ms } = await http.rpc({ id: 1, method: "tools/call", params });
  const isAnswered = reply.result?.content?.[0]?.text === "true";
  must(`calls of one box that came back, in ${ms.toFixed(1)} ms`, isAnswered ? 1 : 0, (x) => x === 1);
}

/** Waits for so many devices with all their tools. */
async function until(isEnough: (there: number) => boolean): Promise<void> {
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

/** One caller, one call after another on one connection. The middle of some rounds: what disturbs for a moment is not meant. */
async function usualMs(): Promise<number> {
  const client = new RawClient(Number(new URL(hub.url).port));
  const rounds: number[] = [];
  for (let time = 0; time < 9; time++) rounds.push(await medianOf(client, 500));
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
