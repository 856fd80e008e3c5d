/**
 * What happens to the others when a source is silent, when ten times too much is asked, and when one class floods. The hub
 * is the real one with its defaults, its servers and clients use real sockets; every figure is held against one of the same
 * run. Usage: npm run measure:overload [-- silent|flood|classes]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PRIORITIES, type Priority } from "../src/core/call.ts";
import { WEIGHTS } from "../src/core/structures/fair-queue.ts";
import { type Outcome, openLoad, quantileOf, type Stream } from "../test/support/overload/open-load.ts";
import { type SpawnedZaguan, spawnZaguan } from "../test/support/spawn-zaguan.ts";

const SERVERS = fileURLToPath(new URL("../test/support/overload/servers.mjs", import.meta.url));
/** What a hub asks of one such server at once, if nobody says otherwise. */
const AT_ONCE = 64;
const WORK_MS = 200;
/** What the source could do if its timers were exact and nothing else took time. */
const AT_MOST = (AT_ONCE / WORK_MS) * 1_000;
const FLOOD_SECONDS = 30;

const PARTS = { silent, flood, classes } as const;
let missed = 0;

const asked = process.argv.slice(2) as (keyof typeof PARTS)[];
for (const part of asked.length > 0 ? asked : (Object.keys(PARTS) as (keyof typeof PARTS)[])) {
  console.log(`\n${part}`);
  await PARTS[part]();
}
process.exitCode = missed > 0 ? 1 : 0;

/** Ten sources, one of which stops answering: the others notice nothing, its own callers are told at once. */
async function silent(): Promise<void> {
  await withHub(10, 50, async ({ ask, mute, stream }) => {
    const names = Array.from({ length: 10 }, (_, place) => `s${place}-work`);
    const all = names.map((tool) => ({ ...stream(tool), perSecond: 20 }));
    const quick = all.map((each) => ({ ...each, headers: { ...each.headers, "x-timeout": "2" } }));
    await ask(all, 3);
    const before = othersOf(await ask(all, 20));
    await mute("s0", true);
    const during = await ask(quick, 20);
    const own = during[0] ?? [];
    const openedAt = Math.max(...own.filter(({ ms }) => ms > 1_000).map(({ at }) => at));
    const refused = own.filter(({ at }) => at > openedAt);
    const others = othersOf(during);
    show("the others' 99th percentile, before", ms(steadyP99(before)));
    must("while one is silent, of that", ratio(steadyP99(others), steadyP99(before)), (x) => x <= 1.1);
    must("the others' failures", others.filter(({ status }) => status !== 200).length, (x) => x === 0);
    show("its calls wait in vain (for 2 s, as they asked) until", ms(openedAt));
    must("then refused in (99th percentile, ms)", round(quantileOf(refused, 0.99)), (x) => x < 50);
    must("of those, refused calls", refused.filter(({ status }) => status === 503).length, (x) => x > 50);
    await mute("s0", false);
    const after = await ask(quick, 20);
    const back = after[0]?.find(({ status }) => status === 200)?.at ?? Number.NaN;
    must("it is back after (s)", round(back / 1_000), (x) => x < 20);
  });
}

/** Ten times what the source can do, for half a minute. */
async function flood(): Promise<void> {
  await withHub(1, WORK_MS, async (world) => {
    const { ask, stream } = world;
    const capacity = await capacityOf(world);
    const at = (share: number): Stream => ({ ...stream("s0-work"), perSecond: capacity * share });
    // A hub that has just been started is still compiling what it does; that is not what is measured.
    await ask([at(10)], 5);
    await sleep(3_000);
    const normal = served((await ask([at(0.8)], 10))[0]);
    const [all = []] = await ask([at(10)], FLOOD_SECONDS);
    const accepted = served(all);
    const refused = all.filter(({ status }) => status !== 200);
    const after = served((await ask([at(0.8)], 5))[0]);
    show("peak goodput, per second", round(capacity));
    show("asked in the flood, per second", round(all.length / FLOOD_SECONDS));
    must("goodput in the flood, of the peak", ratio(accepted.length / FLOOD_SECONDS, capacity), (x) => x >= 0.85);
    const usual = quantileOf(normal, 0.99);
    show("99th percentile at four fifths of the peak", ms(usual));
    must("of those served in the flood, of that", ratio(quantileOf(accepted, 0.99), usual), (x) => x <= 2);
    must("refused ones are answered in (99th percentile, ms)", round(quantileOf(refused, 0.99)), (x) => x < 50);
    must("refused without Retry-After, or not by 503", refused.filter(isUnkind).length, (x) => x === 0);
    must("afterwards, 99th percentile of the usual", ratio(quantileOf(after, 0.99), usual), (x) => x <= 1.5);
  });
}

