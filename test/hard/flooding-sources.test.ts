/**
 * Servers that talk without end while they are called. They have to wait, others do not: the hub spends little time on them,
 * and after a while it ends them and says why.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Timed } from "../support/overload/open-load.ts";
import { steadyP99 } from "../support/overload/world.ts";
import { until } from "../support/processes.ts";
import { RpcOverHttp, serverShown } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const PROGRAM = fileURLToPath(new URL("../support/flooding-server.mjs", import.meta.url));
/** What the server may get rid of while buffers on the way still grow; one that nobody holds up writes ten times as much. */
const BYTES_A_SECOND = 3_000_000;
/** The same where all messages are small: a hub that takes whatever comes is busy with more, and hardly with anything else. */
const SMALL_BYTES_A_SECOND = 1_500_000;
/** What may still go into pipes, sockets and buffers on the way, once they are about full. */
const ON_THE_WAY = 2_000_000;
const FILLED_MS = 2_000;
const LOOK_MS = 3_000;
/** The middle of the 99th percentiles of such windows is held against each other: single stalls of the machine are not the flood's. */
const WINDOW_MS = 500;
/** How much longer a probe may take; beside other tests nobody can tell. */
const MOST_TIMES = sized(Number.POSITIVE_INFINITY, 2);
/** Where everything takes less than a millisecond, so does chance. */
const SLACK_MS = 2;
/** Of probes, before and meanwhile. */
const PROBED_MS = sized(500, 4_000);

const ways = ["stdio", "http", "websocket"] as const;
const kinds = ["notifications", "progress", "questions", "garbage"] as const;
const floods = [...ways.flatMap((way) => kinds.map((kind) => [way, kind] as const)), ["stdio", "log"] as const];

describe("a server that talks without end during a call", () => {
  const children: ChildProcess[] = [];
  let hub: SpawnedZaguan;
  let client: RpcOverHttp;

  before(async () => {
    const entries = floods.map(async ([way, kind]) => [`${way}-${kind}`, await entryOf(way, kind)] as const);
    const mcpServers = Object.fromEntries(await Promise.all(entries));
    hub = await spawnZaguan({ args: ["--allow-private"], config: { mcpServers } });
    client = new RpcOverHttp(hub.url);
    await client.rpc({ id: 0, method: "tools/list" });
  });

  after(async () => {
    await client?.close();
    await hub?.stop();
    for (const child of children) child.kill("SIGKILL");
  });

  async function entryOf(way: (typeof ways)[number], kind: string): Promise<object> {
    const args = [PROGRAM, way, kind];
    if (way === "stdio") return { command: process.execPath, args };
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    const port = String((await once(child.stdout, "data"))[0]).trim();
    return { url: way === "http" ? `http://127.0.0.1:${port}/mcp` : `ws://127.0.0.1:${port}` };
  }

  function pidOf(way: string, kind: string): number | undefined {
    const isMeant = (pid: number | undefined): boolean => commandOf(pid).endsWith(`\0${way}\0${kind}\0`);
    return [...hub.descendants(), ...children.map(({ pid }) => pid)].find(isMeant);
  }

  for (const way of ways) {
    it(`loses nothing that it says before its answer: ${way}`, async () => {
      const params = { name: `${way}-notifications__flood`, arguments: { kind: "notifications", after: 3_000 } };
      const { reply } = await client.rpc({ id: 1, method: "tools/call", params });
      assert.equal(reply.result?.content?.[0]?.text, "done", JSON.stringify(reply));
    });
  }

  for (const [way, kind] of floods) {
    it(`has to wait, and others do not: ${kind} over ${way}`, async () => {
      const calm = await slowest(client);
      const stop = new AbortController();
      const call = flood(hub.url, `${way}-${kind}__flood`, { kind }, stop.signal);
      await sleep(FILLED_MS);
      const pid = pidOf(way, kind);
      const [written, from] = [writtenBy(pid), performance.now()];
      const [busy] = await Promise.all([slowest(client), sleep(LOOK_MS)]);
      const seconds = (performance.now() - from) / 1_000;
      const bytes = writtenBy(pid) - written;
      stop.abort();
      await call.catch(() => {});
      const rate = `${Math.round(bytes / seconds / 1_000)} kB/s`;
      const told = `${rate}; 99 % of probes in ${calm.toFixed(1)} ms before, ${busy.toFixed(1)} ms meanwhile`;
      figure(12, `${kind} over ${way}`, told);
      assert.ok(busy <= MOST_TIMES * calm + SLACK_MS, told);
      assert.ok(bytes < ON_THE_WAY + BYTES_A_SECOND * seconds, told);
    });
  }

  async function lastError(): Promise<string> {
    return (await serverShown(client, "stdio-notifications")).lastError ?? "";
  }

  it("is ended if it does not stop, and the reason is told", async () => {
    // On a machine that stands still for moments a flood is no flood, and its call ends before.
    for (let tries = 0; tries < 3 && !/without being asked/.test(await lastError()); tries++)
      await flood(hub.url, "stdio-notifications__flood", { kind: "notifications" });
    assert.match(await lastError(), /without being asked/);
  });
});

