/**
 * A voice box with the firmware's ways at a real hub: it dials, says hello, is asked what it can do, and is called through
 * every door while it is there. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { answerTo } from "../support/clients/client.ts";
import { PostingClient } from "../support/clients/posting-client.ts";
import { SessionClient } from "../support/clients/session-client.ts";
import {
  dialFirmware,
  type FirmwareDevice,
  type FirmwareOptions,
  infraredTool,
  manyTools,
  PHOTO,
  tool,
} from "../support/devices/index.ts";
import { until } from "../support/processes.ts";
import {
  ChangeWatch,
  definitionOf,
  type OpenHub,
  openHub,
  reasonIn,
  SEED_TOOL,
  sourceNameOf,
  untilGone,
  untilListed,
} from "../support/seed-002.ts";
import { BridgeClient, toolCall } from "../support/seed-003.ts";
import { openSocket } from "../support/socket-client.ts";

const VOLUME = "self.audio_speaker.set_volume";
const STATUS = "self.get_device_status";

let house: OpenHub;
before(async () => {
  house = await openHub({ limits: { callSeconds: 20 } });
});
after(() => house?.hub.stop());

/** Of the test that runs; one that failed may have left its own. */
const visitors: FirmwareDevice[] = [];
afterEach(async () => {
  for (const device of visitors.splice(0)) if (device.frames.ending === undefined) await left(device);
});

async function joined(options: Partial<FirmwareOptions> = {}): Promise<FirmwareDevice> {
  const device = await dialFirmware({ url: house.hub.url, ...options });
  visitors.push(device);
  await untilListed(house.http, device.mcp.tools[0]?.name ?? "");
  return device;
}

async function left(device: FirmwareDevice): Promise<void> {
  await device.close();
  await untilGone(house.http, ...device.mcp.tools.map(({ name }) => name));
}

