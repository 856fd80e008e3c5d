/**
 * Servers that cannot be found at once (seed 001 §7), on real sockets: those that fail twice, for ever, are not there, or
 * never answer. What was tried is counted on the wire and stands in the log.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import {
  always,
  bare,
  failingFirst,
  SEED_TOOL,
  StandIn,
  type StandInOptions,
  silent,
} from "../support/registry-servers.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

/** No machine is this slow, and the limit that was shortened is longer. */
const WELL_BEFORE_30_S = 25_000;

let hub: SpawnedZaguan;
let client: RegistryClient;
const standIns: StandIn[] = [];
before(async () => {
  hub = await spawnZaguan({ config: { limits: { callSeconds: 6 } } });
  client = new RegistryClient(hub.url);
});
after(async () => {
  await hub.stop();
  for (const standIn of standIns) await standIn.close();
});

async function start(options: StandInOptions = {}): Promise<StandIn> {
  const standIn = await StandIn.start(options);
  standIns.push(standIn);
  return standIn;
}

/** What is posted in one attempt: the greetings of two eras, and a bare request. */
const POSTS = 3;

describe("a server that fails twice", () => {
  it("is found at the third attempt", async () => {
    const standIn = await start({ http: failingFirst(2 * POSTS) });
    const [tool] = await client.found("twice", standIn.url);
    assert.equal(tool.name, SEED_TOOL.name);
    const [{ ok, steps }] = (await client.get("/mcp/servers/twice/discovery")).body;
    assert.equal(ok, true);
    assert.deepEqual(attemptsIn(steps), [1, 2, 3]);
    assert.equal(await client.textOf("/mcp", "twice__nombre-herramienta", { prompt: "a" }), "nombre-herramienta: a");
  });
});

describe("a server that fails for ever", () => {
  it("is tried three times; the failure, the server and its log tell what was tried", async () => {
    const standIn = await start({ http: always(500) });
    await client.done("POST", "/mcp/servers", { name: "broken", baseUrl: standIn.url });
    const { status, body } = await client.post("/mcp/servers/broken/discover", undefined, { "accept-language": "es" });
    assert.deepEqual([status, body.code], [503, "NOT_DISCOVERED"]);
    const said = `No se pudieron descubrir herramientas del servidor broken (${standIn.url}`;
    assert.ok(body.detail.startsWith(said), body.detail);
    assert.deepEqual(attemptsIn(body.attempts), [1, 2, 3]);
    const [newest] = (await client.get("/mcp/servers/broken/discovery")).body;
    assert.equal(newest.ok, false);
    assert.deepEqual(attemptsIn(newest.steps), [1, 2, 3]);
    assert.match(JSON.stringify(newest.steps), /500/);
    const server = (await client.get("/mcp/servers/broken")).body;
    assert.equal(server.status, "error");
    assert.ok(server.lastError);
  });

  it("is asked as often as the log says, with pauses that grow", async () => {
    const standIn = await start({ http: always(500) });
    await client.done("POST", "/mcp/servers", { name: "counting", baseUrl: standIn.url });
    const { attempts } = (await client.post("/mcp/servers/counting/discover")).body;
    const posted = attempts.filter(({ transport }: Message) => !/SSE|WebSocket/.test(String(transport)));
    assert.equal(standIn.told.length, posted.length);
    const [first = 0, second = 0, third = 0] = [0, POSTS, 2 * POSTS].map((place) => standIn.told[place]?.at);
    // The seed's system waits 400 and 800 ms; jitter takes half of that away at most.
    assert.ok(second - first >= 150 && third - second >= 300, `pauses of ${second - first} and ${third - second} ms`);
  });

  it("says so in the words of refreshing too", async () => {
    const { status, body } = await client.post("/mcp/servers/broken/refresh", undefined, { "accept-language": "es" });
    assert.equal(status, 503);
    assert.match(body.detail, /^(?:Error refrescando herramientas|No se pudieron descubrir herramientas)/);
  });
});

