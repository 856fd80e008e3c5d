/**
 * Seed 004's `POST /mcp/tools/call` as a test: the printed request and answer, the printed error, every code of its table
 * that can be brought about from outside, and what the weather service saw of it. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  assertError,
  assertResult,
  assertText,
  assertToolFailed,
  clima4,
  created,
  type OpenWeather,
  openWeather,
  PRINTED_CALL,
  PRINTED_ERROR,
  PRINTED_TEXT,
  parameter,
} from "../support/seed-004.ts";
import { weatherIn } from "../support/weather-api.ts";

const ARGS = PRINTED_CALL.params.arguments;

let house: OpenWeather;
before(async () => {
  house = await openWeather();
  created(await house.tools.post(clima4()));
  await house.tools.add("rota", "/v1/broken.json");
  await house.tools.add("texto", "/v1/text", { parameters: [] });
  const parameters = [parameter("n", { type: "NUMBER", required: true })];
  await house.tools.add("contar", "/v1/echo", { httpMethod: "POST", parameters });
});
after(() => house?.stop());
beforeEach(() => house.weather.forget());

describe("POST /mcp/tools/call", () => {
  it("answers the printed request with the printed text", async () => {
    const answer = await house.tools.http.post("/mcp/tools/call", PRINTED_CALL);
    assert.equal(assertText(answer, "1"), PRINTED_TEXT);
    const beyond = Object.keys(answer.body.result).filter(
      (key) => !["content", "isError", "structuredContent"].includes(key),
    );
    assert.deepEqual(beyond, []);
  });

  it("asks the service once, with the arguments as its query", async () => {
    await house.tools.http.post("/mcp/tools/call", PRINTED_CALL);
    assert.equal(house.weather.received.length, 1);
    const { method, path, query, body } = house.weather.last;
    assert.deepEqual([method, path, body], ["GET", "/v1/current.json", ""]);
    assert.deepEqual(Object.fromEntries(query), ARGS);
  });

  it("has the answer as structured content too, at the door of MCP", async () => {
    const { body } = await house.tools.http.call("/mcp", "clima4", ARGS);
    assert.deepEqual(body.result.structuredContent, JSON.parse(PRINTED_TEXT));
    assert.equal(body.result.content[0].text, PRINTED_TEXT);
  });

  it("gives a text that is no JSON as it came", async () => {
    assert.equal(assertText(await house.tools.call("texto", {}), "1"), "soleado");
  });

  for (const id of ["1", "", "internal-go-1", 0, 7, -1, 9_007_199_254_740_991]) {
    it(`echoes the id ${JSON.stringify(id)} as it came`, async () => {
      assertResult(await house.tools.call("clima4", ARGS, id), id);
      assertError(await house.tools.call("clima4", {}, id), -32602, id);
    });
  }

  it("takes a capital Jsonrpc, further params and headers of other bridges", async () => {
    const { jsonrpc: Jsonrpc, ...rest } = PRINTED_CALL;
    assertText(await house.tools.http.post("/mcp/tools/call", { Jsonrpc, ...rest }), "1");
    const params = { ...PRINTED_CALL.params, _meta: { trace: "x" } };
    const headers = { "x-priority": "HIGH", "x-request-id": "r", accept: "*/*" };
    assertText(await house.tools.http.post("/mcp/tools/call", { ...PRINTED_CALL, params }, headers), "1");
  });

  it("keeps simultaneous calls apart", async () => {
    const cities = Array.from({ length: 20 }, (_, index) => `Ciudad ${index}`);
    const answers = await Promise.all(cities.map((q, index) => house.tools.call("clima4", { ...ARGS, q }, index)));
    for (const [index, answer] of answers.entries()) {
      assert.equal(assertText(answer, index), weatherIn(cities[index] ?? ""));
    }
  });

  it("is the bridge of seed 003 as soon as there is a session", async () => {
    const opened = await house.tools.http.post("/mcp/initialize", {
      protocolVersion: "2024-11-05",
      capabilities: {},
      clientInfo: { name: "http-client", version: "1.0.0" },
    });
    const session = { "x-session-id": opened.body.result.session_id };
    const { body, text } = await house.tools.http.post("/mcp/tools/call", PRINTED_CALL, session);
    assert.equal(body.result.content[0].text, PRINTED_TEXT, text);
    assert.ok(body.bridge_info, text);
  });
});

