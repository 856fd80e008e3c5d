/**
 * The headers of seed 003 §3 at a real hub: `X-Priority`, `X-Timeout`, `X-Request-ID`, `X-Cache-Control`; and what
 * `POST /mcp/tools/call` is without `X-Session-ID`, which is seed 004's. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { type Answered, textIn } from "../support/registry-client.ts";
import { bare, SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import {
  askUntil,
  assertBridged,
  assertBridgeError,
  BridgeClient,
  CALL_HOUSE,
  CALL_STATE,
  makeKey,
  type OpenHome,
  openHome,
  timeIn,
  toolCall,
  untilListed,
} from "../support/seed-003.ts";

/** Never answered. */
const SLOW = toolCall(9, SEED_TOOL.name, { prompt: "hola" });

let slow: StandIn;
let house: OpenHome;
let client: BridgeClient;
before(async () => {
  slow = await StandIn.start({
    http: (told, server) => (told.method === "tools/call" ? undefined : bare(told, server)),
  });
  const entry = { url: slow.url, zaguan: { allowPrivate: true } };
  house = await openHome({
    config: { mcpServers: { slow: entry } },
    policy: { cacheSeconds: { get_entity_state: 600 } },
  });
  await untilListed(house.http, SEED_TOOL.name);
  client = await BridgeClient.open(house.http);
});
after(async () => {
  await house?.stop();
  await slow?.close();
});

describe("X-Request-ID", () => {
  it("comes back in bridge_info and in the answer's header", async () => {
    const answer = await client.call(CALL_HOUSE, { "x-request-id": "unique-request-id" });
    assert.equal(assertBridged(answer, 1).bridge_info.request_id, "unique-request-id");
    assert.equal(answer.headers.get("x-request-id"), "unique-request-id");
  });

  it("comes back with a failure too", async () => {
    const answer = await client.call(toolCall(1, "no_such_tool", {}), { "x-request-id": "req-12345" });
    assert.equal(assertBridgeError(answer, 400, -32602, 1).bridge_info.request_id, "req-12345");
    assert.equal(answer.headers.get("x-request-id"), "req-12345");
  });

  it("is made for a failure that came without", async () => {
    const failed = async (): Promise<string> =>
      assertBridgeError(await client.call(toolCall(1, "no_such_tool", {})), 400, -32602).bridge_info.request_id;
    assert.notEqual(await failed(), await failed());
  });
});

describe("X-Priority", () => {
  for (const priority of ["HIGH", "MEDIUM", "LOW", "BULK", "URGENT", "", "7"]) {
    it(`${JSON.stringify(priority)} is served`, async () => {
      assertBridged(await client.call(CALL_HOUSE, { "x-priority": priority }), 1);
    });
  }
});

describe("X-Timeout", () => {
  it("ends a call that takes longer with -32002, and not before its time", async () => {
    const started = performance.now();
    assertBridgeError(await client.call(SLOW, { "x-timeout": "1" }), 504, -32002, 9);
    assert.ok(performance.now() - started >= 900);
  });

  for (const tooShort of ["0", "-5"]) {
    it(`${tooShort} counts as one second`, async () => {
      const started = performance.now();
      assertBridgeError(await client.call(SLOW, { "x-timeout": tooShort }), 504, -32002, 9);
      assert.ok(performance.now() - started >= 900);
    });
  }

  for (const value of ["30", "300", "301", "999999999999", "soon", ""]) {
    it(`${JSON.stringify(value)} does not stand in the way of a call`, async () => {
      assertBridged(await client.call(CALL_HOUSE, { "x-timeout": value }), 1);
    });
  }
});

describe("X-Cache-Control", () => {
  const read = async (headers: Record<string, string> = {}): Promise<{ text: string; info: Message }> => {
    const { result, bridge_info } = assertBridged(await client.call(CALL_STATE, headers), 3);
    return { text: textIn(result), info: bridge_info };
  };
  const anew = { "x-cache-control": "no-cache" };

  it("a kept answer says that it is one", async () => {
    house.home.setState("sensor.temperature_salon", "11.5");
    await askUntil(
      "11.5 is read",
      () => read(anew),
      ({ text }) => text.includes("11.5"),
    );
    await read();
    const { text, info } = await read();
    assert.match(text, /11\.5/);
    assert.equal(info.cached, true);
    // The document prints this for lists only.
    if (info.cache_expires !== undefined) assert.ok(timeIn(info.cache_expires) < Date.now() + 601_000);
  });

  it("no-cache reads anew", async () => {
    house.home.setState("sensor.temperature_salon", "12.5");
    const { info } = await askUntil(
      "12.5 is read",
      () => read(anew),
      ({ text }) => text.includes("12.5"),
    );
    assert.equal(info.cached, false);
  });

  it("max-age takes what is young enough", async () => {
    await read();
    assert.equal((await read({ "x-cache-control": "max-age=3600" })).info.cached, true);
  });

  it("a tool that changes something is never answered from the cache", async () => {
    const turnOn = toolCall(4, "call_service", { domain: "light", service: "turn_on", entity_id: "light.salon_lamp" });
    const before = house.home.services.length;
    for (const _ of [1, 2]) {
      const { bridge_info } = assertBridged(await client.call(turnOn, { "x-cache-control": "max-age=3600" }), 4);
      assert.equal(bridge_info.cached, false);
    }
    assert.equal(house.home.services.length, before + 2);
  });

  it("what is kept for one caller is not given to another", async () => {
    await read();
    const other = await BridgeClient.open(house.http.withKey(await makeKey(house.hub, "other")));
    assert.equal(assertBridged(await other.call(CALL_STATE), 3).bridge_info.cached, false);
  });
});

describe("without X-Session-ID: seed 004's strict JSON-RPC", () => {
  const post = (request: unknown): Promise<Answered> =>
    house.http.post("/mcp/tools/call", request, { "x-priority": "HIGH", "x-request-id": "r", "x-timeout": "5" });

  it("has nothing beside jsonrpc, id and result", async () => {
    for (const id of [1, 0, "", "internal-go-1"]) {
      const { status, text, body } = await post(toolCall(id, "get_presence", {}));
      assert.equal(status, 200, text);
      assert.deepEqual(Object.keys(body).sort(), ["id", "jsonrpc", "result"]);
      assert.deepEqual([body.jsonrpc, body.id], ["2.0", id]);
      assert.match(textIn(body.result), /present/);
    }
  });

  it("has nothing beside jsonrpc, id and error", async () => {
    for (const [request, code] of [
      [toolCall("e", "no_such_tool", {}), -32602],
      [toolCall("e", "set_light_state", { name: "salon" }), -32602],
    ] as const) {
      const { text, body } = await post(request);
      assert.deepEqual(Object.keys(body).sort(), ["error", "id", "jsonrpc"], text);
      assert.deepEqual([body.id, body.error.code], ["e", code]);
    }
  });

  it("names the argument that is missing", async () => {
    const { body } = await post(toolCall(1, "set_light_state", { name: "salon" }));
    assert.match(body.error.message, /^Invalid params: missing required parameter 'on'/);
  });
});
