/** What a voice cloud, or a relay before it, meets when we have dialled it. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import {
  type BrokerLink,
  CloudBroker,
  Relay,
  type Robot,
  SERVER_FRAMES,
  SOUND_FRAMES,
} from "../../../test/support/devices/index.ts";
import { untilLeft } from "../../../test/support/fake-gateway.ts";
import { makeTool } from "../../../test/support/make-call.ts";
import { until } from "../../../test/support/processes.ts";
import { anEndpoint, type Dialled, dialling } from "../../../test/support/xiaozhi-ports.ts";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";

const PAGE_BYTES = 8_000;

let dialled: Dialled;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await dialled.endpoints.close();
  for (const close of closers.splice(0).reverse()) await close();
  assert.equal(dialled.clock.pending, 0, "a timer is left");
  assert.equal(dialled.gateway.listeners.size, 0, "a listener is left");
});

async function broker(options: Parameters<typeof CloudBroker.start>[0] = {}): Promise<CloudBroker> {
  const started = await CloudBroker.start(options);
  closers.push(() => started.close());
  return started;
}

async function served(overrides: Parameters<typeof dialling>[0] = {}, more: object = {}): Promise<BrokerLink> {
  const cloud = await broker();
  dialled = dialling(overrides);
  dialled.endpoints.apply([anEndpoint(cloud.url("secret-token"), more)]);
  return cloud.next();
}

describe("an endpoint that we dialled", () => {
  it("is greeted, told the tools, and calls one", async () => {
    const link = await served();
    assert.equal(link.initialized.result.protocolVersion, "2024-11-05");
    assert.equal(link.initialized.id, 0);
    assert.equal(link.dial.headers["sec-websocket-protocol"], undefined);
    assert.deepEqual(await link.names(), ["lamp"]);
    assert.deepEqual(await link.call("lamp", { on: true }), { content: [{ type: "text", text: "on" }] });
    const [call] = dialled.gateway.calls;
    assert.deepEqual([call?.tool, call?.args.text, call?.door], ["lamp", '{"on":true}', "xiaozhi"]);
  });

  it("calls as nobody in particular, in Chinese, and may use everything but change nothing", async () => {
    const link = await served();
    await link.call("lamp");
    const [call] = dialled.gateway.calls;
    assert.deepEqual(call?.principal, { id: "xiaozhi:voice", kind: "key", name: "voice" });
    assert.equal(call?.language, "zh");
  });

  it("may be spoken to in another language", async () => {
    const link = await served({}, { language: "es" });
    dialled.gateway.answer = () => Promise.reject(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } }));
    assert.equal((await link.call("x")).error, "Tool 'x' no encontrada");
  });

  it("is told of failures by a result, with the text where it is looked for", async () => {
    const link = await served();
    dialled.gateway.answer = () => Promise.reject(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } }));
    const { isError, content, error } = await link.call("x");
    assert.deepEqual([isError, content[0].text], [true, error]);
    assert.match(error, /x/);
  });

  it("reads 500 tools page by page, none of them longer than a device can hold", async () => {
    const cloud = await broker();
    dialled = dialling();
    dialled.gateway.tools = Array.from({ length: 500 }, (_, place) =>
      makeTool(`tool_${String(place).padStart(3, "0")}`, { description: "开灯关灯".repeat(1 + (place % 60)) }),
    );
    dialled.endpoints.apply([anEndpoint(cloud.url())]);
    const link = await cloud.next();
    const names = await link.names();
    assert.deepEqual(
      names,
      dialled.gateway.tools.map(({ name }) => name),
    );
    const lists = link.frames.all.filter(({ payload }) => payload.result?.tools);
    assert.ok(lists.length > 20, `${lists.length} pages`);
    for (const { text } of lists) assert.ok(Buffer.byteLength(text) <= PAGE_BYTES, `${Buffer.byteLength(text)}`);
    assert.equal(dialled.endpoints.status()[0]?.tools, 500);
  });

  for (const id of ["0", '""', "7", '"5f0c_n_1"', '"5f0c_s_é \\u0041"', "12345678901234567890", "null"]) {
    it(`has the id ${id} given back as it wrote it, in the form it came`, async () => {
      const { socket, frames } = await served();
      const from = frames.all.length;
      socket.send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
      socket.send(`{"type":"mcp","payload":{"jsonrpc":"2.0","id":${id},"method":"ping","params":null}}`);
      await until("both are answered", () => frames.all.length >= from + 2);
      const answer = `{"jsonrpc":"2.0","id":${id},"result":{}}`;
      assert.deepEqual(
        frames.all.slice(from).map(({ text }) => text),
        [answer, `{"session_id":"","type":"mcp","payload":${answer}}`],
      );
    });
  }

  it("has its pings answered, those of JSON-RPC and those of WebSocket", async () => {
    const cloud = await broker({ pingMs: 20 });
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(cloud.url())]);
    const { socket, frames } = await cloud.next();
    const pong = new Promise((resolve) => socket.on("pong", (data) => resolve(String(data))));
    socket.ping("are you there");
    assert.equal(await pong, "are you there");
    const answered = (): number => frames.payloads.filter(({ result }) => JSON.stringify(result) === "{}").length;
    await until("five pings are answered", () => answered() >= 5);
    assert.equal(frames.ending, undefined);
  });

  it("is not minded when it sends sound, speech, or nothing that can be read", async () => {
    const link = await served();
    const from = link.frames.all.length;
    for (const frame of SOUND_FRAMES) link.socket.send(frame);
    for (const frame of SERVER_FRAMES) link.send(frame);
    link.send({ type: "hello", transport: "websocket" });
    link.socket.send('{"jsonrpc":"2.0","id":9,"result":{}}');
    assert.deepEqual((await link.ask("ping")).result, {});
    assert.equal(link.frames.all.length, from + 1);
    link.socket.send("nonsense");
    await until("it is told", () => link.frames.payloads.at(-1)?.error?.code === -32700);
    assert.deepEqual((await link.ask("ping")).result, {});
  });

  it("hears of changed tools, and nothing of what servers log", async () => {
    const link = await served();
    const from = link.frames.all.length;
    dialled.gateway.answer = async ({ onNotification }) => {
      onNotification?.("notifications/message", Payload.ofText('{"level":"error","data":"at home"}'));
      dialled.gateway.toolsChanged();
      return Payload.ofText("{}");
    };
    await link.call("lamp");
    assert.deepEqual(
      link.frames.all.slice(from).map(({ payload }) => payload.method ?? "an answer"),
      ["notifications/tools/list_changed", "an answer"],
    );
  });

  it("is asked nothing, though it says it could be: its relays would drop the question", async () => {
    const link = await served();
    dialled.gateway.answer = async ({ caller }) => Payload.ofValue({ canBeAsked: caller?.canBeAsked });
    assert.deepEqual(await link.call("lamp"), { canBeAsked: false });
  });

  it("that takes an agent's place is limited to what the agent is linked to", async () => {
    const asked: unknown[] = [];
    const agent: Principal = { id: "agent:1", kind: "agent", name: "salon", links: { find: () => undefined } };
    const actingAs = async (...who: unknown[]): Promise<Principal> => {
      asked.push(who);
      return agent;
    };
    const link = await served({ actingAs }, { agent: "salon" });
    await link.call("lamp");
    assert.deepEqual(asked, [["salon", { id: "xiaozhi:voice", kind: "key", name: "voice" }]]);
    assert.equal(dialled.gateway.calls[0]?.principal, agent);
  });

  it("does not wait for a call whose connection is lost", async () => {
    const link = await served();
    const left = Promise.withResolvers<void>();
    dialled.gateway.answer = (request) => {
      request.signal?.addEventListener("abort", left.resolve);
      return untilLeft(request, new ZaguanError("CANCELLED"));
    };
    link.call("lamp").catch(() => {});
    await until("it is called", () => dialled.gateway.calls.length > 0);
    link.socket.terminate();
    await left.promise;
  });

  it("keeps its token for itself", async () => {
    const link = await served();
    assert.equal(link.dial.query.get("token"), "secret-token");
    link.socket.close(1008, "bad token: secret-token");
    await dialled.is("waiting");
    const [shown] = dialled.endpoints.status();
    assert.match(shown?.url ?? "", /^ws:\/\/127\.0\.0\.1:\d+\/mcp\/$/);
    assert.ok(dialled.lines.length >= 2);
    assert.equal(shown?.lastError, "it does not accept our token (1008: bad token: …)");
    assert.doesNotMatch(JSON.stringify(dialled.lines), /secret-token|\?/);
  });
});

describe("a relay that we dialled", () => {
  let relay: Relay;
  async function robotsOf(count: number): Promise<Robot[]> {
    relay = await Relay.start("t");
    closers.push(() => relay.close());
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(relay.toolUrl("t"))]);
    await relay.served("t");
    const robots = await Promise.all(Array.from({ length: count }, () => relay.robot("t")));
    for (const robot of robots) closers.push(() => robot.close());
    return robots;
  }

  it("writes ids anew for each robot, and each gets its answer", async () => {
    const robots = await robotsOf(2);
    // Without waiting for the first answer, as the real one does.
    const greeted = robots.map((robot) => robot.ask(INITIALIZE));
    for (const robot of robots) robot.send({ method: "notifications/initialized" });
    const listed = robots.map((robot) => robot.ask({ id: 2, method: "tools/list" }));
    for (const { payload } of await Promise.all(greeted)) assert.equal(payload.id, 1);
    for (const { payload } of await Promise.all(listed)) assert.equal(payload.result.tools[0].name, "lamp");
    const called = await robots[0]?.ask({ id: "call-é", method: "tools/call", params: { name: "lamp" } });
    assert.equal(called?.payload.result.content[0].text, "on");
  });

  it("is sent answers alone: what has no id, it cannot bring to any robot", async () => {
    const [robot] = await robotsOf(1);
    await robot?.ask(INITIALIZE);
    dialled.gateway.answer = async ({ onProgress, onNotification }) => {
      onProgress?.(Payload.ofText('{"progressToken":1,"progress":1}'));
      onNotification?.("notifications/resources/list_changed", Payload.ofText("{}"));
      dialled.gateway.toolsChanged();
      return Payload.ofText("{}");
    };
    const params = { name: "lamp", _meta: { progressToken: "t" } };
    assert.deepEqual((await robot?.ask({ id: 2, method: "tools/call", params }))?.payload.result, {});
    assert.deepEqual(relay.dropped, []);
  });
});

const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "x", version: "1" } },
};