/** HIGH asks for more than there is; every other class asks for its share. */
async function classes(): Promise<void> {
  await withHub(1, WORK_MS, async (world) => {
    const { ask, stream } = world;
    const capacity = await capacityOf(world);
    const whole = PRIORITIES.reduce((sum, priority) => sum + WEIGHTS[priority], 0);
    const shareOf = (priority: Priority): number => (capacity * WEIGHTS[priority]) / whole;
    const streams = PRIORITIES.map((priority) => ({
      ...stream("s0-work", { "x-priority": priority }),
      perSecond: priority === "HIGH" ? capacity * 1.2 : shareOf(priority),
    }));
    const outcomes = await ask(streams, 20);
    for (const [place, priority] of PRIORITIES.entries()) {
      const got = served(outcomes[place]).length / 20 / shareOf(priority);
      if (priority === "HIGH") show("HIGH at 120 % of capacity got of its share", round(got));
      else must(`${priority} got of its share`, round(got), (x) => x >= 0.95);
    }
  });
}

/** What the source really does while more than enough is asked, per second; what warms up is not counted. */
async function capacityOf({ ask, stream }: World): Promise<number> {
  const enough = [{ ...stream("s0-work"), perSecond: AT_MOST * 1.5 }];
  await ask(enough, 3);
  const outcomes = served((await ask(enough, 8))[0]);
  return outcomes.filter(({ at }) => at > 1_000 && at < 8_000).length / 7;
}

interface World {
  ask(streams: readonly Stream[], seconds: number): Promise<Outcome[][]>;
  mute(name: string, on: boolean): Promise<void>;
  stream(tool: string, headers?: Readonly<Record<string, string>>): Omit<Stream, "perSecond">;
}

async function withHub(count: number, workMs: number, work: (world: World) => Promise<void>): Promise<void> {
  const servers = spawn(process.execPath, [SERVERS, String(workMs)], { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(servers.stdout, "data")) as [Buffer];
  const origin = `http://127.0.0.1:${said.toString().trim()}`;
  const zaguan = { allowPrivate: true };
  const entries = Array.from({ length: count }, (_, n) => [`s${n}`, { url: `${origin}/s${n}/mcp`, zaguan }]);
  const config = { mcpServers: Object.fromEntries(entries), devices: { house: false }, log: { level: "error" } };
  const hub = await spawnZaguan({ config });
  try {
    const session = await sessionAt(hub);
    await work({
      ask: (streams, seconds) => openLoad(hub.url, streams, seconds),
      mute: async (name, on) => void (await fetch(`${origin}/mute?${name}=${on ? 1 : 0}`, { method: "POST" })),
      stream: (tool, headers = {}) => ({ tool, headers: { "x-session-id": session, ...headers } }),
    });
  } finally {
    await hub.stop();
    servers.kill();
  }
}

async function sessionAt({ url }: SpawnedZaguan): Promise<string> {
  const greeting = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "overload", version: "1" } };
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/mcp/initialize`, { method: "POST", headers, body: JSON.stringify(greeting) });
  const { result } = (await answer.json()) as { result: { session_id: string } };
  await sleep(2_000);
  return result.session_id;
}

function othersOf(outcomes: readonly Outcome[][]): Outcome[] {
  return outcomes.slice(1).flat();
}

/** The middle of those of every two seconds: what disturbs the machine for a moment is not what is measured. */
function steadyP99(outcomes: readonly Outcome[]): number {
  const windows = Object.values(Object.groupBy(outcomes, ({ at }) => Math.floor(at / 2_000)));
  const found = windows.map((window = []) => quantileOf(window, 0.99)).sort((a, b) => a - b);
  return found[Math.floor(found.length / 2)] ?? Number.NaN;
}

function served(outcomes: readonly Outcome[] = []): Outcome[] {
  return outcomes.filter(({ status }) => status === 200);
}

function isUnkind({ status, retryAfter }: Outcome): boolean {
  return status !== 503 || !(Number(retryAfter) >= 1);
}

function ratio(one: number, other: number): number {
  return round(one / other);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function ms(value: number): string {
  return `${round(value)} ms`;
}

function show(what: string, value: number | string): void {
  console.log(`        ${what}: ${value}`);
}

function must(what: string, value: number, holds: (value: number) => boolean): void {
  const isMet = holds(value);
  if (!isMet) missed++;
  console.log(`  ${isMet ? "PASS" : "FAIL"}  ${what}: ${value}`);
}
