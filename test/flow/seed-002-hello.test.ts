/**
 * Seed 002 「传输与握手」 as a test: who says hello is answered with one, at every socket of the hub and whenever it comes.
 * Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CALLERS_HELLO, DeviceSocket, dialFirmware, HELLO } from "../support/devices/index.ts";
import type { Message } from "../support/line-rpc.ts";
import { until } from "../support/processes.ts";
import { HELLO_LIMIT_MS, LATE_MS, type OpenHub, openHub, untilListed } from "../support/seed-002.ts";

const PATHS = ["/xiaozhi/v1/", "/mcp", "/ws"];
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

let house: OpenHub;
before(async () => {
  house = await openHub();
});
after(() => house?.hub.stop());

function open(path = "/xiaozhi/v1/", more: object = {}): Promise<DeviceSocket> {
  return DeviceSocket.open({ url: house.hub.url, path, ...more });
}

function assertHello(hello: Message): void {
  const said = JSON.stringify(hello);
  assert.deepEqual([hello.type, hello.version, hello.transport], ["hello", 1, "websocket"], said);
  assert.ok(typeof hello.session_id === "string" && hello.session_id !== "", said);
  assert.equal(hello.audio_params?.format, "opus", said);
}

describe("a hello", () => {
  for (const path of PATHS) {
    it(`is answered with a hello at ${path}`, async () => {
      const device = await open(path);
      assertHello(await device.hello());
      await device.close();
    });
  }

  it("is answered in the same way whatever a device adds to it or leaves out", async () => {
    for (const hello of [
      CALLERS_HELLO,
      { type: "hello" },
      { type: "hello", version: 1, transport: "websocket" },
      { ...HELLO, features: { mcp: true, aec: true, glyph_push: true }, text_font: { size: 16 }, more: [{}] },
      { ...HELLO, audio_params: { format: "opus", sample_rate: 24_000, channels: 1, frame_duration: 20 } },
    ]) {
      const device = await open();
      assertHello(await device.hello(hello));
      await device.close();
    }
  });

  it("gives every socket a session of its own", async () => {
    const devices = [await open(), await open(), await open("/ws")];
    for (const device of devices) await device.hello(CALLERS_HELLO);
    assert.equal(new Set(devices.map(({ sessionId }) => sessionId)).size, 3);
    for (const device of devices) await device.close();
  });

  it("is answered whenever it comes: after other messages, and beside them", async () => {
    for (const path of PATHS) {
      const peer = await open(path);
      assert.deepEqual((await peer.ask(PING, "bare")).payload.result, {});
      assertHello(await peer.hello(CALLERS_HELLO));
      assert.deepEqual((await peer.ask({ ...PING, id: 2 }, "bare")).payload.result, {});
      await peer.close();
    }
  });

  it("that comes twice is answered twice, and the device is there once", async () => {
    const device = await dialFirmware({ url: house.hub.url });
    await untilListed(house.http, "self.screen.set_theme");
    assertHello(await device.socket.hello());
    assert.equal(await house.http.textOf("/mcp", "self.screen.set_theme", { theme: "dark" }), "主题: dark");
    const themes = (await house.http.names("/mcp")).filter((name) => name.endsWith("self.screen.set_theme"));
    assert.deepEqual(themes, ["self.screen.set_theme"]);
    assert.equal(device.frames.ending, undefined);
    await device.close();
  });

  it("without the feature mcp makes nobody a source", async () => {
    const caller = await open();
    await caller.hello(CALLERS_HELLO);
    await caller.request("tools/list", {});
    await caller.request("ping");
    assert.deepEqual(caller.frames.asked("initialize"), []);
    await caller.close();
  });

  it("without the feature mcp, and then with it, makes one", async () => {
    const caller = await open();
    await caller.hello(CALLERS_HELLO);
    await caller.hello(HELLO);
    await until("it is asked to introduce itself", () => caller.frames.asked("initialize").length === 1);
    await caller.close();
  });
});

describe("a socket", { concurrency: true }, () => {
  it("has no compression, even if the device would have it", async () => {
    for (const path of PATHS) {
      const device = await open(path, { socket: { perMessageDeflate: true } });
      assert.equal(device.socket.extensions, "");
      await device.close();
    }
  });

  it(`of a device that never says hello is closed after ${HELLO_LIMIT_MS / 1_000} s; others are not`, async () => {
    const opened = performance.now();
    const [mute, noisy, greeted, bare] = [await open(), await open(), await open(), await open()];
    noisy.makeNoise();
    await greeted.hello(CALLERS_HELLO);
    await bare.ask(PING, "bare");
    for (const { frames } of [mute, noisy]) {
      await until("it is closed", () => frames.ending !== undefined, LATE_MS);
      const after = (frames.ending?.at ?? 0) - opened;
      assert.ok(after > HELLO_LIMIT_MS - 2_000, `closed after ${after} ms`);
    }
    assert.deepEqual((await greeted.ask(PING)).payload.result, {});
    assert.deepEqual((await bare.ask(PING, "bare")).payload.result, {});
    for (const device of [greeted, bare]) await device.close();
  });

  it("of somebody else may be silent for longer than that", async () => {
    const [atMcp, atWs, limit] = [await open("/mcp"), await open("/ws"), await open()];
    await until("the limit is over", () => limit.frames.ending !== undefined, LATE_MS);
    for (const peer of [atMcp, atWs]) {
      assert.deepEqual((await peer.ask(PING, "bare")).payload.result, {});
      await peer.close();
    }
  });
});
