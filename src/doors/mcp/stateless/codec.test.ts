import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, it } from "node:test";
import { untilLeft } from "../../../../test/support/fake-gateway.ts";
import { makeTool } from "../../../../test/support/make-call.ts";
import { makeError } from "../../../../test/support/make-error.ts";
import { type Answered, type Asked, type OpenDoors, openDoors, rpc } from "../../../../test/support/open-doors.ts";
import { until } from "../../../../test/support/processes.ts";
import { type ErrorCode, type ErrorDetails, ZaguanError } from "../../../errors.ts";
import { Payload } from "../../../protocol/json/payload.ts";
import { NAME, VERSION } from "../../../version.ts";
import { streamableHttp } from "../../streamable-http.ts";
import { CAPABILITIES } from "../self.ts";

const KEY = "io.modelcontextprotocol/";
const META = { [`${KEY}protocolVersion`]: "2026-07-28", [`${KEY}clientCapabilities`]: {} };
const SELF = { [`${KEY}serverInfo`]: { name: NAME, title: "Zaguan", version: VERSION } };
const CALL = { method: "tools/call", params: { name: "lamp" } };

let doors: OpenDoors;
beforeEach(async () => {
  doors = await openDoors([streamableHttp], { limits: { sessions: 2 } });
});
afterEach(() => doors.close());

describe("server/discover", () => {
  it("tells the versions, what we can do and who we are", async () => {
    const { status, json, headers } = await ask({ method: "server/discover" });
    const { instructions, ...result } = json.result ?? {};
    assert.equal(status, 200);
    assert.ok(typeof instructions === "string" && instructions !== "");
    assert.deepEqual(result, {
      resultType: "complete",
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
      capabilities: CAPABILITIES,
      ttlMs: 60_000,
      cacheScope: "private",
      _meta: SELF,
    });
    assert.equal(headers["mcp-session-id"], undefined);
  });
});

describe("tools/list", () => {
  it("shows the tools, complete and for this caller alone", async () => {
    const { status, json } = await ask({ method: "tools/list" });
    const { tools } = doors.gateway;
    const expected = { resultType: "complete", ttlMs: 0, cacheScope: "private", _meta: SELF, tools };
    assert.deepEqual([status, json.result], [200, expected]);
  });

  it("goes on at a cursor, and refuses one that we never gave", async () => {
    doors.gateway.tools = ["a", "b"].map((name) => makeTool(name, { description: "x".repeat(600_000) }));
    const { json } = await ask({ method: "tools/list" });
    assert.equal(json.result?.["nextCursor"], "b");
    const second = await ask({ method: "tools/list", params: { cursor: "b" } });
    assert.deepEqual(second.json.result?.["tools"], doors.gateway.tools.slice(1));
    failed(await ask({ method: "tools/list", params: { cursor: "c" } }), 200, -32602, "INVALID_PARAMS");
  });
});

