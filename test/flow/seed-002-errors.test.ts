/**
 * Seed 002 「返回结果与错误语义」: on a device's socket whatever goes wrong with a call is a result with `isError`, its reason
 * in the text and in `result.error`; at other doors the same failures have their own form. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CALLERS_HELLO, DeviceSocket, dialFirmware, type FirmwareDevice, tool } from "../support/devices/index.ts";
import type { Message } from "../support/line-rpc.ts";
import { until } from "../support/processes.ts";
import { assertSeedFailure, type OpenHub, openHub, untilGone, untilListed } from "../support/seed-002.ts";

const LIGHT = "set_light_state";

let house: OpenHub;
let caller: DeviceSocket;
let device: FirmwareDevice;
before(async () => {
  house = await openHub({ limits: { callSeconds: 6 } });
  const never = new Promise<string>(() => {});
  const fail = (): never => {
    throw new Error("灯坏了");
  };
  const tools = [tool("self.wait", {}, () => never), tool("self.fail", {}, fail)];
  device = await dialFirmware({ url: house.hub.url, tools });
  await untilListed(house.http, "self.wait", "self.fail");
  caller = await greeted();
});
after(async () => {
  await caller?.close();
  await device?.close();
  await house?.hub.stop();
});

async function greeted(headers: Record<string, string> = {}): Promise<DeviceSocket> {
  const socket = await DeviceSocket.open({ url: house.hub.url, headers });
  await socket.hello(CALLERS_HELLO);
  return socket;
}

function call(name: string, args: unknown = {}, by = caller): Promise<Message> {
  return by.request("tools/call", { name, arguments: args });
}

describe("on a device's socket a result with isError is what is said of", () => {
  it("a tool that does not exist, by its name", async () => {
    assert.match(assertSeedFailure(await call("no_such_tool")), /no_such_tool/);
  });

  it("an argument that is missing, by its name", async () => {
    assert.match(assertSeedFailure(await call(LIGHT, { on: true })), /name/);
  });

  it("an argument that is wrong, by its name", async () => {
    assert.match(assertSeedFailure(await call(LIGHT, { name: "salon", on: "quizás" })), /on/);
  });

  it("a tool that failed, with the tool's own words", async () => {
    assert.match(assertSeedFailure(await call("self.fail")), /灯坏了/);
    assertSeedFailure(await call(LIGHT, { name: "no such lamp", on: true }));
  });

  it("a tool that took too long", async () => {
    assertSeedFailure(await call("self.wait"));
  });

  it("a source that went away in the middle", async () => {
    const other = await dialFirmware({
      url: house.hub.url,
      tools: [tool("self.leave", {}, () => new Promise(() => {}))],
    });
    await untilListed(house.http, "self.leave");
    const answer = call("self.leave");
    await until("it is under way", () => other.asked("tools/call").length === 1);
    await other.cut();
    assertSeedFailure(await answer);
    await untilGone(house.http, "self.leave");
  });
});

describe("what is no failure", () => {
  it("has no error beside it", async () => {
    const { result } = await call(LIGHT, { name: "salon", on: true });
    assert.equal(result.isError ?? false, false);
    assert.equal("error" in result, false, JSON.stringify(result));
  });

  it("keeps what the tool put beside the text", async () => {
    const { result } = await call(LIGHT, { name: "salon", on: false });
    assert.deepEqual(result.structuredContent, { ok: true });
  });
});

describe("the same failures elsewhere", () => {
  it("are JSON-RPC errors for bare JSON-RPC over HTTP", async () => {
    for (const [name, args] of [
      ["no_such_tool", {}],
      [LIGHT, { on: true }],
    ] as const) {
      const { status, body } = await house.http.call("/mcp", name, args);
      assert.deepEqual([status, body.error?.code], [400, -32602]);
    }
  });

  it("have nothing beside isError for a tool that failed", async () => {
    const { body, text } = await house.http.call("/mcp", LIGHT, { name: "no such lamp", on: true });
    assert.equal(body.result?.isError, true, text);
    assert.equal("error" in body.result, false, text);
  });
});

describe("the language", () => {
  it("of a reason is the one that the device asked for", async () => {
    const chinese = await greeted({ "accept-language": "zh" });
    assert.match(assertSeedFailure(await call("no_such_tool", {}, chinese)), /[\u4e00-\u9fff]/);
    await chinese.close();
    assert.doesNotMatch(assertSeedFailure(await call("no_such_tool")), /[\u4e00-\u9fff]/);
  });
});
