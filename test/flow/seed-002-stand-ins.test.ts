/**
 * The devices and far ends that stand in for the real ones in the tests of seed 002, against each other and without the
 * hub: that they have the ways which the tests count on.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, describe, it } from "node:test";
import { WebSocket } from "ws";
import {
  CloudBroker,
  dialFirmware,
  dialPyXiaozhi,
  EVICTED,
  infraredTool,
  manyTools,
  NO_REASON,
  Relay,
  tool,
  XiaozhiServer,
} from "../support/devices/index.ts";
import type { Message } from "../support/line-rpc.ts";
import { until } from "../support/processes.ts";

const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});

function closedAfter<T extends { close(): Promise<void> }>(thing: T): T {
  closers.push(() => thing.close());
  return thing;
}

/** The least that an MCP server can be. */
function trivial({ id, method, params }: Message): object | undefined {
  if (id === undefined) return undefined;
  const head = { jsonrpc: "2.0", id };
  const serverInfo = { name: "trivial", version: "1" };
  if (method === "initialize") {
    return { ...head, result: { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo } };
  }
  if (method === "tools/list")
    return { ...head, result: { tools: [{ name: "echo", inputSchema: { type: "object" } }] } };
  if (method === "tools/call") {
    return { ...head, result: { content: [{ type: "text", text: JSON.stringify(params.arguments) }] } };
  }
  return { ...head, result: {} };
}

async function dial(url: string, answer = trivial): Promise<WebSocket> {
  const socket = new WebSocket(url);
  socket.on("message", (data) => {
    const said = answer(JSON.parse(String(data)));
    if (said) socket.send(JSON.stringify(said));
  });
  socket.on("error", () => {});
  await once(socket, "open");
  closers.push(async () => socket.terminate());
  return socket;
}

describe("a firmware device at a voice server", () => {
  it("is greeted, listed without its user tools, and called", async () => {
    const server = closedAfter(await XiaozhiServer.start({ settleMs: 10 }));
    const device = closedAfter(await dialFirmware({ url: server.origin, token: "secreto" }));
    const link = await server.next();
    assert.deepEqual([link.deviceId, link.authorization], [device.id, "Bearer secreto"]);
    assert.equal(link.initialized.result.protocolVersion, "2024-11-05");
    assert.equal(device.mcp.capabilities.vision.token, "vision-token");
    assert.deepEqual(
      link.tools?.map(({ name }) => name),
      device.mcp.tools.filter(({ userOnly }) => !userOnly).map(({ name }) => name),
    );
    assert.equal(await link.tellModel("self.audio_speaker.set_volume", { volume: 30 }), "true");
    assert.match(await link.tellModel("self.get_device_status"), /"volume":30/);
    assert.ok(link.frames.binary > 0 && device.frames.binary > 0, "both are noisy");
    const answers = link.frames.all.filter(({ payload }) => payload !== undefined);
    assert.ok(answers.every(({ frame }) => frame.session_id === device.socket.sessionId && frame.session_id !== ""));
  });

  it("is silent where the id is no number, and its errors have no code", async () => {
    const server = closedAfter(await XiaozhiServer.start({ settleMs: 10 }));
    const device = closedAfter(await dialFirmware({ url: server.origin, saidIn: "query" }));
    const link = await server.next();
    link.send({ jsonrpc: "2.0", id: "seven", method: "tools/list" });
    link.send({ jsonrpc: "2.0", id: 7, method: "tools/list", params: null });
    assert.deepEqual((await link.call("no such tool")).error, { message: "Unknown tool: no such tool" });
    const { error } = await link.call("self.audio_speaker.set_volume", { volume: 101 });
    assert.deepEqual(error, { message: "Value exceeds maximum allowed: 100" });
    assert.deepEqual((await link.ask({ id: 9, method: "nonsense" })).payload.error, {
      message: "Method not implemented: nonsense",
    });
    assert.deepEqual(
      device.mcp.dropped.map(({ id }) => id),
      ["seven", 7],
    );
  });

  it("makes pages of 8000 bytes whose cursor is the next tool, and fails at one that is too large", async () => {
    const server = closedAfter(await XiaozhiServer.start({ settleMs: 10 }));
    const tools = manyTools(60);
    closedAfter(await dialFirmware({ url: server.origin, tools }));
    const link = await server.next();
    assert.equal(link.tools?.length, 60);
    assert.ok(link.pages.length > 2);
    for (const { payload } of link.pages) assert.ok(Buffer.byteLength(JSON.stringify(payload.result)) <= 8_000);
    const large = tool("large", {}, () => true, { description: "é".repeat(4_000) });
    closedAfter(await dialFirmware({ url: server.origin, tools: [...tools.slice(0, 3), large, ...tools.slice(3)] }));
    const { pages } = await server.next();
    const message = "Failed to add tool large because of payload size limit";
    assert.deepEqual(pages.at(-1)?.payload.error, { message });
  });

  it("gives up where no hello comes, or one that is not for it", async () => {
    for (const hello of ["none", "wrong"] as const) {
      const server = closedAfter(await XiaozhiServer.start({ hello }));
      await assert.rejects(dialFirmware({ url: server.origin, helloLimitMs: 200 }), /hello/);
    }
  });
});

