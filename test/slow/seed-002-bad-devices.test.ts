/**
 * Devices that do everything wrong at a real hub: each is contained and logged, and whoever else is there notices nothing.
 * Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  DeviceSocket,
  dialFirmware,
  type FirmwareDevice,
  HELLO,
  type Misbehaviour,
  manyTools,
  tool,
} from "../support/devices/index.ts";
import { residentMb } from "../support/memory.ts";
import { until } from "../support/processes.ts";
import {
  assertNothingInner,
  DEVICE_FRAME_BYTES,
  FRAME_BYTES,
  type OpenHub,
  openHub,
  PAGES_LIMIT,
  reasonIn,
  untilGone,
  untilListed,
  untilWarned,
} from "../support/seed-002.ts";
import { connectionsAt } from "../support/sockets.ts";

/** Enough for whoever answers at all. */
const CALL_SECONDS = 6;
const TOO_BIG = 1009;
const TOO_LARGE = DEVICE_FRAME_BYTES + 100_000;

let house: OpenHub;
let good: FirmwareDevice;
before(async () => {
  house = await openHub({ limits: { callSeconds: CALL_SECONDS, listWaitSeconds: 5 } });
  good = await dialFirmware({ url: house.hub.url });
  await untilListed(house.http, "self.screen.set_theme");
});
after(async () => {
  await good?.close();
  await house?.hub.stop();
});

/** The one that behaves is served whatever the others do. */
afterEach(async () => {
  assert.equal(await house.http.textOf("/mcp", "self.screen.set_theme", { theme: "x" }), "主题: x");
  assert.equal(good.frames.ending, undefined);
});

function dial(misbehave: Misbehaviour, tools = [tool("bad.say", {}, () => "said")]): Promise<FirmwareDevice> {
  return dialFirmware({ url: house.hub.url, tools, misbehave, isNoisy: false });
}

/** Waits until nothing was added for a while; that it never comes to rest is what fails. */
async function atRest(what: string, count: () => number): Promise<number> {
  for (let last = count(), turns = 0; ; turns++) {
    await sleep(1_500);
    if (count() === last) return last;
    assert.ok(turns < 20, `${what} never comes to rest: ${count()}`);
    last = count();
  }
}

describe("pages without an end", () => {
  const page = (id: unknown, name: string, nextCursor: string): string => {
    const inputSchema = { type: "object", properties: {} };
    return JSON.stringify({
      jsonrpc: "2.0",
      id,
      result: { tools: [{ name, description: "", inputSchema }], nextCursor },
    });
  };

  for (const [what, next] of [
    ["each with a new cursor", (count: number) => `endless.${count}`],
    ["all with the same cursor", () => "endless.again"],
    ["two that point at each other", (count: number) => `endless.${count % 2}`],
  ] as const) {
    it(`are left: ${what}`, async () => {
      let count = 0;
      const logged = house.logged().length;
      const device = await dial((question, answer) =>
        question.method === "tools/list" ? page(question.id, `endless.tool.${count++}`, next(count)) : answer(),
      );
      assert.ok((await atRest("the reading of pages", () => count)) < PAGES_LIMIT);
      await untilWarned(house, logged, device.id);
      await device.close();
      const names = await house.http.names("/mcp");
      await untilGone(house.http, ...names.filter((name) => name.startsWith("endless.")));
    });
  }

  it("do not fill the memory", async () => {
    const before = residentMb(house.hub.pid);
    let count = 0;
    const large = "x".repeat(200_000);
    const device = await dial((question, answer) =>
      question.method === "tools/list"
        ? page(question.id, `endless.${large}.${count++}`, `endless.${count}`)
        : answer(),
    );
    await atRest("the reading of pages", () => count);
    await device.close();
    const grown = residentMb(house.hub.pid) - before;
    assert.ok(grown < 300, `${grown} MB more`);
  });
});