describe("a server that nobody can reach", () => {
  it("is an error with what was tried, for WebSocket too", async () => {
    const standIn = await StandIn.start();
    const { url } = standIn;
    await standIn.close();
    await client.done("POST", "/mcp/servers", { name: "gone", baseUrl: url });
    const { status, body } = await client.post("/mcp/servers/gone/discover");
    assert.equal(status, 503);
    assert.deepEqual(attemptsIn(body.attempts), [1, 2, 3]);
    assert.doesNotMatch(JSON.stringify(body), /node:internal|\.ts:\d|at .*\(/);
  });

  it("is the same where every way is refused, the upgrade too", async () => {
    const standIn = await start({ http: always(404) });
    await client.done("POST", "/mcp/servers", { name: "nothing", baseUrl: standIn.url });
    const { status, body } = await client.post("/mcp/servers/nothing/discover");
    assert.equal(status, 503);
    assert.match(JSON.stringify(body.attempts), /websocket/i);
  });
});

describe("a server that never answers", () => {
  for (const [name, what, options] of [
    ["hanging", "a POST", { http: silent }],
    ["hanging-socket", "a frame", { http: always(404), frames: () => undefined }],
  ] as const) {
    it(`is given up within the limit of the configuration: ${what}`, async () => {
      const standIn = await start(options);
      const impatient = await spawnZaguan({ config: { limits: { discoverySeconds: 1 } } });
      try {
        await assertGivenUp(new RegistryClient(impatient.url), name, standIn.url);
      } finally {
        await impatient.stop();
      }
    });
  }

  async function assertGivenUp(caller: RegistryClient, name: string, baseUrl: string): Promise<void> {
    await caller.done("POST", "/mcp/servers", { name, baseUrl });
    const started = performance.now();
    const { status, body } = await caller.post(`/mcp/servers/${name}/discover`);
    const ms = performance.now() - started;
    assert.ok(status === 503 || status === 504, `${status}`);
    assert.ok(ms < WELL_BEFORE_30_S, `it took ${ms} ms`);
    assert.ok(body.attempts.length > 0);
    const [newest] = (await caller.get(`/mcp/servers/${name}/discovery`)).body;
    assert.equal(newest.ok, false);
    assert.deepEqual(newest.steps, body.attempts);
  }

  it("is given up within the limit for calls, and not asked again", async () => {
    const http: StandInOptions["http"] = (told, server) =>
      told.method === "tools/call" ? undefined : bare(told, server);
    const standIn = await start({ http });
    await client.found("slow", standIn.url);
    const { status, body } = await client.call("/mcp", "slow__nombre-herramienta", { prompt: "a" });
    assert.deepEqual([status, body.error.code], [504, -32002], JSON.stringify(body));
    assert.equal(standIn.calls.length, 1);
  });

  it("leaves the others as they are", async () => {
    await client.found("beside", (await start()).url);
    assert.equal(await client.textOf("/mcp", "beside__nombre-herramienta", { prompt: "a" }), "nombre-herramienta: a");
  });
});

describe("the log of discovery", () => {
  it("keeps what came before, the newest first", async () => {
    const standIn = await start({ http: always(500) });
    await client.done("POST", "/mcp/servers", { name: "mended", baseUrl: standIn.url });
    await client.post("/mcp/servers/mended/discover");
    standIn.http = bare;
    await client.done("POST", "/mcp/servers/mended/discover");
    const log = (await client.get("/mcp/servers/mended/discovery")).body;
    assert.deepEqual(
      log.slice(0, 2).map(({ ok }: Message) => ok),
      [true, false],
    );
    assert.equal((await client.get("/mcp/servers/mended")).body.status, "active");
  });
});

function attemptsIn(steps: readonly { readonly attempt: number }[]): number[] {
  return [...new Set(steps.map(({ attempt }) => attempt))];
}
