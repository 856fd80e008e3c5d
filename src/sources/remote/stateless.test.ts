import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { cleanUp, failure, json, until } from "../../../test/support/http-house.ts";
import { makeCaller } from "../../../test/support/make-call.ts";
import {
  callerOf,
  type Heard,
  hearing,
  never,
  pass,
  realClock,
  request,
  textOf,
} from "../../../test/support/source-side.ts";
import { HttpStub2026, refuse } from "../../../test/support/stub-2026-http.ts";
import { ZaguanError } from "../../errors.ts";
import { sayEnding } from "../../link/ending.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { EraMemory } from "../mcp-client/era-memory.ts";
import type { Connection } from "../source.ts";
import { TransportMemory } from "./options.ts";
import { type RemoteConnection, remote } from "./remote.ts";

const CLIENT = "io.modelcontextprotocol/";

let stub: HttpStub2026;
let heard: Heard;
let connection: Connection;
const cleanups: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  stub = await new HttpStub2026().start();
  heard = hearing("casa", realClock());
});

afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
  await cleanUp();
});

describe("a server of 2026-07-28 over HTTP", () => {
  it("is known by its greeting; there is no session, no other method of HTTP, and nothing said of the older era", async () => {
    await connect();
    await connection.listTools(never);
    await connection.request(request("echo"));
    await connection.close();
    assert.equal((connection as RemoteConnection).transport, "Streamable HTTP 2026-07-28");
    assert.deepEqual(connection.face?.serverInfo, { name: "stub", version: "1" });
    assert.ok(stub.house.seen.every(({ method, headers }) => method === "POST" && !headers["mcp-session-id"]));
    assert.equal(stub.asked("initialize").length, 0);
    assert.equal(stub.asked("notifications/initialized").length, 0);
  });

  it("hears with every request who asks and what that can do", async () => {
    await connect();
    const asked = [
      request("echo"),
      request("echo", { caller: callerOf(() => "", { logLevel: "warning" }) }),
      request("echo", { caller: callerOf(() => "", { canBeAsked: false }) }),
      request("echo", { caller: callerOf(() => "", { info: Payload.ofText('{"name":"without a version"}') }) }),
      request("echo", { caller: callerOf(() => "", { comesAgain: true }) }),
    ];
    for (const each of asked) await connection.request(each);
    const said = stub.asked("tools/call").map(({ params }) => params._meta);
    assert.deepEqual(
      said.map((meta) => [
        meta[`${CLIENT}clientInfo`].name,
        meta[`${CLIENT}clientCapabilities`],
        meta[`${CLIENT}logLevel`],
      ]),
      [
        ["zaguan", {}, undefined],
        ["their client", { elicitation: {}, roots: {} }, "warning"],
        // A client with a handshake is told of everything from "info" on until it names a level.
        ["their client", {}, "info"],
        ["zaguan", { elicitation: {}, roots: {} }, "info"],
        ["their client", { elicitation: {}, roots: {} }, undefined],
      ],
    );
  });

  it("gets the params of its own era as they were written, but for the token of progress", async () => {
    await connect();
    const meta = `"_meta":{ "${CLIENT}protocolVersion":"2026-07-28","${CLIENT}clientCapabilities":{ }, "progressToken":"t"}`;
    const text = `{ "name":"echo", "arguments":{"n":1.0,"big":12345678901234567890}, ${meta} }`;
    await connection.request(request("echo", { params: Payload.ofText(text) }));
    const sent = stub.house.seen.at(-1)?.body ?? "";
    assert.ok(sent.endsWith(`"params":${text.replace('"t"', /"id":(\d+)/.exec(sent)?.[1] ?? "?")}}`), sent);
  });

  it("is told in headers what its body says", async () => {
    stub.tools = [
      ...stub.tools,
      { name: "señal", inputSchema: schema({ region: "Region", deep: { level: "Level" } }) },
    ];
    await connect();
    await connection.listTools(never);
    const args = Payload.ofText('{"region":" eu ","deep":{"level":42},"other":1}');
    await connection.request(request("señal", { args }));
    await connection.request(pass("resources/read", '{"uri":"test://a"}'));
    const [call] = stub.headersOf("tools/call");
    assert.equal(call?.["mcp-protocol-version"], "2026-07-28");
    assert.equal(call["mcp-name"], "=?base64?c2XDsWFs?=");
    assert.deepEqual([call["mcp-param-region"], call["mcp-param-level"]], ["=?base64?IGV1IA==?=", "42"]);
    assert.equal(stub.headersOf("resources/read")[0]?.["mcp-name"], "test://a");
    assert.equal(stub.headersOf("tools/list")[0]?.["mcp-name"], undefined);
  });

  it("that misses a header has not run the call: its tools are listed anew and it is sent again", async () => {
    await connect();
    await connection.listTools(never);
    stub.tools = [...stub.tools, { name: "regional", inputSchema: schema({ region: "Region" }) }];
    const args = Payload.ofText('{"region":"eu"}');
    assert.deepEqual(textOf(await connection.request(request("regional", { args }))).args, { region: "eu" });
    assert.equal(stub.asked("tools/call").length, 1);
    assert.deepEqual(
      stub.headersOf("tools/call").map((headers) => headers["mcp-param-region"]),
      [undefined, "eu"],
    );
    assert.equal(stub.asked("tools/list").length, 2);
  });

  it("and keeps missing one is not asked a third time", async () => {
    await connect();
    stub.instead = ({ method, id }, response) => {
      if (method === "tools/call") refuse(response, 400, id, -32020, "Header mismatch");
      return method === "tools/call";
    };
    const error = await failure(connection.request(request("echo")));
    assert.deepEqual([error.details.relayed?.code, error.delivery], [-32020, "not_sent"]);
    assert.equal(stub.headersOf("tools/call").length, 2);
  });

  it("offers no tool whose headers break the rules", async () => {
    const bad = { name: "bad", inputSchema: { anyOf: [schema({ region: "Region" })] } };
    stub.tools = [...stub.tools, bad];
    await connect();
    const names = (await connection.listTools(never)).map(({ name }) => name);
    assert.ok(names.includes("echo") && !names.includes("bad"));
    assert.ok(heard.log.some((line) => line.includes("x-mcp-header") && line.includes("bad")));
  });

  it("neither where its list is passed on, which keeps all else as it was written", async () => {
    const good = { name: "good", inputSchema: schema({ region: "Region" }) };
    stub.tools = [{ name: "bad", inputSchema: { items: schema({ region: "Region" }) } }, good];
    await connect();
    const { text } = await connection.request(pass("tools/list", "{}", { caller: makeCaller({ comesAgain: true }) }));
    assert.equal(text, `{"resultType":"complete","tools":[${JSON.stringify(good)}],"ttlMs":0,"cacheScope":"private"}`);
    const unmarked = await connection.request(pass("tools/list"));
    assert.equal(unmarked.text, `{"tools":[${JSON.stringify(good)}]}`, "for clients of the other era");
    await connection.request(request("good", { args: Payload.ofText('{"region":"eu"}') }));
    assert.equal(stub.headersOf("tools/call")[0]?.["mcp-param-region"], "eu");
  });

  it("keeps fields of its tools that nobody knows", async () => {
    await connect();
    assert.equal((await connection.listTools(never))[0]?.["x-new"], 1);
  });
});