describe("a voice box", () => {
  let box: FirmwareDevice;
  before(async () => {
    box = await joined();
    visitors.length = 0;
  });
  after(() => left(box));
  const call = (name: string, args: object): Promise<string> => house.http.textOf("/mcp", name, args);

  it("is asked to introduce itself, and then for its tools", async () => {
    const methods = box.frames.payloads.map(({ method }) => method).filter((method) => method !== undefined);
    assert.equal(methods[0], "initialize");
    assert.ok(methods.includes("tools/list"));
    const [initialize] = box.asked("initialize");
    assert.equal(initialize.jsonrpc, "2.0");
    assert.equal(typeof initialize.params.capabilities, "object");
    assert.equal(box.asked("initialize").length, 1);
  });

  it("is spoken to in envelopes of its session", () => {
    const asked = box.frames.all.filter(({ payload }) => payload !== undefined);
    assert.ok(asked.length >= 2, "it was asked for itself and for its tools");
    assert.match(box.socket.sessionId ?? "", /\S/);
    for (const { frame, text } of asked) {
      assert.deepEqual([frame.type, frame.session_id], ["mcp", box.socket.sessionId], text);
    }
  });

  it("has its tools in the catalogue, with the names and schemas that it gave", async () => {
    const names = await house.http.names("/mcp");
    for (const { name, userOnly } of box.mcp.tools) assert.equal(names.includes(name), !userOnly, name);
    const { description, inputSchema } = await definitionOf(house.http, VOLUME);
    assert.equal(description, `What ${VOLUME} does`);
    assert.deepEqual(inputSchema, {
      type: "object",
      properties: { volume: { type: "integer", minimum: 0, maximum: 100 } },
      required: ["volume"],
    });
    assert.equal((await definitionOf(house.http, STATUS)).inputSchema.type, "object");
  });

  it("is called through POST /mcp and answers", async () => {
    assert.equal(await call(VOLUME, { volume: 31 }), "true");
    assert.equal(JSON.parse(await call(STATUS, {})).audio_speaker.volume, 31);
    assert.equal(await call("self.screen.set_brightness", { brightness: 5 }), "5");
    assert.equal(await call("self.screen.set_theme", { theme: '夜间 🌙 "\\\n' }), '主题: 夜间 🌙 "\\\n');
    const [sent] = box.asked("tools/call");
    assert.deepEqual([sent.params.name, sent.params.arguments], [VOLUME, { volume: 31 }]);
  });

  it("is called through a socket, the bridge and its own door, too", async () => {
    const { ask, socket } = await openSocket(`${house.hub.url}/ws`);
    const params = { name: VOLUME, arguments: { volume: 32 } };
    const { result } = await ask({ jsonrpc: "2.0", id: "x", method: "tools/call", params });
    assert.deepEqual(result, { content: [{ type: "text", text: "true" }], isError: false });
    socket.terminate();
    const bridge = await BridgeClient.open(house.http);
    const bridged = await bridge.call(toolCall(3, VOLUME, { volume: 32 }));
    assert.equal(bridged.body?.result?.content[0].text, "true", bridged.text);
    const own = `/servers/${sourceNameOf(box.id)}/mcp`;
    assert.equal(await house.http.textOf(own, VOLUME, { volume: 33 }), "true");
    assert.ok((await house.http.names(own)).includes(VOLUME));
  });

  it("is always reachable as name__tool, the name being made of its Device-Id", async () => {
    assert.equal(await call(`${sourceNameOf(box.id)}__${VOLUME}`, { volume: 34 }), "true");
  });

  it("is never sent an id that it would drop, nor anything else that it would not answer", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, volume) => call(VOLUME, { volume })));
    const ids = box.frames.payloads.filter(({ method, id }) => method && id !== undefined).map(({ id }) => id);
    assert.ok(ids.length > 20);
    for (const id of ids) assert.ok(Number.isInteger(id) && id < 2 ** 31, String(id));
    assert.equal(new Set(ids).size, ids.length, "no id twice on one socket");
    assert.deepEqual(box.mcp.dropped, []);
  });

  it("gives each of many callers at once their own answer", async () => {
    const themes = Array.from({ length: 50 }, (_, place) => `thema ${place}`);
    const said = await Promise.all(themes.map((theme) => call("self.screen.set_theme", { theme })));
    assert.deepEqual(
      said,
      themes.map((theme) => `主题: ${theme}`),
    );
  });

  it("is not asked what its own schema forbids", async () => {
    const before = box.asked("tools/call").length;
    for (const args of [{}, { volume: 101 }, { volume: "loud" }]) {
      const { status, body, text } = await house.http.call("/mcp", VOLUME, args);
      assert.deepEqual([status, body.error?.code], [400, -32602], text);
    }
    assert.equal(box.asked("tools/call").length, before);
  });

  it("may send a picture in its own way: the client gets a picture", async () => {
    const [name, args] = ["self.camera.take_photo", { question: "?" }];
    const content = [{ type: "image", ...PHOTO }];
    for (const path of ["/mcp", `/servers/${sourceNameOf(box.id)}/mcp`]) {
      const { body, text } = await house.http.call(path, name, args);
      assert.deepEqual(body.result, { content, isError: false }, `${path}: ${text}`);
      const url = `${house.hub.url}${path}`;
      for (const client of [await SessionClient.open(url), new PostingClient("2026", url)]) {
        const { result } = await answerTo(client.request("tools/call", { name, arguments: args }));
        assert.deepEqual(result?.["content"], content, `${client.era} ${path}`);
        client.leave();
      }
    }
  });

  it("may call us over the same socket, with ids that are in use in the other direction", async () => {
    const busy = Promise.all(Array.from({ length: 10 }, () => call(STATUS, {})));
    for (const { id } of box.asked("tools/call").slice(-3)) {
      const { payload } = await box.socket.ask({ jsonrpc: "2.0", id, method: "tools/call", params: CALL_HOUSE });
      assert.equal(payload.result.isError ?? false, false, JSON.stringify(payload));
    }
    assert.equal((await busy).length, 10);
  });
});

const CALL_HOUSE = { name: "get_presence", arguments: {} };

