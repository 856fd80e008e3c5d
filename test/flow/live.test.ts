/**
 * A real hub watched over `GET /events` while things happen to it: servers and lamps change, calls begin, wait, run and are
 * ended by somebody else, keys see what is theirs; and when the hub goes, so do the streams.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { CallRow } from "../../src/doors/live/views.ts";
import { answerTo } from "../support/clients/client.ts";
import { PostingClient } from "../support/clients/posting-client.ts";
import type { Message } from "../support/line-rpc.ts";
import { LiveStream } from "../support/live-stream.ts";
import { until } from "../support/processes.ts";
import { PrometheusText } from "../support/prometheus-text.ts";
import { type Answered, RegistryClient } from "../support/registry-client.ts";
import { SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import { openSocket } from "../support/socket-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { WAITING_SOURCES, WaitingLedger, type WaitingSource, waitingCommand } from "../support/waiting-sources.ts";

const [SOURCE] = WAITING_SOURCES as [WaitingSource];

let folder: string;
let ledger: WaitingLedger;
let hub: SpawnedZaguan;
let client: RegistryClient;
const streams: LiveStream[] = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "zaguan-live-"));
  ledger = new WaitingLedger(join(folder, "ledger.jsonl"));
  const waiting = { ...waitingCommand(SOURCE, ledger.file), zaguan: { concurrency: 1 } };
  hub = await spawnZaguan({ config: { mcpServers: { waiting }, limits: { callSeconds: 100, graceSeconds: 1 } } });
  client = new RegistryClient(hub.url);
  await client.textOf("/mcp", "waiting__echo", { nonce: "first" });
});
after(async () => {
  for (const stream of streams) stream.close();
  await hub.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function watch(key?: string): Promise<LiveStream> {
  const stream = await LiveStream.open(hub.url, key === undefined ? {} : { authorization: `Bearer ${key}` });
  streams.push(stream);
  await stream.hello();
  return stream;
}

async function keyFor(name: string, allow: readonly string[]): Promise<string> {
  return (await client.done("POST", "/keys", { name, allow })).key;
}

/** A call that does not end by itself, as it is answered in the end. */
function wait(nonce: string, by: RegistryClient = client): Promise<Answered> {
  return by.call("/mcp", "waiting__wait", { nonce });
}

/** As the list tells it, once it is in this state. */
async function called(stream: LiveStream, tool: string, state: CallRow["state"]): Promise<CallRow> {
  const find = (rows: readonly CallRow[]): CallRow | undefined =>
    rows.find((row) => row.tool === tool && row.state === state);
  const { ended, running } = await stream.find("calls", ({ ended, running }) => !!find([...running, ...ended]));
  return find([...running, ...ended]) ?? assert.fail("it was there just now");
}