describe("what goes wrong with a request", () => {
  const refusals: readonly (readonly [status: number, code: number, id: unknown, delivery: string])[] = [
    [400, -32602, undefined, "executed"],
    [400, -32021, null, "executed"],
    [400, -32020, 7, "not_sent"],
    [404, -32601, null, "not_sent"],
  ];
  for (const [status, code, id, delivery] of refusals) {
    it(`comes out as the server said it: ${status} and ${code}`, async () => {
      await connect();
      stub.instead = ({ method }, response) => {
        if (method === "prompts/get") refuse(response, status, id, code, "no");
        return method === "prompts/get";
      };
      const error = await failure(connection.request(pass("prompts/get", '{"name":"p"}')));
      assert.deepEqual([error.details.relayed?.code, error.details.relayed?.message], [code, "no"]);
      assert.equal(error.delivery, delivery);
    });
  }

  it("an unknown method is one, by its status of 404", async () => {
    await connect();
    const error = await failure(connection.request(pass("no/such")));
    assert.deepEqual([error.code, error.details.relayed?.code], ["SOURCE_ERROR", -32601]);
  });

  it("a stream that breaks leaves the outcome unknown, and is not taken up again", async () => {
    await connect();
    const waiting = failure(connection.request(request("wait")));
    stub.instead = (_message, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("id: 1\ndata:\n\n");
      setTimeout(() => response.destroy(), 10);
      return true;
    };
    const broken = await failure(connection.request(request("echo")));
    assert.deepEqual([broken.code, broken.delivery], ["OUTCOME_UNKNOWN", "unknown"]);
    await connection.close();
    await waiting;
    assert.ok(stub.house.seen.every(({ method }) => method === "POST"));
  });

  it("who leaves closes the exchange, which the server sees, and says no word", async () => {
    await connect();
    const caller = new AbortController();
    const waiting = failure(connection.request(request("wait", { signal: caller.signal })));
    await until(() => stub.asked("tools/call").length === 1);
    caller.abort(new ZaguanError("CANCELLED"));
    assert.equal((await waiting).code, "CANCELLED");
    await until(() => stub.cancelled.length === 1);
    assert.equal(stub.cancelled[0], stub.asked("tools/call")[0]?.id);
    assert.deepEqual(stub.asked("notifications/cancelled"), []);
  });
});

