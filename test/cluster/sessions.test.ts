/** Whatever a client comes back to by an id goes on at whichever of three nodes it comes to, also when the one that held it is dead. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { AskedClient, accept } from "../support/asked-client.ts";
import { type Balancer, openBalancer } from "../support/balancer.ts";
import { type OpenCarrier, overHttpSse, overWebSocket } from "../support/clients/carriers.ts";
import { ACCEPT, answerTo, type Fields, type Message } from "../support/clients/client.ts";
import { HttpExchange } from "../support/clients/http-exchange.ts";
import { TwoWayClient } from "../support/clients/two-way-client.ts";
import { type NatsProcess, NO_NATS, startNats } from "../support/nats.ts";
import { NO_POSTGRES, type Postgres, startPostgres } from "../support/postgres.ts";
import { isRunning, until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { figure, sized } from "../support/scorecard.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const LEDGER_SERVER = fileURLToPath(new URL("../support/ledger-server.mjs", import.meta.url));
const ASKING_SERVER = fileURLToPath(new URL("../support/asking-server.mjs", import.meta.url));
const NAMES = ["uno", "dos", "tres"] as const;
const PREFIX = "io.modelcontextprotocol/";
/** Of each of two sessions. */
const REQUESTS = sized(6, 500);

describe("sessions of three nodes", { skip: NO_POSTGRES || NO_NATS }, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-sessions-"));
  const ledger = join(folder, "ledger");
  const asking = join(folder, "asking");
  const env = {
    ZAGUAN_SECRET_KEY: randomBytes(32).toString("base64"),
    ZAGUAN_CLUSTER_SECRET: randomBytes(32).toString("base64"),
  };
  const config = {
    mcpServers: {
      ledger: { command: process.execPath, args: [LEDGER_SERVER, ledger] },
      asking: { command: process.execPath, args: [ASKING_SERVER, asking] },
    },
  };
  let postgres: Postgres;
  let nats: NatsProcess;
  let hubs: SpawnedZaguan[] = [];
  let nodes: RegistryClient[] = [];
  let balancer: Balancer;

  const start = (name: string): Promise<SpawnedZaguan> =>
    spawnZaguan({ config, env, args: ["--database", postgres.url(), "--nats", nats.url, "--node", name] });

  before(async () => {
    [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
    hubs = await Promise.all(NAMES.map(start));
    balancer = await openBalancer([]);
  });
  beforeEach(async () => {
    hubs = await Promise.all(hubs.map((hub, at) => (isRunning(hub.pid) ? hub : start(NAMES[at] as string))));
    nodes = hubs.map(({ url }) => new RegistryClient(url));
    balancer.servers = hubs.map(({ url }) => url);
    const areThere = async (): Promise<boolean> => {
      const views = await Promise.all(nodes.map((node) => node.get("/health/cluster")));
      return views.every(({ body }) => body.nodes.length === NAMES.length);
    };
    while (!(await areThere())) await pause(50);
    for (const tool of ["whoami", "who"]) await nodes[0]?.textOf("/mcp", tool, { tag: "ready" });
  });
  after(async () => {
    balancer?.close();
    await Promise.all(hubs.map((hub) => (isRunning(hub.pid) ? hub.stop() : undefined)));
    await nats?.stop();
    await postgres?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const executed = (): string[] => (existsSync(ledger) ? readFileSync(ledger, "utf8").trim().split("\n") : []);
  const node = (at: number): RegistryClient => nodes[at] as RegistryClient;

  /** Opens a session at a node; requests go on wherever the test wants. */
  async function open(at: number, path = "/mcp", capabilities: object = {}): Promise<Record<string, string>> {
    const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "t", version: "1" } };
    const { status, headers } = await node(at).post(path, rpc(1, "initialize", params), { accept: ACCEPT });
    assert.equal(status, 200);
    const id = headers.get("mcp-session-id") ?? "";
    return { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25", accept: ACCEPT };
  }

  const callAt = (at: number, session: Record<string, string>, tag: string, path = "/mcp") =>
    node(at).post(path, toolCall(7, "incr", { tag }), session);

  it("answer at every node, and are ended at any", async () => {
    const found = async (): Promise<string[]> => {
      const tools = (await node(0).get("/mcp/tools/all")).body as { id: string; name: string }[];
      return tools.flatMap(({ id, name }) => (name === "incr" ? id : []));
    };
    await until("the registry has its tool", async () => (await found()).length === 1);
    await node(0).agent("clerk", ...(await found()));
    const paths = ["/mcp", "/servers/ledger/mcp", "/agents/clerk/mcp"];
    for (const path of paths) {
      const session = await open(0, path);
      for (let request = 0; request < REQUESTS; request++) {
        const { status, body } = await callAt(request % NAMES.length, session, `any${request}`, path);
        assert.deepEqual([status, body.result?.content?.[0]?.text], [200, `any${request}`], JSON.stringify(body));
      }
      assert.equal((await node(1).send("DELETE", path, undefined, session)).status, 204);
      for (const at of [0, 1, 2]) assert.equal((await callAt(at, session, "late", path)).status, 404);
    }
    figure(25, "requests of sessions answered, one node after the other", `all ${REQUESTS * paths.length}`);
  });

  it("bring questions to their client and its answers back, whatever way each message takes", async () => {
    for (const path of ["/mcp", "/servers/asking/mcp"]) {
      const client = await AskedClient.open("ana", `${balancer.url}${path}`);
      for (let n = 0; n < 6; n++) assert.match(await client.call("elicit", { nonce: `n${n}` }), /^n\d .*ana/);
      const sent = client.send("work", { ms: 200, everyMs: 50 }, { wantsProgress: true });
      await answerTo(sent);
      assert.ok(sent.heard.some(({ method }) => method === "notifications/progress"));
      client.session.leave();
    }
  });

  it("cancel what was begun through another node", async () => {
    const client = await AskedClient.open("ana", `${balancer.url}/mcp`);
    const cancelled = (): number => readFileSync(asking, "utf8").split(" cancelled").length - 1;
    for (let n = 0; n < 3; n++) {
      const before = cancelled();
      const working = client.send("work", { ms: 60_000, everyMs: 20 }, { wantsProgress: true });
      await until("it is at work", () => working.heard.length > 0);
      working.cancel();
      await until("the source has heard of it", () => cancelled() === before + 1);
    }
    client.session.leave();
  });

  it("go on where a stream broke, at another node", async () => {
    const session = await open(0);
    const events: string[] = [];
    const first = new HttpExchange({
      method: "POST",
      url: `${node(1).url}/mcp`,
      headers: session,
      body: JSON.stringify(toolCall(9, "sleep", { tag: "resumed", ms: 2_500 })),
      onData: (data) => void events.push(data),
    });
    await first.head;
    await until("it is primed", () => first.lastEventId !== "");
    first.hangUp();
    // A node that stands still for a second is taken for gone, and a client comes back once more.
    const again: string[] = [];
    for (let at = 2; again.length === 0 && at < 12; at++) {
      const resumed = new HttpExchange({
        method: "GET",
        url: `${node(at % 3).url}/mcp`,
        headers: { ...session, "last-event-id": first.lastEventId },
        onData: (data) => void (data !== "" && again.push(data)),
      });
      assert.equal((await resumed.head).status, 200);
      await resumed.ended;
    }
    assert.deepEqual(
      again.map((data) => (JSON.parse(data) as Message).id),
      [9],
    );
    assert.equal(executed().filter((line) => line.startsWith("resumed ")).length, 1);
  });

  it("tell what is said unasked on a stream at any node", async () => {
    const session = await open(0);
    const heard: string[] = [];
    const stream = new HttpExchange({
      method: "GET",
      url: `${node(2).url}/mcp`,
      headers: session,
      onData: (data) => void heard.push(data),
    });
    assert.equal((await stream.head).status, 200);
    const { id } = await node(1).done("POST", "/mcp/servers", {
      name: "otro",
      baseUrl: `${node(0).url}/servers/house/mcp`,
      authType: "none",
    });
    await node(1).done("DELETE", `/mcp/servers/${id}`);
    await until("it is told", () => heard.some((data) => data.includes("tools/list_changed")));
    stream.hangUp();
  });

  it("survive the death of the node that held them: streams begin anew, what it was doing is unknown", async () => {
    const session = await open(0);
    await node(0).post("/mcp", rpc(3, "logging/setLevel", { level: "error" }), session);
    const listening = new HttpExchange({ method: "GET", url: `${node(1).url}/mcp`, headers: session });
    assert.equal((await listening.head).status, 200);
    const asked = new HttpExchange({
      method: "POST",
      url: `${node(2).url}/mcp`,
      headers: session,
      body: JSON.stringify(toolCall(11, "sleep", { tag: "cut", ms: 60_000 })),
    });
    await asked.head;
    await until("both are primed", () => asked.lastEventId !== "" && listening.lastEventId !== "");
    await hubs[0]?.kill();
    const killedAt = Date.now();
    await Promise.all([asked.ended, listening.ended]);
    // A second of silence means gone; the rest is this machine's.
    assert.ok(Date.now() - killedAt < sized(30_000, 3_000), "streams of the dead node end");
    const { status, body } = await callAt(1, session, "after");
    assert.deepEqual([status, body.result?.content?.[0]?.text], [200, "after"]);
    assert.equal((await callAt(2, session, "after too")).status, 200);
    const told: Message[] = [];
    const resumed = new HttpExchange({
      method: "GET",
      url: `${node(2).url}/mcp`,
      headers: { ...session, "last-event-id": asked.lastEventId },
      onData: (data) => void (data !== "" && told.push(JSON.parse(data) as Message)),
    });
    assert.equal((await resumed.head).status, 200);
    await resumed.ended;
    assert.deepEqual([told[0]?.id, told[0]?.error?.data?.["delivery"]], [11, "unknown"]);
    const again = new HttpExchange({
      method: "GET",
      url: `${node(1).url}/mcp`,
      headers: { ...session, "last-event-id": listening.lastEventId },
    });
    assert.equal((await again.head).status, 200);
    again.hangUp();
  });

  it("go on while their node is stopped, which still answers what it has begun", async () => {
    const session = await open(0, "/mcp", { elicitation: {} });
    const asked: Message[] = [];
    const begun = new HttpExchange({
      method: "POST",
      url: `${node(1).url}/mcp`,
      headers: session,
      body: JSON.stringify(toolCall(21, "elicit", { nonce: "last" })),
      onData: (data) => void asked.push(JSON.parse(data) as Message),
    });
    await until("the client is asked", () => asked.length === 1);
    let isOver = false;
    const stopped = hubs[0]?.stop().finally(() => (isOver = true));
    let calls = 0;
    for (; calls < 10 || !isOver; calls++) {
      const { status, text } = await callAt(1 + (calls % 2), session, `drain${calls}`);
      assert.equal(status, 200, text);
      // Answered at the node that has the session now, for the one that asked.
      if (calls === 9)
        await node(2).post("/mcp", { jsonrpc: "2.0", id: asked[0]?.id, result: { action: "decline" } }, session);
      await pause(20);
    }
    await stopped;
    await begun.ended;
    assert.match(JSON.stringify(asked[1]?.result), /last.*decline/);
    const ran = executed().filter((line) => line.startsWith("drain"));
    assert.deepEqual([ran.length, new Set(ran.map((line) => line.split(" ")[0])).size], [calls, calls]);
  });

  it("are unknown at once where nobody has them, and to everybody else", async () => {
    const session = await open(0);
    const made = await node(0).post("/keys", { name: `k${Date.now()}` });
    const stranger = node(1).withKey(made.body.key);
    assert.equal((await stranger.post("/mcp", toolCall(1, "incr", { tag: "x" }), session)).status, 404);
    const began = Date.now();
    for (const id of ["nonsense", "x.uno.1", `${session["mcp-session-id"]}0`, "a".repeat(2_000)])
      assert.equal((await callAt(1, { ...session, "mcp-session-id": id }, "x")).status, 404);
    assert.ok(Date.now() - began < sized(30_000, 1_000));
    assert.equal((await callAt(2, session, "still")).status, 200);
  });

  it("of HTTP+SSE take messages at every node", async () => {
    const told: { readonly event: string; readonly data: string }[] = [];
    const stream = new HttpExchange({
      method: "GET",
      url: `${node(0).url}/sse`,
      headers: { accept: "text/event-stream" },
      onData: (data, event) => void told.push({ event, data }),
    });
    await until("it says where to post", () => told.length > 0);
    const place = told[0]?.data ?? "";
    const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    assert.equal((await node(1).post(place, rpc(1, "initialize", params))).status, 202);
    await until("it is answered", () => told.length > 1);
    assert.equal((await node(2).post(place, toolCall(2, "incr", { tag: "sse" }))).status, 202);
    await until("the call is answered", () => told.length > 2);
    assert.match(told[2]?.data ?? "", /"sse"/);
    stream.hangUp();
    await until("it is over", async () => (await node(2).post(place, rpc(3, "ping", {}))).status === 404);
  });

  it("of the bridge are known to every node, and ended for all", async () => {
    const hello = rpc("1", "initialize", { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: {} });
    const { body } = await node(0).post("/mcp/initialize", hello);
    const session = { "x-session-id": body.result.session_id as string };
    for (const at of [0, 1, 2]) {
      const call = toolCall(`b${at}`, "incr", { tag: `bridge${at}` });
      assert.equal((await node(at).post("/mcp/tools/call", call, session)).status, 200);
    }
    assert.equal((await node(2).send("DELETE", "/mcp/session", undefined, session)).status, 204);
    const isOver = async (at: number): Promise<boolean> =>
      (await node(at).post("/mcp/tools/list", rpc("l", "tools/list", {}), session)).status !== 200;
    for (const at of [0, 1, 2]) await until("it has ended there too", () => isOver(at), sized(60_000, 2_000));
  });

  it("suspend a call of 2026-07-28 at one node and go on with it at another", async () => {
    const ask = (at: number, more: object) => {
      const _meta = {
        [`${PREFIX}protocolVersion`]: "2026-07-28",
        [`${PREFIX}clientCapabilities`]: { elicitation: { form: {} } },
        [`${PREFIX}clientInfo`]: { name: "t", version: "1" },
      };
      const params = { name: "elicit", arguments: { nonce: "s" }, _meta, ...more };
      const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "elicit" };
      return node(at).post("/mcp", rpc(5, "tools/call", params), { ...headers, accept: ACCEPT });
    };
    const { body } = await ask(0, {});
    assert.equal(body.result?.resultType, "input_required", JSON.stringify(body));
    const { requestState, inputRequests } = body.result;
    const [key] = Object.keys(inputRequests);
    const inputResponses = { [key as string]: { action: "accept", content: { name: "ana" } } };
    const { body: done } = await ask(1, { requestState, inputResponses });
    assert.match(JSON.stringify(done.result), /ana/);
    assert.equal((await ask(2, { requestState, inputResponses })).body.error?.code, -32602, "a state is good once");
  });

  /** One call on a connection of its own. */
  async function elicitOn(open: OpenCarrier, more: Fields = {}, nonce = "s"): Promise<Message> {
    const client = await TwoWayClient.open("2026", open);
    const answer = await answerTo(client.request("tools/call", { name: "elicit", arguments: { nonce }, ...more }));
    client.leave();
    return answer;
  }

  const carriers: [string, (at: number, key?: string) => OpenCarrier][] = [
    ["WebSocket", (at, key) => overWebSocket(`${node(at).url}/mcp`, key)],
    ["WebSocket of one server", (at, key) => overWebSocket(`${node(at).url}/servers/asking/mcp`, key)],
    ["HTTP+SSE", (at) => overHttpSse(`${node(at).url}/sse`)],
  ];
  for (const [name, at] of carriers)
    it(`suspend a call on a connection of one node and go on with it on one of another: ${name}`, async () => {
      const first = await elicitOn(at(0));
      const again = await elicitOn(at(1), { requestState: stateIn(first) });
      assert.notEqual(stateIn(again), stateIn(first), "what is not answered is asked again");
      const { body } = await node(0).post("/keys", { name: `s${name}${Date.now()}` });
      const answered = { requestState: stateIn(again), inputResponses: { "ask-1": accept("ana") } };
      const strangers = name === "HTTP+SSE" ? [] : [elicitOn(at(1, body.key), answered)];
      for (const refused of [...strangers, elicitOn(at(2), answered, "another")])
        assert.equal((await refused).error?.code, -32602, "a state is good for who was given it, and what was asked");
      const ended = await Promise.all([
        elicitOn(at(1), answered),
        elicitOn(at(2), answered),
        elicitOn(at(0), answered),
      ]);
      assert.deepEqual(ended.map(({ error }) => error?.code ?? 0).sort(), [-32602, -32602, 0], "a state is good once");
      assert.match(JSON.stringify(ended), /s .*ana/);
    });

  it("take a suspended call back that goes on at another node, and know nothing of one whose node is gone", async () => {
    const cancelled = (): number => readFileSync(asking, "utf8").split(" cancelled").length - 1;
    const inputResponses = { "ask-1": accept("ana") };
    const params = { name: "elicit", arguments: { nonce: "long", thenMs: 60_000 } };
    for (const end of ["cancel", "leave"] as const) {
      const before = cancelled();
      const [one, other] = (await Promise.all(
        [0, 1].map((at) => TwoWayClient.open("2026", overWebSocket(`${node(at).url}/mcp`))),
      )) as [TwoWayClient, TwoWayClient];
      const first = await answerTo(one.request("tools/call", params, { wantsProgress: true }));
      await answerTo(other.request("server/discover", {}));
      const repeated = { ...params, requestState: stateIn(first), inputResponses };
      const sent = other.request("tools/call", repeated, { wantsProgress: true });
      await until("it is told of progress", () => sent.heard.length > 0);
      if (end === "cancel") sent.cancel();
      else other.leave();
      await until("the source has heard of it", () => cancelled() === before + 1);
      for (const client of [one, other]) client.leave();
    }
    const second = await elicitOn(overWebSocket(`${node(0).url}/mcp`));
    await hubs[0]?.kill();
    await until("its death is known", async () => (await node(1).get("/health/cluster")).body.nodes.length === 2);
    const lost = await elicitOn(overWebSocket(`${node(1).url}/mcp`), { requestState: stateIn(second), inputResponses });
    assert.equal(lost.error?.code, -32602, JSON.stringify(lost));
  });
});

function stateIn({ result }: Message): unknown {
  assert.equal(result?.["resultType"], "input_required", JSON.stringify(result));
  return result?.["requestState"];
}

function rpc(id: number | string, method: string, params: object): object {
  return { jsonrpc: "2.0", id, method, params };
}

function toolCall(id: number | string, name: string, args: object): object {
  return rpc(id, "tools/call", { name, arguments: args });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