describe("tools/call", () => {
  it("gives the source's result as it was written, marked as complete", async () => {
    const written = '{ "content": [{"type":"new","n":12345678901234567890}], "z": 1.0, "a": 1e2 }';
    doors.gateway.answer = async () => Payload.ofText(written);
    const { status, text } = await ask(CALL, {}, '"my id"');
    assert.equal(status, 200);
    const stamp = `"resultType":"complete","_meta":${JSON.stringify(SELF)},`;
    assert.equal(text, `{"jsonrpc":"2.0","id":"my id","result":{${stamp}${written.slice(1)}}`);
  });

  it("leaves a result that says itself what it is", async () => {
    const written = '{"resultType":"input_required","requestState":"s","_meta":{}}';
    doors.gateway.answer = async () => Payload.ofText(written);
    assert.equal((await ask(CALL)).text, `{"jsonrpc":"2.0","id":1,"result":${written}}`);
  });

  it("asks the hub in the caller's name, with everything as it was written", async () => {
    const params = `{"name":"lamp","arguments":{"n":1.0},"_meta":{"traceparent":"t",${JSON.stringify(META).slice(1)}}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    await doors.ask("/mcp", rpc(body, { ...headersOf(CALL), "x-api-key": "ana" }));
    const [call] = doors.gateway.calls;
    assert.deepEqual([call?.tool, call?.principal.id, call?.door], ["lamp", "key:ana", "mcp"]);
    assert.deepEqual([call?.args.text, call?.params?.text], ['{"n":1.0}', params]);
  });

  it("needs a name, and arguments that are an object", async () => {
    const headers = { "mcp-name": "lamp" };
    failed(await ask({ method: "tools/call", params: {} }, headers), 200, -32602, "INVALID_PARAMS");
    const odd = { method: "tools/call", params: { name: "lamp", arguments: [] } };
    failed(await ask(odd), 200, -32602, "INVALID_PARAMS");
    assert.equal(doors.gateway.calls.length, 0);
  });

  const failures: readonly (readonly [ErrorCode, ErrorDetails, status: number, code: number])[] = [
    ["UNKNOWN_TOOL", { params: { tool: "x" } }, 200, -32602],
    ["RATE_LIMITED", { retryAfterMs: 1_500 }, 429, 1429],
    ["NO_CAPACITY", { retryAfterMs: 2_500 }, 503, 1503],
    ["SOURCE_UNAVAILABLE", {}, 503, 1503],
    ["QUEUE_TIMEOUT", { delivery: "not_sent" }, 504, 1504],
    ["DEADLINE_EXCEEDED", { delivery: "unknown" }, 504, 1504],
    ["SOURCE_ERROR", { relayed: { code: -32002, message: "gone" } }, 200, -32602],
    // By the hub, not by the caller, who is told therefore.
    ["CANCELLED", {}, 503, 1503],
  ];
  for (const [code, details, status, number] of failures) {
    it(`that fails with ${code} is ${number} (${status})`, async () => {
      doors.gateway.answer = () => Promise.reject(makeError(code, details));
      const answer = await ask(CALL);
      failed(answer, status, number, code === "CANCELLED" ? "SOURCE_UNAVAILABLE" : code);
      const seconds = details.retryAfterMs === undefined ? undefined : String(Math.ceil(details.retryAfterMs / 1_000));
      assert.equal(answer.headers["retry-after"], seconds);
    });
  }

  it("with wrong arguments is a result for the model to see", async () => {
    doors.gateway.answer = () => Promise.reject(new ZaguanError("INVALID_ARGUMENT", { params: { reason: "no 'on'" } }));
    const { status, json } = await ask(CALL);
    const content = [{ type: "text", text: "Invalid params: no 'on'" }];
    // Not the tool's own words, and marked so.
    const _meta = { ...SELF, "zaguan/refused": { code: "INVALID_ARGUMENT" } };
    assert.deepEqual([status, json.result], [200, { resultType: "complete", _meta, content, isError: true }]);
  });

  it("that fails unexpectedly tells a reference and nothing else", async () => {
    doors.gateway.answer = () => Promise.reject(new Error("/srv/secret"));
    const answer = await ask(CALL);
    failed(answer, 200, -32603, "INTERNAL");
    assert.match(answer.text, /ref-1/);
    assert.doesNotMatch(answer.text, /secret/);
  });

  it("is cancelled by hanging up", async () => {
    doors.gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    const left = new AbortController();
    const { body, headers } = asked(CALL);
    const request = { method: "POST", headers, body, signal: left.signal } as RequestInit;
    const answer = fetch(`${doors.url}/mcp`, request).catch(() => {});
    await until("the call runs", () => doors.gateway.calls.length === 1);
    assert.equal(doors.gateway.calls[0]?.signal?.aborted, false);
    left.abort();
    await answer;
    await until("the call ends", () => doors.gateway.calls[0]?.signal?.aborted === true);
  });
});

describe("progress", () => {
  beforeEach(() => {
    doors.gateway.answer = async ({ onProgress }) => {
      onProgress?.(Payload.ofText('{"progressToken":77,"progress":0.5}'));
      return Payload.ofText('{"content":[]}');
    };
  });

  it("comes before the result, under the caller's token, where the caller gave one", async () => {
    const params = { name: "lamp", _meta: { progressToken: "mine" } };
    const { status, headers, text } = await ask({ method: "tools/call", params });
    assert.deepEqual([status, headers["content-type"]], [200, "text/event-stream"]);
    assert.deepEqual(messagesIn(text), [
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "mine", progress: 0.5 } },
      { jsonrpc: "2.0", id: 1, result: { resultType: "complete", _meta: SELF, content: [] } },
    ]);
  });

  it("is not told to others, nor to who cannot read a stream", async () => {
    const asking = { method: "tools/call", params: { name: "lamp", _meta: { progressToken: "mine" } } };
    for (const answer of [await ask(CALL), await ask(asking, { accept: "application/json" })]) {
      assert.deepEqual([answer.headers["content-type"], answer.json.result?.["content"]], ["application/json", []]);
    }
  });
});

describe("headers", () => {
  const refused: readonly (readonly [what: string, headers: Record<string, string | undefined>, code: number])[] = [
    ["without Mcp-Method", { "mcp-method": undefined }, -32020],
    ["without Mcp-Name", { "mcp-name": undefined }, -32020],
    ["without a version", { "mcp-protocol-version": undefined }, -32020],
    ["with another version", { "mcp-protocol-version": "2025-11-25" }, -32020],
    ["with another name", { "mcp-name": "door" }, -32020],
  ];
  for (const [what, headers, code] of refused) {
    it(`a call ${what} is ${code} and never runs`, async () => {
      failed(await ask(CALL, headers), 400, code, "HEADER_MISMATCH");
      assert.equal(doors.gateway.calls.length, 0);
    });
  }

  it("in any case, and encoded where the name asks for it", async () => {
    const call = { method: "tools/call", params: { name: "lámpara" } };
    const encoded = `=?base64?${Buffer.from("lámpara").toString("base64")}?=`;
    const { status } = await ask(call, { "mcp-name": undefined, "MCP-NAME": encoded });
    assert.deepEqual([status, doors.gateway.calls[0]?.tool], [200, "lámpara"]);
  });

  it("that a tool wants for an argument must say what the argument says; others are ignored", async () => {
    const level = { type: "integer", "x-mcp-header": "Level" };
    doors.gateway.tools = [makeTool("lamp", { inputSchema: { type: "object", properties: { level } } })];
    const call = { method: "tools/call", params: { name: "lamp", arguments: { level: 3 } } };
    for (const name of ["lamp", "house__lamp"]) {
      const named = { ...call, params: { ...call.params, name } };
      const other = { "mcp-param-other": "x" };
      failed(await ask(named, other), 400, -32020, "HEADER_MISMATCH");
      failed(await ask(named, { ...other, "mcp-param-level": "4" }), 400, -32020, "HEADER_MISMATCH");
      assert.equal((await ask(named, { ...other, "Mcp-Param-Level": "3.0" })).status, 200);
    }
    assert.equal((await ask(CALL)).status, 200);
    assert.equal(doors.gateway.calls.length, 3);
  });
});

describe("prompts, resources and tasks", () => {
  it("are listed with the hints that the revision wants", async () => {
    doors.gateway.offers.set("files", { resources: [{ uri: "f:1" }] });
    const { json } = await ask({ method: "resources/list" });
    const hints = { resultType: "complete", ttlMs: 0, cacheScope: "private", _meta: SELF };
    assert.deepEqual(json.result, { ...hints, resources: [{ uri: "f:1" }] });
  });

  it("are asked of their source, and a missing one is an invalid parameter", async () => {
    doors.gateway.offers.set("files", { resources: [{ uri: "f:1" }], prompts: [] });
    doors.gateway.offers.set("more", { resources: [] });
    const read = (uri: string) => ask({ method: "resources/read", params: { uri } }, { "mcp-name": uri });
    assert.equal((await read("f:1")).json.result?.["resultType"], "complete");
    assert.equal(doors.gateway.passed[0]?.source, "files");
    assert.equal((await read("g:1")).json.error?.code, -32602);
  });

  it("of a task only the source that began it is asked, and only for the principal it was begun for", async () => {
    doors.gateway.offers.begun("work", { id: "local", kind: "local", name: "local" }, "t1");
    const get = (key?: string) => {
      const headers = { "mcp-name": "t1", ...(key && { "x-api-key": key }) };
      return ask({ method: "tasks/get", params: { taskId: "t1" } }, headers);
    };
    assert.equal((await get()).status, 200);
    assert.equal(doors.gateway.passed[0]?.source, "work");
    assert.equal((await get("ana")).json.error?.code, -32602);
  });
});

describe("what is refused", () => {
  const gone = [
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "tasks/result",
  ];
  for (const method of [...gone, "no/such", "constructor"]) {
    it(`${method} is not found`, async () => {
      const answer = await ask({ method });
      failed(answer, 404, -32601, "UNKNOWN_METHOD");
      assert.equal(answer.headers["mcp-session-id"], undefined);
    });
  }

  it("a request without its envelope", async () => {
    const bare = { jsonrpc: "2.0", id: 7, method: "tools/list" };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
    failed(await doors.ask("/mcp", rpc(bare, headers)), 400, -32602, "INVALID_PARAMS", 7);
  });

  it("a version that we do not speak, with those that we do", async () => {
    const params = { _meta: { [`${KEY}protocolVersion`]: "2030-01-01" } };
    const answer = await ask({ method: "tools/list", params }, { "mcp-protocol-version": "2030-01-01" });
    failed(answer, 400, -32022, "UNSUPPORTED_VERSION");
    assert.equal(answer.json.error?.data["requested"], "2030-01-01");
    assert.match(String(answer.json.error?.data["supported"]), /^2026-07-28,2025-11-25,/);
  });

  it("what is no JSON or no request", async () => {
    const headers = { "mcp-protocol-version": "2026-07-28" };
    failed(await doors.ask("/mcp", rpc("{", headers)), 400, -32700, "BAD_JSON", null);
    failed(await doors.ask("/mcp", rpc({ jsonrpc: "2.0", id: 1, result: {} }, headers)), 400, -32600, "BAD_REQUEST");
  });

  it("everything but POST, whatever session is named", async () => {
    const headers = { "mcp-protocol-version": "2026-07-28", accept: "text/event-stream", "mcp-session-id": "any" };
    for (const method of ["GET", "DELETE"]) {
      const { status, headers: answered } = await doors.ask("/mcp", { method, headers });
      assert.deepEqual([status, answered.allow], [405, "POST"]);
    }
  });
});

describe("what is taken", () => {
  it("a session's id, without looking at it", async () => {
    assert.equal((await ask(CALL, { "mcp-session-id": "never heard of" })).status, 200);
  });

  it("notifications, without a word", async () => {
    const params = { requestId: 1, _meta: META };
    const message = { jsonrpc: "2.0", method: "notifications/cancelled", params };
    const { status, text } = await doors.ask("/mcp", rpc(message, { "mcp-protocol-version": "2026-07-28" }));
    assert.deepEqual([status, text], [202, ""]);
  });

  it("the older revisions beside it, on the same path", async () => {
    const older = { jsonrpc: "2.0", id: 1, method: "ping" };
    assert.equal((await doors.ask("/mcp", rpc(older))).text, '{"jsonrpc":"2.0","id":1,"result":{}}');
    const begin = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2026-07-28" } };
    const { json, headers } = await doors.ask("/mcp", rpc(begin));
    assert.equal(json.result?.["protocolVersion"], "2025-11-25");
    assert.ok(headers["mcp-session-id"]);
  });
});

describe("subscriptions/listen", () => {
  const TOOLS = { notifications: { toolsListChanged: true } };
  const subscription = { [`${KEY}subscriptionId`]: "sub 1" };
  const acknowledged = "notifications/subscriptions/acknowledged";

  it("says first what it will tell, then tells it, each time with the request's id", async () => {
    const { notifications } = TOOLS;
    const wanted = { ...notifications, promptsListChanged: false, resourceSubscriptions: ["a:b"] };
    const stream = await listen({ notifications: wanted });
    assert.equal(stream.response.headers["content-type"], "text/event-stream");
    doors.gateway.toolsChanged();
    await until("it is told", () => messagesIn(stream.text()).length === 2);
    assert.deepEqual(messagesIn(stream.text()), [
      { jsonrpc: "2.0", method: acknowledged, params: { _meta: subscription, notifications } },
      { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta: subscription } },
    ]);
  });

  it("ends at once where there is nothing that we could tell", async () => {
    const stream = await listen({ notifications: { nonsense: true, toolsListChanged: false } });
    await until("the end", () => stream.response.readableEnded);
    assert.deepEqual(messagesIn(stream.text()), [
      { jsonrpc: "2.0", method: acknowledged, params: { _meta: subscription, notifications: {} } },
      { jsonrpc: "2.0", id: "sub 1", result: { resultType: "complete", _meta: subscription } },
    ]);
  });

  it("is over when the client hangs up", async () => {
    const before = doors.gateway.listeners.size;
    const stream = await listen(TOOLS);
    assert.equal(doors.gateway.listeners.size, before + 1);
    stream.response.destroy();
    await until("nobody listens", () => doors.gateway.listeners.size === before);
  });

  it("ends with a result when we close", async () => {
    const stream = await listen(TOOLS);
    await doors.close();
    await until("the end", () => stream.response.readableEnded);
    const result = { resultType: "complete", _meta: subscription };
    assert.deepEqual(messagesIn(stream.text()).at(-1), { jsonrpc: "2.0", id: "sub 1", result });
    assert.equal(doors.gateway.listeners.size, 0);
    doors = await openDoors([streamableHttp]);
  });

  it("is refused without a filter, and where too many listen already", async () => {
    failed(await ask({ method: "subscriptions/listen" }), 200, -32602, "INVALID_PARAMS");
    for (let n = 0; n < 2; n++) await listen(TOOLS);
    failed(await ask({ method: "subscriptions/listen", params: TOOLS }), 503, 1503, "NO_CAPACITY");
  });

  it("makes room again by hanging up", async () => {
    const before = doors.gateway.listeners.size;
    for (let n = 0; n < 5; n++) {
      (await listen(TOOLS)).response.destroy();
      await until("nobody listens", () => doors.gateway.listeners.size === before);
    }
  });

  async function listen(
    params: Message["params"] & object,
  ): Promise<{ response: IncomingMessage; text: () => string }> {
    const response = await doors.begin("/mcp", asked({ method: "subscriptions/listen", params }, {}, '"sub 1"'));
    assert.equal(response.statusCode, 200);
    let text = "";
    response.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    response.on("error", () => {});
    return { response, text: () => text };
  }
});

interface Message {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

function ask(message: Message, headers: Record<string, string | undefined> = {}, id = "1"): Promise<Answered> {
  return doors.ask("/mcp", asked(message, headers, id));
}

/** A request with its envelope and the headers that belong to it; undefined takes one away. */
function asked({ method, params = {} }: Message, headers: Record<string, string | undefined> = {}, id = "1"): Asked {
  const _meta = { ...META, ...(params["_meta"] as object | undefined) };
  const body = JSON.stringify({ jsonrpc: "2.0", id: "ID", method, params: { ...params, _meta } }).replace('"ID"', id);
  const all = Object.entries({ ...headersOf({ method, params }), ...headers });
  return rpc(body, Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined)));
}

function headersOf({ method, params }: Message): Record<string, string> {
  const name = params?.["name"];
  return {
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof name === "string" && /^[ -~]*$/.test(name) ? { "mcp-name": name } : {}),
  };
}

function failed({ status, json }: Answered, http: number, code: number, name: ErrorCode, id: unknown = 1): void {
  assert.deepEqual([status, json.error?.code, json.error?.data["code"]], [http, code, name]);
  assert.equal(json["id"], id);
}

function messagesIn(text: string): unknown[] {
  const events = text.split("\n\n").filter((event) => event.includes("data: "));
  return events.map((event) => JSON.parse(event.split("data: ")[1] ?? ""));
}