describe("answers", () => {
  const misanswering = (change: (text: string, id: number) => string | undefined): Misbehaviour => {
    return async (question, answer) => {
      const text = await answer();
      return question.method === "tools/call" && text !== undefined ? change(text, question.id) : text;
    };
  };

  for (const [what, change] of [
    ["with another id", (text: string, id: number) => text.replace(`"id":${id}`, `"id":${id + 1_000}`)],
    ["with the id null", (text: string, id: number) => text.replace(`"id":${id}`, '"id":null')],
    ["without an id", (text: string, id: number) => text.replace(`"id":${id},`, "")],
    ["that never come", () => undefined],
    ["that are no JSON", () => "{{{"],
    ["that are no answer", (_: string, id: number) => `{"jsonrpc":"2.0","id":${id}}`],
  ] as const) {
    it(`${what} are nobody's: the call fails in its time`, async () => {
      const device = await dial(misanswering(change));
      await untilListed(house.http, "bad.say");
      const answered = await house.http.call("/mcp", "bad.say", {});
      assert.match(reasonIn(answered), /\S/);
      assert.ok(!answered.text.includes("said"), answered.text);
      await device.close();
      await untilGone(house.http, "bad.say");
    });
  }

  it("with another id do not reach another call", async () => {
    const ids: number[] = [];
    const device = await dial(async (question, answer) => {
      const text = await answer();
      if (question.method !== "tools/call") return text;
      ids.push(question.id);
      return text?.replace(`"id":${question.id}`, `"id":${question.id + 7_777}`);
    });
    await untilListed(house.http, "bad.say");
    const answers = await Promise.all([1, 2, 3].map(() => house.http.call("/mcp", "bad.say", {})));
    for (const answered of answers) assert.match(reasonIn(answered), /\S/);
    assert.equal(ids.length, 3, "none was repeated");
    await device.close();
    await untilGone(house.http, "bad.say");
  });

  it("that come twice count once", async () => {
    const device = await dial(async (question, answer) => {
      const text = await answer();
      if (question.method === "tools/call" && text) device.socket.sendText(text);
      return text;
    });
    await untilListed(house.http, "bad.say");
    for (const _ of [1, 2, 3]) assert.equal(await house.http.textOf("/mcp", "bad.say", {}), "said");
    await device.close();
    await untilGone(house.http, "bad.say");
  });

  it("that come when the caller has given up harm nobody", async () => {
    const hold = Promise.withResolvers<string>();
    const device = await dial((_, answer) => answer(), [tool("bad.wait", {}, () => hold.promise)]);
    await untilListed(house.http, "bad.wait");
    assert.match(reasonIn(await house.http.call("/mcp", "bad.wait", {})), /\S/);
    hold.resolve("late");
    assert.equal(await house.http.textOf("/mcp", "bad.wait", {}), "late");
    await device.close();
    await untilGone(house.http, "bad.wait");
  });
});

describe("a device that never", () => {
  for (const method of ["initialize", "tools/list"]) {
    it(`answers ${method} holds up nobody`, async () => {
      const device = await dial((question, answer) => (question.method === method ? undefined : answer()));
      await until("it was asked", () => device.asked(method).length > 0);
      assert.ok((await house.http.names("/mcp")).includes("self.screen.set_theme"));
      assert.ok(!(await house.http.names("/mcp")).includes("bad.say"));
      await device.close();
    });
  }

  it("gives anything but an error is no source, and the log says why", async () => {
    const logged = house.logged().length;
    const device = await dial(({ id }) => JSON.stringify({ jsonrpc: "2.0", id, error: { message: "无" } }));
    await untilWarned(house, logged, device.id);
    assert.match(house.logged().slice(logged), /无/);
    assert.deepEqual(device.asked("tools/list"), [], "who cannot introduce itself is asked for nothing else");
    const names = await house.http.names("/mcp");
    assert.deepEqual([names.includes("bad.say"), names.includes("self.screen.set_theme")], [false, true]);
    await device.close();
  });
});