describe("a desktop client at a voice server", () => {
  it("is served with its empty session, and its errors are results", async () => {
    const server = closedAfter(await XiaozhiServer.start({ settleMs: 10 }));
    const failing = tool("self.fail", {}, () => {
      throw new Error("无法打开串口 /dev/ttyS1: Permission denied");
    });
    closedAfter(await dialPyXiaozhi({ url: server.origin, tools: [infraredTool(), failing] }));
    const link = await server.next();
    assert.equal(await link.tellModel("self.ir.send_named", { name: "tv_power" }), "发送成功（无回复）");
    assert.equal(await link.tellModel("self.fail"), NO_REASON, "its own servers lose the text");
    const { result } = await link.call("self.ir.send_named", {});
    assert.deepEqual(result.content, [{ type: "text", text: "Missing required argument: name" }]);
    assert.equal((await link.call("nothing")).error.code, -32603);
    const answers = link.frames.all.filter(({ payload }) => payload !== undefined);
    assert.ok(answers.every(({ frame, text }) => frame.session_id === "" && /^[ -~]*$/.test(text)));
  });

  it("makes an empty page that points at itself for a tool that is too large", async () => {
    const server = closedAfter(await XiaozhiServer.start({ settleMs: 10 }));
    const large = tool("large", {}, () => true, { description: "红".repeat(1_400) });
    const device = closedAfter(await dialPyXiaozhi({ url: server.origin, tools: [infraredTool(), large] }));
    const pageAt = async (cursor: string): Promise<Message> =>
      JSON.parse((await device.mcp.answer({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor } })) ?? "");
    assert.equal((await pageAt("")).result.nextCursor, "large");
    assert.deepEqual((await pageAt("large")).result, { tools: [], nextCursor: "large" });
    assert.deepEqual((await pageAt("unknown")).result, { tools: [] });
    await device.close();
  });

  it("pings, and goes when nobody answers", async () => {
    const server = closedAfter(await XiaozhiServer.start({ settleMs: 10 }));
    const device = await dialPyXiaozhi({ url: server.origin, pingMs: 300, pongMs: 5_000 });
    let pings = 0;
    server.links[0]?.socket.on("ping", () => pings++);
    await until("it pinged several times", () => pings > 3);
    assert.equal(device.frames.ending, undefined);
    server.links[0]?.socket.pause();
    assert.equal((await device.frames.closed).code, 1006);
  });
});

describe("the cloud's broker", () => {
  it("greets who dials, from the id 0, lists and calls", async () => {
    const broker = closedAfter(await CloudBroker.start({ pingMs: 300 }));
    await dial(broker.url("t"));
    const link = await broker.next();
    assert.equal(link.dial.query.get("token"), "t");
    assert.equal(link.frames.all[0]?.payload.id, 0);
    assert.deepEqual(await link.names(), ["echo"]);
    assert.equal((await link.call("echo", { a: 1 })).content[0].text, '{"a":1}');
    await until("pings are answered", () => link.frames.all.length > 8);
    assert.equal(link.frames.ending, undefined);
  });

  it("hangs up with 4004 on a bad answer, and without a word when pings are not answered", async () => {
    const broker = closedAfter(await CloudBroker.start({ pingMs: 300, pongMs: 500, greetingMs: 3_000 }));
    for (const answer of [() => undefined, ({ id }: Message) => ({ jsonrpc: "2.0", id, result: {} })]) {
      const socket = await dial(broker.url(), answer);
      assert.deepEqual((await once(socket, "close")).map(String), ["4004", "Internal server error"]);
    }
    const deaf = await dial(broker.url(), (message) => (message.method === "ping" ? undefined : trivial(message)));
    assert.equal((await once(deaf, "close"))[0], 1006);
  });

  it("refuses a bad token in one of two ways", async () => {
    const strict = closedAfter(await CloudBroker.start({ tokens: ["good"] }));
    await assert.rejects(dial(strict.url("bad")), /401/);
    const polite = closedAfter(await CloudBroker.start({ tokens: ["good"], refusal: "1008" }));
    assert.equal((await once(await dial(polite.url("bad")), "close"))[0], 1008);
    assert.equal(strict.dials.length + polite.dials.length, 2);
  });
});

describe("the relay", () => {
  it("writes ids anew and back, leaves falsy ones alone and drops their answers", async () => {
    const relay = closedAfter(await Relay.start("agent"));
    await dial(relay.toolUrl("agent"));
    await relay.served("agent");
    const robot = closedAfter(await relay.robot("agent"));
    assert.equal((await robot.ask({ id: 1, method: "initialize" })).payload.result.serverInfo.name, "trivial");
    assert.deepEqual((await robot.ask({ id: "a_n_b", method: "ping" })).payload.result, {});
    robot.send({ id: 0, method: "ping" });
    await until("the answer to 0 was dropped", () => relay.dropped.length === 1);
    assert.deepEqual(relay.dropped, [{ jsonrpc: "2.0", id: 0, result: {} }]);
    const [first, second, third] = relay.passed.map(({ id }) => id);
    assert.match(first, /^[0-9a-f-]{36}_n_1$/);
    assert.match(second, /^[0-9a-f-]{36}_s_a_n_b$/);
    assert.equal(third, 0);
  });

  it("evicts an older tool side, tells a robot that there is none, and knows its tokens", async () => {
    const relay = closedAfter(await Relay.start("agent"));
    const robot = closedAfter(await relay.robot("agent"));
    assert.equal((await robot.ask({ id: 1, method: "ping" })).payload.error.code, -32001);
    const older = await dial(relay.toolUrl("agent"));
    const closed = once(older, "close");
    await dial(relay.toolUrl("agent"));
    assert.deepEqual((await closed).map(String), [String(EVICTED.code), EVICTED.reason]);
    assert.equal((await once(await dial(relay.toolUrl("nobody")), "close"))[0], 1008);
  });
});