describe("Códigos de Error JSON-RPC 2.0", () => {
  it("a missing q is the printed error, and nothing is sent", async () => {
    const { code, message } = assertError(await house.tools.call("clima4", { key: "abc123" }), -32602, "1");
    assert.deepEqual({ code, message }, PRINTED_ERROR);
    assert.deepEqual(house.weather.received, []);
  });

  it("arguments that are absent or null are none", async () => {
    for (const params of [{ name: "clima4" }, { name: "clima4", arguments: null }]) {
      const { message } = assertError(
        await house.tools.http.post("/mcp/tools/call", { ...PRINTED_CALL, params }),
        -32602,
        "1",
      );
      assert.match(message, /^Invalid params: missing required parameters q, key$/);
    }
    assertText(await house.tools.http.post("/mcp/tools/call", { ...PRINTED_CALL, params: { name: "texto" } }), "1");
  });

  it("an argument of another type is -32602 and named", async () => {
    const { message } = assertError(await house.tools.call("contar", { n: "tres" }), -32602, "1");
    assert.match(message, /^Invalid params: .*\bn\b/);
    assert.deepEqual(house.weather.received, []);
  });

  it("an unknown tool is -32602 and named", async () => {
    const { message } = assertError(await house.tools.call("no_such_tool", {}), -32602, "1");
    assert.match(message, /no_such_tool/);
  });

  for (const [what, request, code, id] of [
    ["JSON malformado", '{"jsonrpc":"2.0",', -32700, null],
    ["nothing at all", "", -32700, null],
    ["no method", '{"jsonrpc":"2.0","id":"1"}', -32600, "1"],
    ["another version", '{"jsonrpc":"1.0","id":"1","method":"tools/call"}', -32600, "1"],
    ["no object", "7", -32600, null],
    ["an unknown method", '{"jsonrpc":"2.0","id":"1","method":"tools/lost"}', -32601, "1"],
    ["no params", '{"jsonrpc":"2.0","id":"1","method":"tools/call"}', -32602, "1"],
    ["no name", '{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"arguments":{}}}', -32602, "1"],
    [
      "arguments that are a list",
      '{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"clima4","arguments":[]}}',
      -32602,
      "1",
    ],
  ] as const) {
    it(`${what} is ${code}`, async () => {
      const answer = await house.tools.http.post("/mcp/tools/call", request);
      const { message } = assertError(answer, code, id);
      if (code === -32602) assert.match(message, /^Invalid params/);
    });
  }

  it("an upstream 500 is a tool that failed: its status and what it said, and it is asked no more than thrice", async () => {
    const text = assertToolFailed(await house.tools.call("rota", { q: "x" }), "1");
    assert.match(text, /500/);
    assert.match(text, /Internal application error/);
    assert.ok(house.weather.received.length <= 3, String(house.weather.received.length));
  });

  it("an upstream 500 to a POST is not asked again", async () => {
    await house.tools.add("rota-post", "/v1/broken.json", { httpMethod: "POST" });
    assert.match(assertToolFailed(await house.tools.call("rota-post", { q: "x" }), "1"), /500/);
    assert.equal(house.weather.received.length, 1);
  });

  it("an upstream 404 is a tool that failed too", async () => {
    await house.tools.add("perdida", "/v2/nothing.json");
    assert.match(assertToolFailed(await house.tools.call("perdida", { q: "x" }), "1"), /404/);
  });
});