describe("frames", () => {
  for (const [what, frame] of [
    ["of text", "x".repeat(TOO_LARGE)],
    ["of sound", Buffer.alloc(TOO_LARGE)],
  ] as const) {
    it(`${what} that are too large end the connection, and nothing else`, async () => {
      const device = await dial((_, answer) => answer());
      await untilListed(house.http, "bad.say");
      device.socket.sendText(frame);
      assert.equal((await device.frames.closed).code, TOO_BIG);
      await untilGone(house.http, "bad.say");
    });
  }

  it("an answer that is too large ends the connection, and the call fails", async () => {
    const device = await dial((_, answer) => answer(), [tool("bad.huge", {}, () => "x".repeat(TOO_LARGE))]);
    await untilListed(house.http, "bad.huge");
    assert.match(reasonIn(await house.http.call("/mcp", "bad.huge", {})), /\S/);
    assert.equal((await device.frames.closed).code, TOO_BIG);
    await untilGone(house.http, "bad.huge");
  });

  it("of somebody who is no device may be a tenth of that", async () => {
    const peer = await DeviceSocket.open({ url: house.hub.url, path: "/ws", saidIn: "nowhere" });
    peer.sendText("x".repeat(FRAME_BYTES + 100_000));
    assert.equal((await peer.frames.closed).code, TOO_BIG);
  });

  it("of sound by the thousand are heard by nobody", async () => {
    const device = await dial((_, answer) => answer());
    await untilListed(house.http, "bad.say");
    for (let count = 0; count < 5_000; count++) device.socket.sendText(Buffer.alloc(120));
    assert.equal(await house.http.textOf("/mcp", "bad.say", {}), "said");
    assert.equal(device.frames.binary, 0);
    await device.close();
    await untilGone(house.http, "bad.say");
  });

  it("that break WebSocket's own rules end the connection, and nothing else", async () => {
    const device = await DeviceSocket.open({ url: house.hub.url });
    await device.hello(HELLO);
    const raw = (device.socket as unknown as { _socket: { write(data: Buffer): void } })._socket;
    raw.write(Buffer.from("8f80000000008f8000000000", "hex"));
    assert.ok([1002, 1006].includes((await device.frames.closed).code));
  });
});

describe("definitions", () => {
  for (const [what, tools] of [
    ["that are no list", "nothing"],
    ["without names", [{ description: "x" }, 7, null, { name: "" }]],
    ["all of one name", Array.from({ length: 50 }, () => ({ name: "bad.twin", inputSchema: { type: "object" } }))],
    ["with schemas that are none", [{ name: "bad.schema", inputSchema: { type: "objekt", properties: 7 } }]],
    ["with names that no one can say", [{ name: "a\u0000b\n__c", inputSchema: { type: "object" } }]],
  ] as const) {
    it(`${what} hurt only the device`, async () => {
      const device = await dial(({ id, method }, answer) =>
        method === "tools/list" ? JSON.stringify({ jsonrpc: "2.0", id, result: { tools } }) : answer(),
      );
      await until("it was asked", () => device.asked("tools/list").length > 0);
      const names = await house.http.names("/mcp");
      assert.ok(names.includes("self.screen.set_theme"));
      assert.equal(new Set(names).size, names.length, "no name twice");
      await device.close();
    });
  }

  it("by the thousand are all there", async () => {
    const tools = manyTools(1_000, 100, "bad.many");
    const device = await dial((_, answer) => answer(), tools);
    await untilListed(house.http, ...tools.map(({ name }) => name));
    await device.close();
    await untilGone(house.http, ...tools.map(({ name }) => name));
  });
});

describe("after all of that", () => {
  it("no connection is left but those that are in use", async () => {
    const port = Number(new URL(house.hub.url).port);
    const sockets = await atRest("the number of connections", () => connectionsAt(port));
    assert.ok(sockets < 30, `${sockets} connections`);
    assertNothingInner(house);
  });
});
