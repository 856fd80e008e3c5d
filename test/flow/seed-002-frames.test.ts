/**
 * Seed 002 as a door: whoever has a device's socket may also call, bare or in an envelope, and is answered in the form in
 * which they asked; what is no MCP is passed over. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  CALLERS_HELLO,
  DEVICE_FRAMES,
  DeviceSocket,
  dialPyXiaozhi,
  type Form,
  type PyXiaozhi,
  SERVER_FRAMES,
  SOUND_FRAMES,
  STRANGE_FRAMES,
} from "../support/devices/index.ts";
import { infraredTool, manyTools } from "../support/devices/tools.ts";
import type { Message } from "../support/line-rpc.ts";
import {
  assertEnveloped,
  assertSeedFailure,
  type OpenHub,
  openHub,
  SEED_CALL,
  SEED_FAILURE_TEXT,
  SEED_LIST,
  SEED_SUCCESS,
  SEED_TOOL,
  sizeOf,
  untilListed,
} from "../support/seed-002.ts";

const PATHS = ["/xiaozhi/v1/", "/mcp", "/ws"];
const FORMS: readonly Form[] = ["envelope", "envelope without session", "bare"];

let house: OpenHub;
let remote: PyXiaozhi;
let isPortOpen = true;
before(async () => {
  house = await openHub();
  const send = (): string => {
    if (isPortOpen) return "发送成功（无回复）";
    throw new Error(SEED_FAILURE_TEXT);
  };
  remote = await dialPyXiaozhi({ url: house.hub.url, tools: [infraredTool(send), ...manyTools(40)] });
  await untilListed(house.http, "self.ir.send_named");
});
after(async () => {
  await remote?.close();
  await house?.hub.stop();
});

async function greeted(path = "/xiaozhi/v1/"): Promise<DeviceSocket> {
  const caller = await DeviceSocket.open({ url: house.hub.url, path });
  await caller.hello(CALLERS_HELLO);
  return caller;
}

describe("a message", () => {
  for (const path of PATHS) {
    it(`is answered at ${path} in the form in which it came`, async () => {
      const caller = await greeted(path);
      for (const form of [...FORMS, ...FORMS]) {
        const kept = await caller.ask({ jsonrpc: "2.0", id: 7, method: "ping" }, form);
        assert.deepEqual(kept.payload.result, {}, kept.text);
        if (form === "bare") assert.deepEqual(Object.keys(kept.frame).sort(), ["id", "jsonrpc", "result"], kept.text);
        else assertEnveloped(kept, caller.sessionId);
      }
      await caller.close();
    });

    it(`needs no hello at ${path}`, async () => {
      const caller = await DeviceSocket.open({ url: house.hub.url, path, saidIn: "nowhere" });
      for (const form of FORMS) {
        const { result } = await caller.request("tools/list", {}, form);
        assert.ok(result.tools.length > 0);
      }
      await caller.close();
    });
  }

  it("keeps its id, whatever that is", async () => {
    const caller = await greeted();
    for (const form of FORMS) {
      for (const id of [0, 1, "", "guid-único", "5f1c_n_7", -3, 2 ** 31, 1]) {
        const kept = await caller.ask({ jsonrpc: "2.0", id, method: "ping" }, form);
        assert.strictEqual(kept.payload.id, id, kept.text);
      }
    }
    await caller.close();
  });

  it("may have the id of another that is under way: both are answered", async () => {
    const caller = await greeted();
    for (const name of ["get_presence", "no_such_tool"]) {
      caller.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } });
    }
    const isAnswer = ({ payload }: { payload: Message }): boolean => payload?.id === 1;
    await caller.frames.first("two answers", () => caller.frames.all.filter(isAnswer).length === 2);
    const answers = caller.frames.all.filter(isAnswer).map(({ text }) => text);
    assert.equal(answers.filter((text) => text.includes("no_such_tool")).length, 1, answers.join("\n"));
    assert.equal(
      answers.filter((text) => /people|presence|home/i.test(text) && !text.includes("no_such_tool")).length,
      1,
    );
    await caller.close();
  });

  it("may lack params, or have null, or more than anybody asked for; a blank line behind it is no harm", async () => {
    const caller = await greeted();
    for (const params of [undefined, null, {}, { cursor: "" }, { withUserTools: true, serialNumber: null }]) {
      const { result } = await caller.request("tools/list", params);
      assert.ok(result?.tools.length > 0, JSON.stringify(params));
    }
    const from = caller.frames.all.length;
    caller.sendText('{"type":"mcp","payload":{"jsonrpc":"2.0","id":"nl","method":"ping"}}\n');
    assert.deepEqual((await caller.frames.answer("nl", from)).payload.result, {});
    await caller.close();
  });

  it("may be initialize, twice, with or without what follows it", async () => {
    const caller = await greeted();
    const clientInfo = { name: "XiaozhiClient", version: "1.0.0" };
    for (const params of [{ protocolVersion: "2024-11-05", capabilities: {}, clientInfo }, { capabilities: {} }]) {
      const { result } = await caller.request("initialize", params);
      assert.equal(result.protocolVersion, "2024-11-05");
      assert.ok(result.capabilities.tools);
      assert.ok(result.serverInfo.name && result.serverInfo.version);
    }
    caller.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    assert.deepEqual((await caller.request("ping")).result, {});
    await caller.close();
  });
});

describe("what is no message of MCP", () => {
  it("is passed over: sound, other types, types that nobody knows, envelopes with nothing in them", async () => {
    const caller = await greeted();
    for (const frame of SOUND_FRAMES) caller.sendText(frame);
    for (const frame of [...DEVICE_FRAMES, ...SERVER_FRAMES, ...STRANGE_FRAMES]) caller.sendText(JSON.stringify(frame));
    const from = caller.frames.all.length;
    await caller.ask({ jsonrpc: "2.0", id: "last", method: "ping" });
    const said = caller.frames.all.slice(from).map(({ text }) => text);
    assert.equal(said.length, 1, `answered: ${said}`);
    assert.equal(caller.frames.binary, 0);
    await caller.close();
  });

  it("is told what is wrong with it where it was meant to be one", async () => {
    const caller = await greeted();
    for (const [text, code] of [
      ["{", -32700],
      ['{"type":"mcp","payload":{"jsonrpc":"2.0","id":1,"method":', -32700],
      ['{"type":"mcp","payload":{"jsonrpc":"2.0","id":1}}', -32600],
      ['{"type":"mcp","payload":{"jsonrpc":"2.0","id":1,"method":7}}', -32600],
      ['{"type":"mcp","payload":{"jsonrpc":"2.0","id":1,"method":"nonsense"}}', -32601],
      ['{"jsonrpc":"2.0","id":1,"method":"nonsense"}', -32601],
    ] as const) {
      const from = caller.frames.all.length;
      caller.sendText(text);
      const { payload } = await caller.frames.first(`an answer to ${text}`, ({ payload }) => payload?.error, from);
      assert.equal(payload.error.code, code, text);
      assert.match(payload.error.message, /\S/);
    }
    assert.deepEqual((await caller.request("ping")).result, {});
    await caller.close();
  });
});

describe("工具发现（tools/list）", () => {
  it("answers the printed request with the printed tool", async () => {
    for (const form of FORMS) {
      const caller = await DeviceSocket.open({ url: house.hub.url, saidIn: "nowhere" });
      const { payload } = await caller.ask(SEED_LIST, form);
      assert.deepEqual([payload.jsonrpc, payload.id], ["2.0", 1]);
      const { scope, ...tool } = await found(caller, payload.result);
      assert.deepEqual(tool, SEED_TOOL);
      // Without an envelope it is also seed 001's form, which has one field more.
      assert.equal(scope, form === "bare" ? "global" : undefined);
      await caller.close();
    }
  });

  it("gives who said hello pages of 8000 bytes, with the name of the next tool as the cursor", async () => {
    for (const path of PATHS) {
      const caller = await greeted(path);
      const pages = await pagesOf(caller);
      assert.ok(pages.length > 1, path);
      for (const page of pages) assert.ok(sizeOf(page) <= 8_000, `${sizeOf(page)}`);
      for (const [place, page] of pages.slice(0, -1).entries()) {
        assert.equal(page.nextCursor, pages[place + 1].tools[0].name);
      }
      assert.equal("nextCursor" in (pages.at(-1) ?? {}), false);
      const names = pages.flatMap(({ tools }) => tools.map(({ name }: Message) => name));
      assert.deepEqual(names.toSorted(), (await house.http.names("/mcp")).toSorted());
      await caller.close();
    }
  });

  it("gives who never said hello, and asks as everybody does, one page", async () => {
    const caller = await DeviceSocket.open({ url: house.hub.url, path: "/ws", saidIn: "nowhere" });
    const { result } = await caller.request("tools/list", {}, "bare");
    assert.equal(result.nextCursor, undefined);
    assert.equal(result.tools.length, (await house.http.names("/mcp")).length);
    await caller.close();
  });

  it("answers a cursor that it does not know, too", async () => {
    const caller = await greeted();
    const { result, error } = await caller.request("tools/list", { cursor: "no such tool" });
    assert.ok(error?.code === -32602 || (result?.tools.length === 0 && result.nextCursor === undefined));
    await caller.close();
  });
});

describe("工具调用（tools/call）", () => {
  it("answers the printed request with the printed success", async () => {
    const caller = await greeted();
    for (const form of FORMS) {
      const { payload } = await caller.ask(SEED_CALL, form);
      assert.deepEqual(payload, { jsonrpc: "2.0", id: 2, result: SEED_SUCCESS });
    }
    await caller.close();
  });

  it("answers it with the printed failure, and says the reason once more where others look for it", async () => {
    const caller = await greeted();
    isPortOpen = false;
    for (const form of ["envelope", "envelope without session"] as const) {
      const { payload } = await caller.ask(SEED_CALL, form);
      assert.equal(payload.id, 2);
      assert.equal(assertSeedFailure(payload), SEED_FAILURE_TEXT);
    }
    isPortOpen = true;
    await caller.close();
  });
});

async function pagesOf(caller: DeviceSocket, first: Message = undefined): Promise<Message[]> {
  const pages: Message[] = first ? [first] : [(await caller.request("tools/list", {})).result];
  while (pages.at(-1).nextCursor !== undefined) {
    assert.ok(pages.length < 1_000, "the pages end");
    pages.push((await caller.request("tools/list", { cursor: pages.at(-1).nextCursor })).result);
  }
  return pages;
}

/** The printed tool, on whichever page it is. */
async function found(caller: DeviceSocket, first: Message): Promise<Message> {
  const tools: Message[] = (await pagesOf(caller, first)).flatMap((page) => page.tools);
  return tools.find(({ name }) => name === SEED_TOOL.name);
}
