/** Everything that is asked in a session of the bridge, over a real socket. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { untilLeft } from "../../../test/support/fake-gateway.ts";
import { makeError } from "../../../test/support/make-error.ts";
import { infoOf, type OpenBridge, openBridge } from "../../../test/support/open-bridge.ts";
import type { Answered } from "../../../test/support/open-doors.ts";
import { until } from "../../../test/support/processes.ts";
import type { PassRequest } from "../../core/call.ts";
import { type ErrorCode, type ErrorDetails, ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";

const HOUR_MS = 3_600_000;
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
const CALL = {
  jsonrpc: "2.0",
  id: 3,
  method: "tools/call",
  params: { name: "lamp", arguments: { domain: "light" } },
};
const PLACES = [
  "tools/list",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "prompts/list",
  "prompts/get",
];

let bridge: OpenBridge;
let session: { readonly "x-session-id": string };
beforeEach(async () => {
  bridge = await openBridge();
  session = await bridge.session();
});
afterEach(() => bridge.close());

function call(message: unknown = CALL, headers: Record<string, string> = {}): Promise<Answered> {
  return bridge.post("/mcp/tools/call", message, { ...session, ...headers });
}

function list(headers: Record<string, string> = {}): Promise<Answered> {
  return bridge.post("/mcp/tools/list", LIST, { ...session, ...headers });
}

describe("the list of tools", () => {
  it("comes with what the cache knows of it", async () => {
    const first = await list();
    assert.deepEqual(Object.keys(first.json), ["jsonrpc", "id", "result", "bridge_info"]);
    assert.deepEqual([first.status, first.json["id"], first.json.result], [200, 2, { tools: bridge.gateway.tools }]);
    assert.deepEqual(Object.keys(infoOf(first)), ["cached", "cache_expires", "total_tools"]);
    assert.deepEqual([infoOf(first)["cached"], infoOf(first)["total_tools"]], [false, 1]);
    const second = infoOf(await list({ "x-cache-control": "max-age=60" }));
    assert.equal(second["cached"], true);
    const ahead = Date.parse(String(second["cache_expires"])) - Date.now();
    assert.ok(ahead > 0 && ahead <= 60_000, String(ahead));
    assert.equal(infoOf(await list({ "x-cache-control": "no-cache" }))["cached"], false);
  });

  it("has pages where it is long", async () => {
    bridge.gateway.tools = ["a", "b"].map((name) => ({
      name,
      inputSchema: { type: "object" },
      description: "x".repeat(700_000),
    }));
    const { nextCursor } = (await list()).json.result ?? {};
    assert.equal(nextCursor, "b");
    const message = { ...LIST, params: { cursor: nextCursor } };
    const { json } = await bridge.post("/mcp/tools/list", message, session);
    assert.deepEqual(json.result, { tools: bridge.gateway.tools.slice(1) });
    assert.equal((json["bridge_info"] as { total_tools: number }).total_tools, 2);
  });
});

describe("a call", () => {
  it("comes with what the bridge knows of it", async () => {
    bridge.gateway.answer = async ({ trace }) => {
      assert.ok(trace);
      trace.queuedMs = 12.4;
      return Payload.ofText('{"content":[],"isError":false}');
    };
    const { status, json, headers } = await call(CALL, { "x-request-id": "unique-request-id" });
    const { execution_time_ms, ...info } = json["bridge_info"] as Record<string, unknown>;
    assert.deepEqual([status, json["id"], json.result], [200, 3, { content: [], isError: false }]);
    assert.ok(Number.isInteger(execution_time_ms) && Number(execution_time_ms) >= 0);
    assert.deepEqual(info, {
      queue_wait_ms: 12,
      session_id: session["x-session-id"],
      cached: false,
      request_id: "unique-request-id",
    });
    assert.equal(headers["x-request-id"], "unique-request-id");
  });

  it("counts waiting and working apart", async () => {
    bridge.gateway.answer = async ({ trace }) => {
      if (trace) trace.queuedMs = 60_000;
      return Payload.ofText("{}");
    };
    const { execution_time_ms, queue_wait_ms } = infoOf(await call());
    assert.deepEqual([execution_time_ms, queue_wait_ms], [0, 60_000]);
  });

  it("says that its answer was kept", async () => {
    bridge.gateway.answer = async ({ trace }) => {
      if (trace) trace.cached = true;
      return Payload.ofText("{}");
    };
    assert.equal(infoOf(await call())["cached"], true);
  });

  it("takes its headers to the hub", async () => {
    await call(CALL, { "x-priority": "high", "x-timeout": "7", "x-cache-control": "max-age=9" });
    await call(CALL, { "x-priority": "URGENT", "x-timeout": "soon" });
    const [first, second] = bridge.gateway.calls;
    assert.deepEqual([first?.priority, first?.timeoutMs, first?.freshness], ["HIGH", 7_000, { maxAgeSeconds: 9 }]);
    assert.deepEqual([second?.priority, second?.timeoutMs, second?.freshness], ["MEDIUM", undefined, undefined]);
    assert.deepEqual([first?.tool, first?.args.text, first?.door], ["lamp", '{"domain":"light"}', "bridge"]);
  });

  it("changes no character on the way, neither of params nor of the result", async () => {
    const result = '{ "content":[ ],\n"big":12345678901234567890,"n":1.50 ,"ñ":"\\u00f1" }';
    bridge.gateway.answer = async () => Payload.ofText(result);
    const params = '{"name":"lamp","arguments":{ "big":12345678901234567890 },"_meta":{"x":1.0}}';
    const { text } = await call(`{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":${params}}`);
    assert.ok(text.startsWith(`{"jsonrpc":"2.0","id":1.0,"result":${result},"bridge_info":{`), text);
    assert.equal(bridge.gateway.calls[0]?.params?.text, params);
    assert.equal(bridge.gateway.calls[0]?.args.text, '{ "big":12345678901234567890 }');
  });

  it("needs no arguments", async () => {
    const { status } = await call({ ...CALL, params: { name: "lamp", _meta: { x: 1 } } });
    assert.equal(status, 200);
    assert.deepEqual(
      [bridge.gateway.calls[0]?.args.text, bridge.gateway.calls[0]?.meta?.text, bridge.gateway.calls[0]?.params],
      ["{}", '{"x":1}', undefined],
    );
  });

  it("ends when its caller hangs up", async () => {
    bridge.gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    const cut = new AbortController();
    const headers = { "content-type": "application/json", ...session };
    const address = `${bridge.url}/mcp/tools/call`;
    const gone = fetch(address, { method: "POST", headers, body: JSON.stringify(CALL), signal: cut.signal });
    await until("the call has reached the hub", () => bridge.gateway.calls.length === 1);
    cut.abort();
    await assert.rejects(gone);
    await until("the call is cancelled", () => bridge.gateway.calls[0]?.signal?.aborted === true);
    assert.equal((await list()).status, 200, "the session lives on");
  });

  it("that the hub itself ends is answered", async () => {
    bridge.gateway.answer = () => Promise.reject(new ZaguanError("CANCELLED"));
    const { status, json } = await call();
    assert.deepEqual([status, json.error?.code], [503, -32004]);
  });
});

describe("prompts and resources", () => {
  beforeEach(() => {
    bridge.gateway.offers.register("house");
    bridge.gateway.offers.set("house", {
      prompts: [{ name: "greet" }],
      resources: [{ uri: "house://lamp" }],
      resourceTemplates: [{ uriTemplate: "house://{room}" }],
    });
  });

  for (const [place, params, result] of [
    ["prompts/list", {}, { prompts: [{ name: "greet" }] }],
    ["resources/list", {}, { resources: [{ uri: "house://lamp" }] }],
    ["resources/templates/list", {}, { resourceTemplates: [{ uriTemplate: "house://{room}" }] }],
    ["prompts/get", { name: "greet" }, { of: "prompts/get" }],
    ["resources/read", { uri: "house://lamp" }, { of: "resources/read" }],
  ] as const) {
    it(`${place} is answered as tools are`, async () => {
      let asked: PassRequest | undefined;
      bridge.gateway.passAnswer = async (request) => {
        asked = request;
        return Payload.ofValue({ of: request.method });
      };
      const message = { jsonrpc: "2.0", id: "r", method: place, params };
      const how = { "x-request-id": "q", "x-priority": "LOW", "x-timeout": "7" };
      const { status, json } = await bridge.post(`/mcp/${place}`, message, { ...session, ...how });
      assert.deepEqual([status, json["id"], json.result], [200, "r", result]);
      const { execution_time_ms, ...info } = json["bridge_info"] as Record<string, unknown>;
      assert.ok(Number.isInteger(execution_time_ms));
      const { "x-session-id": session_id } = session;
      assert.deepEqual(info, { queue_wait_ms: 0, session_id, cached: false, request_id: "q" });
      if (asked) assert.deepEqual([asked.priority, asked.timeoutMs], ["LOW", 7_000]);
    });
  }
});

describe("a session that is not there", () => {
  it("is answered as in the seed's example", async () => {
    await call();
    bridge.laterMs = HOUR_MS + 2_000;
    const { status, json } = await call({ ...CALL, id: 1 }, { "x-request-id": "req-12345" });
    assert.deepEqual([status, json["jsonrpc"], json["id"]], [404, "2.0", 1]);
    assert.deepEqual([json.error?.code, json.error?.message], [-32001, "Session expired"]);
    const { session_id, expired_at, suggestion } = json.error?.data ?? {};
    assert.equal(session_id, session["x-session-id"]);
    assert.match(String(expired_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(suggestion, "Call /mcp/initialize to create a new session");
    const { timestamp, request_id } = json["bridge_info"] as Record<string, string>;
    assert.ok(Math.abs(Date.parse(timestamp ?? "") - Date.now()) < 60_000);
    assert.equal(request_id, "req-12345");
  });

  it("says so in the caller's language", async () => {
    const { json } = await call(CALL, { "x-session-id": "never", "accept-language": "fr" });
    assert.equal(json.error?.message, "Session expirée");
    assert.match(String(json.error?.data["suggestion"]), /^Appelez \/mcp\/initialize/);
  });

  it("is also one that belongs to somebody else, or was never opened", async () => {
    const others: Record<string, string>[] = [
      { "x-api-key": "alice" },
      { "x-session-id": "never" },
      { "x-session-id": "" },
    ];
    for (const headers of others) {
      for (const place of ["tools/call", ...PLACES]) {
        const { status, json } = await bridge.post(
          `/mcp/${place}`,
          { jsonrpc: "2.0", id: 5, method: place },
          { ...session, ...headers },
        );
        assert.deepEqual([status, json["id"], json.error?.code], [404, 5, -32001], place);
        assert.equal(json.error?.data["expired_at"], undefined);
      }
    }
    assert.equal(bridge.gateway.calls.length, 0);
  });

  it("is asked for by name where the header is missing", async () => {
    for (const place of PLACES) {
      const { status, json } = await bridge.post(`/mcp/${place}`, { jsonrpc: "2.0", id: 5, method: place });
      assert.deepEqual([status, json["id"], json.error?.code], [400, 5, -32600], place);
      assert.match(json.error?.message ?? "", /X-Session-ID.*\/mcp\/initialize/);
    }
  });
});

describe("a failure", () => {
  /** The contract's table. */
  const failures: readonly (readonly [ErrorCode, ErrorDetails, status: number, code: number])[] = [
    ["UNKNOWN_TOOL", { params: { tool: "x" } }, 400, -32602],
    ["INVALID_ARGUMENT", { params: { reason: "missing required parameter 'q'" } }, 400, -32602],
    ["NO_CAPACITY", { retryAfterMs: 2_500, data: { queue_size: 9, estimated_wait_ms: 2_500 } }, 503, -32000],
    ["QUEUE_TIMEOUT", { delivery: "not_sent" }, 504, -32002],
    ["RATE_LIMITED", { retryAfterMs: 1_000 }, 429, -32003],
    ["SOURCE_UNAVAILABLE", {}, 503, -32004],
    ["OUTCOME_UNKNOWN", { delivery: "unknown" }, 502, -32004],
  ];
  for (const [code, details, status, number] of failures) {
    it(`${code} is ${number} (${status})`, async () => {
      bridge.gateway.answer = () => Promise.reject(makeError(code, details));
      const { status: seen, json, headers } = await call({ ...CALL, id: "abc" });
      assert.deepEqual([seen, json["id"], json.error?.code], [status, "abc", number]);
      assert.equal(json.error?.data["code"], code);
      assert.deepEqual(Object.keys(json["bridge_info"] as object), ["timestamp", "request_id"]);
      const seconds = details.retryAfterMs === undefined ? undefined : String(Math.ceil(details.retryAfterMs / 1_000));
      assert.equal(headers["retry-after"], seconds);
    });
  }

  it("of the tool itself is a result", async () => {
    bridge.gateway.answer = async () => Payload.ofText('{"content":[],"isError":true}');
    const { status, json } = await call();
    assert.deepEqual([status, json.result], [200, { content: [], isError: true }]);
  });

  it("that nobody expected is told by a reference alone", async () => {
    bridge.gateway.answer = () => Promise.reject(new Error("/srv/secret"));
    const { status, json, text } = await call();
    assert.deepEqual([status, json.error?.code, bridge.reported.length], [500, -32603, 1]);
    assert.doesNotMatch(text, /secret/);
  });

  for (const [what, body, status, code, id] of [
    ["no JSON", "{", 400, -32700, null],
    ["no object", "[]", 400, -32600, null],
    ["another method", { ...CALL, method: "tools/list" }, 400, -32600, 3],
    ["a method that there is not", { ...CALL, method: "tools/lost" }, 404, -32601, 3],
    ["no method", { ...CALL, method: undefined }, 400, -32600, 3],
    ["no name", { ...CALL, params: {} }, 400, -32602, 3],
    ["arguments that are no object", { ...CALL, params: { name: "lamp", arguments: 1 } }, 400, -32602, 3],
  ] as const) {
    it(`${what} is ${code}`, async () => {
      const { status: seen, json } = await call(body);
      assert.deepEqual([seen, json.error?.code, json["id"]], [status, code, id]);
      assert.match(String((json["bridge_info"] as { request_id: string }).request_id), /^req-/);
      assert.equal(bridge.gateway.calls.length, 0);
    });
  }

  it("before any door was reached is worded by the bridge too", async () => {
    const headers = { ...session, "content-type": "text/plain", "x-request-id": "r" };
    const { status, json } = await bridge.ask("/mcp/tools/call", { method: "POST", headers, body: "{}" });
    assert.deepEqual([status, (json["bridge_info"] as { request_id: string }).request_id], [415, "r"]);
    assert.equal((await bridge.ask("/mcp/initialize")).status, 405);
    const nobody = await bridge.initialize({}, { "x-api-key": "wrong" });
    assert.deepEqual([nobody.status, nobody.headers["www-authenticate"]], [401, "Bearer"]);
  });
});