describe("its tools", () => {
  let watch: ChangeWatch;
  before(async () => {
    watch = await ChangeWatch.open(house.hub.url);
  });
  after(() => watch?.leave());

  for (const [how, leave] of [
    ["says goodbye", (device: FirmwareDevice) => device.close()],
    ["is cut off", (device: FirmwareDevice) => device.cut()],
  ] as const) {
    it(`come with it and go when it ${how}, and clients are told of both`, async () => {
      const before = watch.count;
      const device = await joined();
      await watch.more(before);
      const during = watch.count;
      await leave(device);
      await untilGone(house.http, VOLUME, STATUS);
      await watch.more(during);
      const { status, body } = await house.http.call("/mcp", VOLUME, { volume: 1 });
      assert.deepEqual([status, body.error?.code], [400, -32602]);
    });
  }

  it("are read page by page", async () => {
    const tools = manyTools(120);
    const device = await joined({ tools });
    await untilListed(house.http, ...tools.map(({ name }) => name));
    const cursors = device.asked("tools/list").map(({ params }) => params?.cursor ?? "");
    assert.ok(cursors.length > 3);
    assert.ok(cursors.slice(1).every((cursor) => tools.some(({ name }) => name === cursor)));
    assert.equal(await house.http.textOf("/mcp", "self.many.0119", { word: "última" }), "self.many.0119 última");
    await left(device);
  });

  it("that come before one that is too large for a page are there", async () => {
    const large = tool("self.large", {}, () => true, { description: "é".repeat(4_000) });
    const tools = manyTools(40);
    const device = await joined({ tools: [...tools, large] });
    await untilListed(house.http, ...tools.map(({ name }) => name));
    assert.equal(await house.http.textOf("/mcp", "self.many.0003", {}), "self.many.0003 ");
    assert.ok(device.asked("tools/list").length < 20);
    await left(device);
  });

  it("may be none at all", async () => {
    const device = await dialFirmware({ url: house.hub.url, tools: [] });
    await until("it was asked", () => device.asked("tools/list").length > 0);
    assert.deepEqual((await device.socket.request("ping")).result, {});
    await device.close();
  });

  it("may be the seed's, as printed", async () => {
    const device = await joined({ tools: [infraredTool()] });
    const { name, description, inputSchema } = await definitionOf(house.http, SEED_TOOL.name);
    assert.deepEqual({ name, description, inputSchema }, SEED_TOOL);
    assert.equal(await house.http.textOf("/mcp", SEED_TOOL.name, { name: "tv_power" }), "发送成功（无回复）");
    await left(device);
  });
});

describe("a call to it", () => {
  let hold: PromiseWithResolvers<string>;
  let device: FirmwareDevice;
  const wait = tool("self.wait", {}, () => hold.promise);
  const fail = tool("self.fail", {}, () => {
    throw new Error("灯坏了");
  });
  beforeEach(() => {
    hold = Promise.withResolvers();
  });
  const join = async (): Promise<void> => {
    device = await joined({ tools: [wait, fail] });
  };

  it("that it refuses with an error without a code is a well-formed failure with its text", async () => {
    await join();
    const answered = await house.http.call("/mcp", "self.fail", {});
    assert.match(reasonIn(answered), /灯坏了/);
    await left(device);
  });

  it("fails when it goes away before the answer, and nobody knows whether it was done", async () => {
    await join();
    const answer = house.http.call("/mcp", "self.wait", {});
    await until("it is under way", () => device.asked("tools/call").length === 1);
    await device.cut();
    const { body, text } = await answer;
    assert.equal(body.error?.data?.delivery, "unknown", text);
    await untilGone(house.http, "self.wait");
  });

  it("goes on while other things come and go on the socket", async () => {
    await join();
    const answer = house.http.textOf("/mcp", "self.wait", {});
    await until("it is under way", () => device.asked("tools/call").length === 1);
    device.socket.makeNoise();
    assert.deepEqual((await device.socket.request("ping")).result, {});
    hold.resolve("al fin");
    assert.equal(await answer, "al fin");
    await left(device);
  });
});

describe("a device", () => {
  const uses = async (options: Partial<FirmwareOptions>): Promise<void> => {
    const device = await joined(options);
    assert.equal(await house.http.textOf("/mcp", VOLUME, { volume: 9 }), "true");
    await left(device);
  };

  for (const path of ["/xiaozhi/v1/", "/mcp", "/ws"]) {
    it(`may dial ${path}`, () => uses({ path }));
  }

  for (const saidIn of ["headers", "query", "nowhere"] as const) {
    it(`may say who it is in: ${saidIn}`, () => uses({ saidIn }));
  }

  for (const form of ["envelope", "envelope without session", "bare"] as const) {
    it(`may answer in this form: ${form}`, () => uses({ form }));
  }

  it("is known by its Device-Id wherever it says it", async () => {
    for (const saidIn of ["headers", "query"] as const) {
      const device = await joined({ saidIn });
      const name = `${sourceNameOf(device.id)}__${VOLUME}`;
      assert.equal(await house.http.textOf("/mcp", name, { volume: 9 }), "true", saidIn);
      await left(device);
    }
  });

  it("that has tools of another's names gets names of its own for them", async () => {
    const [first, second] = [await joined(), await dialFirmware({ url: house.hub.url })];
    const name = `${sourceNameOf(second.id)}__${VOLUME}`;
    await untilListed(house.http, VOLUME, name);
    const counts = (): number[] => [first, second].map((device) => device.asked("tools/call").length);
    await house.http.textOf("/mcp", VOLUME, { volume: 1 });
    assert.deepEqual(counts(), [1, 0]);
    await house.http.textOf("/mcp", name, { volume: 1 });
    assert.deepEqual(counts(), [1, 1]);
    await first.close();
    await second.close();
    await untilGone(house.http, VOLUME, name);
  });
});