describe("who watches the hub", () => {
  it("is told of everything first", async () => {
    const { principal, servers, house, tools, calls } = await (await watch()).hello();
    assert.deepEqual(principal, { kind: "local", name: "local", admin: true, limited: false });
    const waiting = servers.find(({ name }) => name === "waiting");
    assert.deepEqual([waiting?.kind, waiting?.state, waiting?.revision], ["stdio", "ready", "2025-11-25"]);
    assert.ok(servers.some(({ name }) => name === "house"));
    assert.deepEqual([house?.alarm, Object.values(house?.lights ?? {}).includes(true)], [false, false]);
    assert.equal(tools.count, (await client.names("/mcp")).length);
    assert.deepEqual(
      calls.ended.map(({ tool, outcome }) => [tool, outcome]),
      [["echo", "ok"]],
    );
  });

  it("sees a lamp that anybody turns on, and the call that did it", async () => {
    const stream = await watch();
    await client.textOf("/mcp", "set_light_state", { name: "salon", on: true });
    await stream.find("house", ({ house }) => house?.lights["salon"] === true);
    const row = await called(stream, "set_light_state", "ended");
    assert.deepEqual([row.source, row.principal, row.outcome], ["house", "local", "ok"]);
    const detail = (await client.get(`/calls/${row.id}`)).body;
    assert.deepEqual(detail.args, { name: "salon", on: true });
    assert.deepEqual(detail.steps.map(({ name }: { name: string }) => name).slice(0, 2), ["authorize", "validate"]);
    assert.equal(detail.steps.at(-1).name, "dispatch");
  });

  it("sees servers come, and their tools; and go", async () => {
    const standIn = await StandIn.start({ tools: [SEED_TOOL] });
    const stream = await watch();
    const { count } = (await stream.hello()).tools;
    await client.found("letras", standIn.url);
    await stream.find("servers", ({ changed }) => changed.some(({ name, tools }) => name === "letras" && tools === 1));
    await stream.find("tools", (tools) => tools.count === count + 1);
    await client.done("DELETE", "/mcp/servers/letras");
    await stream.find("servers", ({ removed }) => removed.includes("letras"));
    await until("the tool is gone", () => stream.named("tools").at(-1)?.count === count);
    await standIn.close();
  });

  it("is told the figures again and again, which are those of /metrics", async () => {
    const stream = await watch();
    await until("twice", () => stream.named("figures").length >= 2);
    const { totals, points, inFlight } = (await client.get("/figures")).body;
    const metrics = new PrometheusText((await client.get("/metrics")).text);
    const counted = metrics.all("zaguan_calls_total").reduce((sum, { value }) => sum + value, 0);
    assert.equal(totals.calls, counted);
    assert.ok(totals.calls > 0 && points.length > 0);
    assert.equal(inFlight, 0);
  });
});

/** Each gives the answer to a call that waits, as its door words it. */
const DOORS: Readonly<Record<string, (nonce: string) => Promise<Message>>> = {
  "bare JSON-RPC": async (nonce) => (await wait(nonce)).body,
  "the stateless revision": async (nonce) => {
    const posting = new PostingClient("2026", `${hub.url}/mcp`);
    return answerTo(posting.request("tools/call", waitCall(nonce)));
  },
  "a WebSocket": async (nonce) => {
    const { socket, ask } = await openSocket(`${hub.url}/mcp`);
    const answer = await ask({ jsonrpc: "2.0", id: 1, method: "tools/call", params: waitCall(nonce) });
    socket.close();
    return answer;
  },
  "the server's own door": async (nonce) => {
    return (await client.call("/servers/waiting/mcp", "wait", { nonce })).body;
  },
  "the bridge": async (nonce) => {
    const clientInfo = { name: "test", version: "1" };
    const hello = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo };
    const { session_id } = (await client.done("POST", "/mcp/initialize", hello)).result;
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: waitCall(nonce) };
    return (await client.post("/mcp/tools/call", body, { "x-session-id": session_id })).body;
  },
};

function waitCall(nonce: string): { name: string; arguments: object } {
  return { name: "waiting__wait", arguments: { nonce } };
}

describe("a call that somebody ends", () => {
  for (const [door, ask] of Object.entries(DOORS)) {
    it(`while it runs: its source is told, and its caller at ${door}`, async () => {
      const stream = await watch();
      const answer = ask(door);
      const { id } = await called(stream, "wait", "running");
      await until("the source works on it", () => ledger.all("began", door).length === 1);
      assert.equal((await client.delete(`/calls/${id}`)).status, 204);
      await until("the source is told", () => ledger.all("told", door).length === 1);
      const told = await answer;
      assert.equal(told.error?.data?.code, "STOPPED", JSON.stringify(told));
      const { ended } = await stream.find("calls", ({ ended }) => ended.some((one) => one.id === id));
      assert.equal(ended.find((one) => one.id === id)?.outcome, "STOPPED");
      const again = await client.delete(`/calls/${id}`);
      assert.deepEqual([again.status, again.body.code], [409, "ALREADY_ENDED"]);
    });
  }

  it("while it waits: its caller is told, and its source never hears of it", async () => {
    const stream = await watch();
    const first = wait("occupies");
    const running = await called(stream, "wait", "running");
    const second = wait("waits");
    const waiting = await called(stream, "wait", "waiting");
    assert.equal((await client.delete(`/calls/${waiting.id}`)).status, 204);
    assert.equal((await client.delete(`/calls/${running.id}`)).status, 204);
    const codes = (await Promise.all([first, second])).map(({ body }) => body.error.data.code);
    assert.deepEqual(codes, ["STOPPED", "STOPPED"]);
    await client.textOf("/mcp", "waiting__echo", { nonce: "after" });
    assert.deepEqual(ledger.all("began", "waits"), []);
  });
});