describe("what a server wants to know", () => {
  const answer = (method: string, params: string): string =>
    method === "roots/list" ? '{"roots":[ ]}' : `{"action":"accept","content":${JSON.stringify(params)}}`;

  it("is asked of a client that cannot come again, and its answers are sent with the same request", async () => {
    await connect();
    const args = Payload.ofText('{"who":"Ada","n":1.0}');
    const told = textOf(await connection.request(request("ask", { args, caller: callerOf(answer) })));
    assert.deepEqual(told.inputResponses, {
      name: { action: "accept", content: '{"message":"who is Ada?"}' },
      roots: { roots: [] },
    });
    assert.equal(told.requestState, 'for Ada é"');
    const [first, second] = stub.asked("tools/call");
    assert.notEqual(first?.id, second?.id);
    assert.match(stub.house.seen.at(-1)?.body ?? "", /"inputResponses":\{.*"roots":\{"roots":\[ \]\}/);
    assert.match(stub.house.seen.at(-1)?.body ?? "", /"arguments":\{"who":"Ada","n":1.0\}/);
  });

  it("reaches each of two who ask at the same time", async () => {
    await connect();
    const both = ["Ada", "Eva"].map((who) => {
      const caller = callerOf((method) => (method === "roots/list" ? "{}" : JSON.stringify({ I: who })));
      return connection.request(request("ask", { args: Payload.ofValue({ who }), caller }));
    });
    const told = (await Promise.all(both)).map(textOf);
    assert.deepEqual(
      told.map(({ args, inputResponses }) => [args.who, inputResponses.name.I]),
      [
        ["Ada", "Ada"],
        ["Eva", "Eva"],
      ],
    );
  });

  it("is passed on to one that can", async () => {
    await connect();
    const caller = callerOf(() => assert.fail("it was asked"), { comesAgain: true });
    const result = await connection.request(request("ask", { args: Payload.ofValue({ who: "Ada" }), caller }));
    assert.equal((result.value as { resultType: string }).resultType, "input_required");
  });

  it("is refused by the client in its own words", async () => {
    await connect();
    const relayed = { code: -1, message: "I would rather not" };
    const request_ = request("ask", {
      args: Payload.ofValue({ who: "Ada" }),
      caller: callerOf(() => "", { request: () => Promise.reject(new ZaguanError("SOURCE_ERROR", { relayed })) }),
    });
    const error = await failure(connection.request(request_));
    assert.deepEqual([error.details.relayed, error.delivery], [relayed, "executed"]);
  });

  it("cannot be asked of nobody", async () => {
    await connect();
    const error = await failure(connection.request(request("ask", { args: Payload.ofValue({ who: "Ada" }) })));
    assert.deepEqual([error.code, error.delivery], ["MISSING_CAPABILITY", "executed"]);
  });

  it("is not asked for ever", async () => {
    await connect();
    const error = await failure(connection.request(request("nag", { caller: callerOf(() => "{}") })));
    assert.match(String(error.details.params?.["reason"]), /more than 10 times/);
    assert.equal(stub.asked("tools/call").length, 11);
  });

  it("is not asked more than 64 things at once", async () => {
    await connect();
    let questions = 64;
    stub.instead = ({ id, method, params }, response) => {
      const isFirst = method === "tools/call" && !params.inputResponses;
      const one = { method: "elicitation/create", params: { message: "and?" } };
      const inputRequests = Object.fromEntries(Array.from({ length: questions }, (_, n) => [`q${n}`, one]));
      const result = { resultType: "input_required", inputRequests };
      if (isFirst) json(response, 200, JSON.stringify({ jsonrpc: "2.0", id, result }));
      return isFirst;
    };
    let answers = 0;
    const caller = callerOf(() => `{"n":${++answers}}`);
    const told = textOf(await connection.request(request("echo", { caller })));
    assert.equal(Object.keys(told.inputResponses).length, 64);
    questions = 65;
    const error = await failure(connection.request(request("echo", { caller })));
    assert.deepEqual([error.code, error.delivery, answers], ["SOURCE_ERROR", "executed", 64]);
    assert.match(String(error.details.params?.["reason"]), /more than 64 things/);
  });

  it("may be nothing but to be asked again", async () => {
    await connect();
    assert.equal(textOf(await connection.request(request("later"))).requestState, "once more");
  });
});

describe("what a server says meanwhile", () => {
  it("reaches the one whose request it is", async () => {
    await connect();
    const said: string[][] = [[], []];
    const asked = said.map((mine, index) => {
      const onNotification = (method: string, params: Payload) => mine.push(`${method} ${params.text}`);
      const args = Payload.ofValue({ index });
      return connection.request(
        request("log", { args, onNotification, caller: callerOf(() => "", { logLevel: "info" }) }),
      );
    });
    await Promise.all(asked);
    assert.deepEqual(said, [
      ['notifications/message {"level":"info","data":{"index":0}}'],
      ['notifications/message {"level":"info","data":{"index":1}}'],
    ]);
    assert.deepEqual(heard.notifications, []);
  });

  it("of its progress, too", async () => {
    await connect();
    const seen: string[] = [];
    await connection.request(request("progress", { onProgress: ({ text }) => seen.push(text) }));
    assert.match(seen.join(), /^\{"progressToken":\d+,"progress":0.5\}$/);
  });
});

describe("the stream on which a server tells of changes", () => {
  const LISTEN = "subscriptions/listen";

  it("is opened at once, tells what changes, and ends with the connection", async () => {
    await connect();
    await until(() => stub.listeners.size === 1);
    stub.changeTools();
    await until(() => heard.toolsChanged === 1);
    assert.equal(stub.headersOf(LISTEN)[0]?.["mcp-protocol-version"], "2026-07-28");
    await connection.close();
    await until(() => stub.listeners.size === 0);
  });

  it("comes back when it dies, with a look at what may have been missed", async () => {
    await connect();
    await until(() => stub.listeners.size === 1);
    stub.cut(stub.asked(LISTEN)[0]?.id);
    await until(() => stub.asked(LISTEN).length === 2);
    await until(() => heard.toolsChanged === 1);
  });

  it("gives way to another when there is more to hear", async () => {
    await connect();
    await connection.request(pass("resources/subscribe", '{"uri":"test://a"}'));
    await until(() => stub.listeners.size === 1);
    stub.update("test://a");
    await until(() => heard.notifications.length === 1);
    assert.deepEqual(heard.notifications, [
      { method: "notifications/resources/updated", params: '{"uri":"test://a"}' },
    ]);
  });

  it("and is not granted before the connection ends is lost with it, and nobody cancelled it", async () => {
    await connect();
    await until(() => stub.listeners.size === 1);
    let isAsked = false;
    stub.instead = ({ method }, response) => {
      isAsked ||= method === LISTEN;
      if (isAsked) response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      return isAsked;
    };
    const waiting = failure(connection.request(pass("resources/subscribe", '{"uri":"test://a"}')));
    await until(() => isAsked);
    await connection.close();
    const { code, delivery } = await waiting;
    assert.deepEqual([code, delivery], ["OUTCOME_UNKNOWN", "unknown"]);
  });

  it("is not asked for again where there is none", async () => {
    stub.instead = ({ method, id }, response) => {
      if (method === LISTEN) refuse(response, 404, id, -32601, "Method not found");
      return method === LISTEN;
    };
    await connect();
    await until(() => heard.log.includes("the server offers no subscriptions"));
    await connection.request(request("echo"));
    assert.equal(stub.headersOf(LISTEN).length, 1);
  });
});

describe("words of the older era", () => {
  it("are answered where this one has none for them", async () => {
    await connect();
    assert.equal((await connection.request(pass("ping"))).text, "{}");
    assert.equal((await connection.request(pass("logging/setLevel", '{"level":"info"}'))).text, "{}");
    assert.ok(!stub.seen.some(({ method }) => method === "ping" || method.startsWith("logging")));
  });

  it("are refused as the server would, had it known them", async () => {
    await connect();
    const unknown = await failure(connection.request(pass("logging/setLevel", '{"level":"loud"}')));
    assert.equal(unknown.details.relayed?.code, -32602);
    await connection.close();
    stub.capabilities = {};
    await connect();
    const silent = await failure(connection.request(pass("logging/setLevel", '{"level":"info"}')));
    assert.equal(silent.details.relayed?.code, -32601);
  });
});

describe("a server that changes its era", () => {
  it("ends this life, so that the next finds out", async () => {
    await connect();
    stub.instead = (_message, response) => {
      refuse(response, 400, null, -32000, "Bad Request: Server not initialized");
      return true;
    };
    for (let i = 0; i < 3; i++) await failure(connection.request(request("echo")));
    assert.equal(sayEnding(await connection.closed), "it no longer speaks 2026-07-28");
  });
});

async function connect(): Promise<void> {
  const memories = { era: new EraMemory(), way: new TransportMemory() };
  const options = { url: stub.house.url, headers: {}, allowPrivate: true, maxBytes: 100_000, first: "http" as const };
  connection = await remote.connect({ ...options, ...memories }, heard.context, never);
  cleanups.push(() => connection.close());
}

type Marked = { readonly [name: string]: string | Marked };

/** A schema whose properties bear the marks given, however deep. */
function schema(marks: Marked): Record<string, unknown> {
  const properties = Object.entries(marks).map(([name, mark]) => {
    if (typeof mark !== "string") return [name, schema(mark)];
    return [name, { type: mark === "Level" ? "integer" : "string", "x-mcp-header": mark }];
  });
  return { type: "object", properties: Object.fromEntries(properties) };
}