/** They need no call for it: who dials in, a house that we subscribed to, a cloud that calls us. */
const unbidden = [
  ["device", "notifications"],
  ["device", "garbage"],
  ["device", "sound"],
  ["home", "events"],
  ["home", "pongs"],
  ["cloud", "notifications"],
  ["cloud", "garbage"],
  ["cloud", "sound"],
] as const;

describe("somebody who talks without end and without a call", () => {
  for (const [who, kind] of unbidden) {
    it(`has to wait, and others do not: ${kind} of a ${who}`, async (test) => {
      const { hub, child } = await openBeside(who, kind);
      const client = new RpcOverHttp(hub.url);
      test.after(async () => {
        child.kill("SIGKILL");
        await client.close();
        await hub.stop();
      });
      const calm = await slowest(client);
      child.stdin?.write("go\n");
      await sleep(FILLED_MS);
      const [written, from] = [writtenBy(child.pid), performance.now()];
      const [busy] = await Promise.all([slowest(client), sleep(LOOK_MS)]);
      const seconds = (performance.now() - from) / 1_000;
      const bytes = writtenBy(child.pid) - written;
      const rate = `${Math.round(bytes / seconds / 1_000)} kB/s`;
      const told = `${rate}; 99 % of probes in ${calm.toFixed(1)} ms before, ${busy.toFixed(1)} ms meanwhile`;
      figure(12, `${kind} of a ${who}`, told);
      assert.ok(busy <= MOST_TIMES * calm + SLACK_MS, told);
      assert.ok(bytes < SMALL_BYTES_A_SECOND * seconds, told);
    });
  }

  it("is ended if it does not stop, and a device is told the reason", async (test) => {
    const { hub, child } = await openBeside("device", "garbage");
    test.after(async () => {
      child.kill("SIGKILL");
      await hub.stop();
    });
    child.stdin?.write("go\n");
    const [reason] = await once(child.stdout ?? assert.fail("no output"), "data");
    assert.match(String(reason), /without being asked/);
  });
});

/** Once the hub has it. */
async function openBeside(who: keyof typeof THERE, kind: string): Promise<{ hub: SpawnedZaguan; child: ChildProcess }> {
  if (who !== "device") {
    const child = spawn(process.execPath, [PROGRAM, who, kind], { stdio: ["pipe", "pipe", "inherit"] });
    const port = String((await once(child.stdout, "data"))[0]).trim();
    const house = { homeAssistant: { madrid: { url: `http://127.0.0.1:${port}`, token: "token" } } };
    const cloud = { xiaozhi: { endpoints: [{ url: `ws://127.0.0.1:${port}/mcp/?token=token` }] } };
    const hub = await spawnZaguan({ args: ["--allow-private"], config: who === "home" ? house : cloud });
    await isThere(who, hub.url);
    return { hub, child };
  }
  const hub = await spawnZaguan();
  const address = `${hub.url.replace("http", "ws")}/xiaozhi/v1/`;
  const child = spawn(process.execPath, [PROGRAM, who, kind, address], { stdio: ["pipe", "pipe", "inherit"] });
  await isThere(who, hub.url);
  return { hub, child };
}

const THERE = {
  device: ["/mcp/servers", /"kind":"device","state":"ready"/],
  home: ["/mcp/servers", /"kind":"home-assistant","state":"ready"/],
  cloud: ["/mcp/status", /"state":"connected"/],
} as const;

async function isThere(who: keyof typeof THERE, url: string): Promise<void> {
  const [path, sign] = THERE[who];
  await until(`the hub has the ${who}`, async () => sign.test(await (await fetch(url + path)).text()));
}

async function flood(url: string, name: string, args: object, signal?: AbortSignal): Promise<void> {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  const headers = { "content-type": "application/json", accept: "application/json" };
  await fetch(`${url}/mcp`, { method: "POST", headers, body: JSON.stringify(message), signal: signal ?? null });
}

/** The 99th percentile of small requests, one after the other. */
async function slowest(client: RpcOverHttp): Promise<number> {
  const probes: Timed[] = [];
  const startedAt = performance.now();
  for (let at = 0; at < PROBED_MS; at = performance.now() - startedAt) {
    probes.push({ at, ms: (await client.get("/health")).ms });
  }
  return steadyP99(probes, WINDOW_MS);
}

function commandOf(pid: number | undefined): string {
  return pid !== undefined && existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
}

/** How many bytes a process has written so far, to whatever; none if it has ended. */
function writtenBy(pid: number | undefined): number {
  const io = pid !== undefined && existsSync(`/proc/${pid}/io`) ? readFileSync(`/proc/${pid}/io`, "utf8") : "";
  return Number(/wchar: (\d+)/.exec(io)?.[1] ?? 0);
}
