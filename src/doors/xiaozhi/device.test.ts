/** What a server that waits for devices meets when we dial it as one of them. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { EVICTED, type ServerLink, STRANGE_FRAMES, XiaozhiServer } from "../../../test/support/devices/index.ts";
import { makeTool } from "../../../test/support/make-call.ts";
import { until } from "../../../test/support/processes.ts";
import { anEndpoint, type Dialled, dialling } from "../../../test/support/xiaozhi-ports.ts";
import { ZaguanError } from "../../errors.ts";
import { memoryDocuments } from "../../store/memory-documents.ts";

const PAGE_BYTES = 8_000;

let dialled: Dialled;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await dialled.endpoints.close();
  for (const close of closers.splice(0).reverse()) await close();
  assert.equal(dialled.clock.pending, 0, "a timer is left");
  assert.equal(dialled.gateway.listeners.size, 0, "a listener is left");
});

async function server(options: Parameters<typeof XiaozhiServer.start>[0] = {}): Promise<XiaozhiServer> {
  const started = await XiaozhiServer.start({ settleMs: 0, ...options });
  closers.push(() => started.close());
  return started;
}

async function served(more: object = {}, ports: Parameters<typeof dialling>[0] = {}): Promise<ServerLink> {
  const house = await server();
  dialled = dialling(ports);
  dialled.endpoints.apply([anEndpoint(house.url, { as: "device", ...more })]);
  return house.next();
}

describe("a server that we dialled as a device", () => {
  it("gets our hello, asks for our tools amid its noise, and calls one", async () => {
    const link = await served();
    assert.deepEqual(link.hello, {
      type: "hello",
      version: 1,
      features: { mcp: true },
      transport: "websocket",
      audio_params: { format: "opus", sample_rate: 16_000, channels: 1, frame_duration: 60 },
    });
    assert.equal(link.initialized.result.protocolVersion, "2024-11-05");
    assert.deepEqual(
      link.tools?.map(({ name }) => name),
      ["lamp"],
    );
    assert.equal(await link.tellModel("lamp"), "on");
    await dialled.is("connected");
  });

  it("reads its session's id in each of our envelopes", async () => {
    const link = await served();
    await link.call("lamp");
    const envelopes = link.frames.all.filter(({ frame }) => frame.type === "mcp");
    assert.ok(envelopes.length >= 3);
    for (const { frame, form } of envelopes) {
      assert.equal(form, "envelope");
      assert.match(frame.session_id, /^[0-9a-f-]{36}$/);
    }
    assert.equal(new Set(envelopes.map(({ frame }) => frame.session_id)).size, 1);
  });

  it("is told by name who we are, the same at every dialling", async () => {
    const documents = memoryDocuments();
    const first = await served({}, { documents });
    assert.match(first.deviceId ?? "", /^[0-9a-f][26ae](:[0-9a-f]{2}){5}$/);
    assert.match(first.clientId ?? "", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.deepEqual([first.authorization, first.dial.headers["protocol-version"]], [undefined, "1"]);
    await dialled.endpoints.close();
    const second = await served({ token: "t0ken" }, { documents });
    assert.deepEqual([second.deviceId, second.clientId], [first.deviceId, first.clientId]);
    assert.equal(second.authorization, "Bearer t0ken");
  });

  it("is told the ids that its owner chose", async () => {
    const { deviceId, clientId } = await served({ deviceId: "aa:bb:cc:dd:ee:ff", clientId: "c-1" });
    assert.deepEqual([deviceId, clientId], ["aa:bb:cc:dd:ee:ff", "c-1"]);
  });

  it("tells its model why something failed", async () => {
    const link = await served();
    dialled.gateway.answer = () => Promise.reject(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } }));
    const { error } = (await link.call("x")).result;
    assert.equal(await link.tellModel("x"), error);
    assert.match(error, /x/);
  });

  it("reads 500 tools page by page, none of them longer than a device can hold, envelope and all", async () => {
    const house = await server();
    dialled = dialling();
    dialled.gateway.tools = Array.from({ length: 500 }, (_, place) =>
      makeTool(`tool_${String(place).padStart(3, "0")}`, { description: "灯".repeat(place % 97) }),
    );
    dialled.endpoints.apply([anEndpoint(house.url, { as: "device" })]);
    const { tools, pages } = await house.next();
    assert.equal(tools?.length, 500);
    for (const { text } of pages) assert.ok(Buffer.byteLength(text) <= PAGE_BYTES, `${Buffer.byteLength(text)}`);
  });

  it("may send whatever it likes that is not for us", async () => {
    const link = await served();
    for (const frame of STRANGE_FRAMES) link.socket.send(JSON.stringify(frame));
    link.socket.send(JSON.stringify({ type: "hello", transport: "websocket", session_id: "another" }));
    assert.deepEqual((await link.ask({ id: 5, method: "ping" })).payload.result, {});
    assert.equal(link.frames.all.at(-1)?.frame.session_id, "another");
  });

  it("hears of changed tools in an envelope", async () => {
    const link = await served();
    await until("it is connected", () => link.tools !== undefined);
    dialled.gateway.toolsChanged();
    await until("it is told", () => link.frames.asked("notifications/tools/list_changed").length > 0);
    assert.equal(link.frames.all.at(-1)?.form, "envelope");
  });

  for (const [hello, reason] of [
    ["none", "it did not answer our hello within 10 s"],
    ["wrong", "its hello was of another transport, and no other came"],
  ] as const) {
    it(`is left after ten seconds where its hello is ${hello}, and dialled again`, async () => {
      const house = await server({ hello });
      dialled = dialling();
      dialled.endpoints.apply([anEndpoint(house.url, { as: "device" })]);
      await until("it has our hello", () => house.links[0]?.hello !== undefined);
      // What it answered is on its way to us; an answer to a ping comes behind it.
      const pong = new Promise((resolve) => house.links[0]?.socket.once("pong", resolve));
      house.links[0]?.socket.ping();
      await pong;
      assert.equal(dialled.endpoints.status()[0]?.state, "connecting");
      await dialled.pass(9_999);
      assert.equal(dialled.endpoints.status()[0]?.state, "connecting");
      await dialled.pass(1);
      await dialled.is("waiting");
      assert.equal(dialled.endpoints.status()[0]?.lastError, reason);
      assert.equal((await house.links[0]?.frames.closed)?.code, 1000);
      await dialled.pass(1_000);
      await until("it is dialled again", () => house.dials.length === 2);
    });
  }

  it("may hang up before its hello", async () => {
    const house = await server({ hello: "none" });
    dialled = dialling();
    dialled.endpoints.apply([anEndpoint(house.url, { as: "device" })]);
    await until("it has our hello", () => house.links[0]?.hello !== undefined);
    house.links[0]?.socket.close(EVICTED.code, "bye");
    await dialled.is("waiting");
    assert.equal(dialled.endpoints.status()[0]?.lastError, "it closed the connection (1000: bye)");
  });
});