describe("who may use some tools only", () => {
  it("a key sees what it may use and its own calls, and ends only those", async () => {
    const key = await keyFor("tablet", ["waiting__*"]);
    const tablet = client.withKey(key);
    const [stream, everybody] = [await watch(key), await watch()];
    const { principal, servers, house, homes, tools } = await stream.hello();
    assert.deepEqual(principal, { kind: "key", name: "tablet", admin: false, limited: true });
    assert.deepEqual(
      servers.map(({ name }) => name),
      ["waiting"],
    );
    assert.deepEqual([house, homes, tools.count], [null, [], (await tablet.names("/mcp")).length]);
    const others = wait("others");
    const { id } = await called(everybody, "wait", "running");
    await client.textOf("/mcp", "set_light_state", { name: "salon", on: false });
    await everybody.find("house", ({ house: now }) => now?.lights["salon"] === false);
    assert.equal((await tablet.delete(`/calls/${id}`)).status, 404);
    assert.equal((await tablet.get(`/calls/${id}`)).status, 404);
    const own = tablet.call("/mcp", "waiting__echo", { nonce: "own" });
    const row = await called(stream, "echo", "waiting");
    assert.equal(row.principal, "tablet");
    await client.delete(`/calls/${id}`);
    await Promise.all([others, own]);
    await called(stream, "echo", "ended");
    const seen = stream.named("calls").flatMap(({ ended, running }) => [...ended, ...running]);
    assert.deepEqual([...new Set(seen.map(({ principal: name }) => name))], ["tablet"]);
    assert.deepEqual(stream.named("house"), []);
    const listed = (await tablet.get("/calls")).body as readonly CallRow[];
    assert.deepEqual([...new Set(listed.map(({ tool }) => tool))], ["echo"]);
  });

  it("an agent sees the servers that it is linked to", async () => {
    const agent = await client.agent("ana", "waiting__echo");
    const { key } = await client.done("POST", `/agents/${agent.id}/key`);
    const stream = await watch(key);
    const { principal, servers, tools, house } = await stream.hello();
    assert.deepEqual(
      [principal.kind, principal.name, principal.admin, principal.limited],
      ["agent", "ana", false, true],
    );
    assert.deepEqual([servers.map(({ name }) => name), tools.count, house], [["waiting"], 1, null]);
    await client.withKey(key).textOf("/mcp", "echo", { nonce: "ana" });
    assert.equal((await called(stream, "echo", "ended")).principal, "ana");
  });

  it("a key that may look at the simulated house sees it change", async () => {
    const stream = await watch(await keyFor("wall", ["house__*"]));
    assert.ok((await stream.hello()).house);
    await client.textOf("/mcp", "set_light_state", { name: "cocina", on: true });
    await stream.find("house", ({ house }) => house?.lights["cocina"] === true);
  });

  it("a wrong key sees nothing", async () => {
    const stream = await LiveStream.open(hub.url, { authorization: "Bearer zgn_wrong" });
    assert.equal(stream.status, 401);
  });
});

describe("the end", () => {
  it("of the hub ends every stream, and leaves nothing behind", async () => {
    const stream = await watch();
    await hub.stop();
    await until("all are over", () => streams.every(({ isOver }) => isOver));
    assert.ok(stream.isOver);
    assert.doesNotMatch(hub.stdout() + hub.stderr(), /internal error/);
  });
});
