/** Seed 004's older face on a real port: what it lists, what it calls, and in which words it fails. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { untilLeft } from "../../../test/support/fake-gateway.ts";
import { makeTool } from "../../../test/support/make-call.ts";
import { type Answered, type OpenDoors, openDoors, rpc } from "../../../test/support/open-doors.ts";
import { openHub } from "../../../test/support/open-hub.ts";
import { until } from "../../../test/support/processes.ts";
import type { Apis } from "../../apis/contract.ts";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { SourceSummary } from "../door.ts";
import { apiTools } from "./index.ts";

const DISCOVER = "/api/tools/discover";
const EXECUTE = "/api/tools/execute";
const STARTED = "2026-01-02T03:04:05.000Z";
const LIMITED: Principal = { id: "key:bob", kind: "key", name: "bob", allow: ["lamp"] };

const apis = { tools: { isOff: async (code: string) => code === "apagada" } } as unknown as Apis;

let doors: OpenDoors;
let sources: Pick<SourceSummary, "name" | "kind">[];
let principal: Principal | undefined;
beforeEach(async () => {
  sources = [{ name: "house", kind: "api" }];
  principal = undefined;
  const all: Principal = { id: "local", kind: "local", name: "local" };
  doors = await openDoors([apiTools], {
    context: { apis, status: () => ({ startedUtc: STARTED, sources }) as never },
    authenticate: async () => principal ?? all,
  });
});
afterEach(() => doors.close());

const execute = (body: unknown, headers = {}): Promise<Answered> => doors.ask(EXECUTE, rpc(body, headers));
const gives = (result: string): void => {
  doors.gateway.answer = async () => Payload.ofText(result);
};
const says = (...texts: string[]): void =>
  gives(JSON.stringify({ content: texts.map((text) => ({ type: "text", text })) }));
/** The text of `result` in an answer, as it was written. */
const resultText = ({ text }: Answered): string | undefined => /"result":(.*),"executionTimeMs"/s.exec(text)?.[1];

describe("GET /api/tools/discover", () => {
  it("lists name, description, type and parameters, how many, and since when", async () => {
    const inputSchema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
    doors.gateway.tools = [makeTool("clima4", { description: "El clima", inputSchema, annotations: {}, title: "x" })];
    const { status, headers, json } = await doors.ask(DISCOVER);
    assert.deepEqual([status, headers["content-type"]], [200, "application/json"]);
    assert.deepEqual(json, {
      tools: [{ name: "clima4", description: "El clima", type: "api_tool", parameters: inputSchema }],
      totalCount: 1,
      lastUpdated: STARTED,
    });
  });

  it("tells what is no described API, and of what has no description nothing", async () => {
    sources = [{ name: "house", kind: "stdio" }];
    const [tool] = (await doors.ask(DISCOVER)).json["tools"] as Record<string, unknown>[];
    assert.deepEqual([tool?.["type"], tool?.["description"]], ["mcp_tool", ""]);
  });

  it("says that it changed when the hub says so, and when it sees so before", async () => {
    const lastUpdated = async () => String((await doors.ask(DISCOVER)).json["lastUpdated"]);
    const before = Date.now();
    assert.equal(await lastUpdated(), STARTED);
    doors.gateway.tools = [makeTool("other")];
    const seen = await lastUpdated();
    assert.ok(Date.parse(seen) >= before && Date.parse(seen) <= Date.now(), seen);
    assert.equal(await lastUpdated(), seen);
    await until("the clock moves on", () => Date.now() > Date.parse(seen));
    doors.gateway.toolsChanged();
    assert.ok((await lastUpdated()) > seen);
  });

  it("hears nothing more once it is closed", async () => {
    assert.equal(doors.gateway.listeners.size, 1);
    await doors.close();
    assert.equal(doors.gateway.listeners.size, 0);
    doors = await openDoors([]);
  });
});

describe("a list of a real hub", () => {
  /** How often some tool's schema has been written. */
  let written = 0;
  const properties = { a: { type: "string", description: "x".repeat(200) } };
  const inputSchema = { toJSON: () => ({ type: "object", properties, nth: ++written }) };
  const TOOLS = Array.from({ length: 1_000 }, (_, index) =>
    makeTool(index === 7 ? "lamp" : `tool_${index}`, { description: `what tool ${index} does`, inputSchema }),
  );
  /** How often it was asked what kinds of sources there are. */
  let asked = 0;
  const countedSources = () => {
    asked++;
    return [{ name: "api", kind: "api" }];
  };
  let hub: ReturnType<typeof openHub>["hub"];
  let real: OpenDoors;
  beforeEach(async () => {
    const opened = openHub();
    opened.attach("api", TOOLS);
    opened.attach("mcp", [makeTool("lamp"), makeTool("__proto__"), makeTool("a/b ñ 灯\u0000")]);
    hub = opened.hub;
    const status = () => ({ startedUtc: STARTED, sources: countedSources() }) as never;
    real = await openDoors([apiTools], {
      context: { apis, gateway: hub, servers: hub, status },
      authenticate: async () => principal ?? { id: "k", kind: "key", name: "k" },
    });
  });
  afterEach(async () => {
    await real.close();
    await hub.close();
  });
  const names = async (): Promise<unknown> =>
    ((await real.ask(DISCOVER)).json["tools"] as { name: string; type: string }[]).map(({ name, type }) => [
      name,
      type,
    ]);

  it("has all its tools, whatever they are called, with the type of their source", async () => {
    const all = (await names()) as string[][];
    assert.equal(all.length, 1_003);
    assert.deepEqual(all[7], ["lamp", "api_tool"]);
    assert.deepEqual(all.slice(-3), [
      ["mcp__lamp", "mcp_tool"],
      ["__proto__", "mcp_tool"],
      ["a/b ñ 灯\u0000", "mcp_tool"],
    ]);
  });

  it("has only the tools that the caller may use, and counts those", async () => {
    principal = { ...LIMITED, allow: ["api__lamp", "__proto__"] };
    assert.deepEqual(await names(), [["lamp", "api_tool"]]);
    assert.equal((await real.ask(DISCOVER)).json["totalCount"], 1);
  });

  it("of 1,000 is not written anew for every caller", async (t) => {
    written = 0;
    await real.ask(DISCOVER);
    assert.equal(written, 1_000);
    const before = asked;
    for (const who of [undefined, { ...LIMITED, allow: ["*"] }]) {
      principal = who;
      const began = performance.now();
      await real.ask(DISCOVER);
      t.diagnostic(`${(performance.now() - began).toFixed(1)} ms`);
    }
    // The limited one's own list had to be put together.
    assert.deepEqual([written, asked], [1_000, before + 1]);
  });

  it("tells of a call which type its tool is, by either of its names", async () => {
    const typeOf = async (toolName: string) => (await real.ask(EXECUTE, rpc({ toolName }))).json["toolType"];
    for (const name of ["lamp", "api__lamp", "tool_1", "nobody"]) assert.equal(await typeOf(name), "api_tool", name);
    for (const name of ["mcp__lamp", "mcp____proto__"]) assert.equal(await typeOf(name), "mcp_tool", name);
  });

  it("lets the limited call theirs, and says of others what it says of none", async () => {
    principal = LIMITED;
    assert.equal((await real.ask(EXECUTE, rpc({ toolName: "lamp" }))).json["success"], true);
    for (const toolName of ["tool_1", "nobody", "apagada"]) {
      const { json } = await real.ask(EXECUTE, rpc({ toolName }));
      assert.deepEqual(
        [json["success"], json["errorMessage"], json["toolType"]],
        [false, `Tool not found: ${toolName}`, "api_tool"],
      );
    }
  });
});

describe("POST /api/tools/execute", () => {
  it("answers with the five fields, and the text as JSON", async () => {
    says('{"temperature": 22, "city": "Salta"}');
    const { status, json } = await execute({ toolName: "lamp", parameters: { q: "Salta" }, sessionId: "conv_123" });
    const { executionTimeMs, ...others } = json;
    assert.equal(status, 200);
    assert.ok(Number.isSafeInteger(executionTimeMs) && Number(executionTimeMs) >= 0);
    const result = { temperature: 22, city: "Salta" };
    assert.deepEqual(others, { success: true, result, toolType: "api_tool", errorMessage: null });
  });

  it("hands the arguments on as they were written, and nothing of the session", async () => {
    await execute('{ "sessionId":"conv_123", "toolName":"lamp", "parameters": {"id": 12345678901234567890, "x":1.0} }');
    const [call] = doors.gateway.calls;
    assert.equal(call?.args.text, '{"id": 12345678901234567890, "x":1.0}');
    assert.deepEqual([call?.tool, call?.door, call?.params], ["lamp", "api-tools", undefined]);
  });

  it("takes parameters and a session that are absent or null, and leaves aside what it does not know", async () => {
    for (const more of [{}, { parameters: null, sessionId: null }, { parameters: {}, sessionId: 7, later: true }]) {
      assert.equal((await execute({ toolName: "lamp", ...more })).json["success"], true);
    }
    assert.deepEqual(
      doors.gateway.calls.map(({ args }) => args.text),
      ["{}", "{}", "{}"],
    );
  });

  for (const [text, result] of [
    ['{"id": 12345678901234567890, "n":1.0}', '{"id": 12345678901234567890, "n":1.0}'],
    ["[1]", "[1]"],
    ["12345678901234567890", "12345678901234567890"],
    ["null", "null"],
    ['"x"', '"x"'],
    ["soleado", '"soleado"'],
    ["", '""'],
    ["{'a':1}", `"{'a':1}"`],
    ["1 2", '"1 2"'],
    ['a"b\n', '"a\\"b\\n"'],
    ["\ufeff{}", '"\ufeff{}"'],
  ] as const) {
    it(`gives ${JSON.stringify(text)} as ${result}`, async () => {
      says(text);
      assert.equal(resultText(await execute({ toolName: "lamp" })), result);
    });
  }

  it("gives JSON that is deeper than anybody reads as a text", async () => {
    says("[".repeat(5_000) + "]".repeat(5_000));
    assert.equal(typeof (await execute({ toolName: "lamp" })).json.result, "string");
  });

  for (const [what, given, result] of [
    ["several parts", '{"content":[{"type":"text","text":"1"}, {"type":"image"}]}', undefined],
    ["one that is no text", '{"content":[{"type":"image","data":"aa","mimeType":"image/png"}]}', undefined],
    ["parts that are none", '{"content":[7,null]}', undefined],
    ["none", '{"content":[]}', "null"],
    ["none, but something structured", '{"content":[],"structuredContent":{"n":1.0}}', '{"n":1.0}'],
    ["something else", '{"toolResult":1.0}', '{"toolResult":1.0}'],
    ["two lists, of which the last counts", '{"content":[],"content":[7, 8]}', "[7, 8]"],
  ] as const) {
    it(`gives ${what} as MCP has it`, async () => {
      gives(given);
      const contents = /^\{"content":(.*)\}$/s.exec(given)?.[1];
      assert.equal(resultText(await execute({ toolName: "lamp" })), result ?? contents);
    });
  }

  it("goes the way that the headers ask for", async () => {
    await execute({ toolName: "lamp" }, { "x-priority": "high", "x-timeout": "7", "x-cache-control": "no-cache" });
    const { priority, timeoutMs, freshness } = doors.gateway.calls[0] ?? {};
    assert.deepEqual([priority, timeoutMs, freshness], ["HIGH", 7_000, { maxAgeSeconds: 0 }]);
  });

  it("ends the call of who leaves", async () => {
    let ended = false;
    doors.gateway.answer = (request) =>
      untilLeft(request, new ZaguanError("CANCELLED")).finally(() => {
        ended = true;
      });
    const leaving = new AbortController();
    const headers = { "content-type": "application/json" };
    const asked = { method: "POST", headers, body: '{"toolName":"lamp"}', signal: leaving.signal };
    const lost = fetch(`${doors.url}${EXECUTE}`, asked).catch(() => {});
    await until("it runs", () => doors.gateway.calls.length === 1);
    leaving.abort();
    await lost;
    await until("it has ended", () => ended);
  });
});

describe("what fails is told with 200", () => {
  async function messageOf(body: object, headers = {}): Promise<unknown> {
    const { status, json, text } = await execute(body, headers);
    assert.deepEqual([status, json["success"], json.result, json["toolType"]], [200, false, null, "api_tool"], text);
    return json["errorMessage"];
  }
  const failsWith = (cause: unknown): void => {
    doors.gateway.answer = () => Promise.reject(cause);
  };

  it("as the tool says it", async () => {
    const content = [{ type: "text", text: "HTTP 500" }, { type: "image" }, { type: "text", text: "boom" }];
    gives(JSON.stringify({ content, isError: true }));
    assert.equal(await messageOf({ toolName: "lamp" }), "HTTP 500\nboom");
  });

  it("in our words where the tool has none", async () => {
    for (const given of ['{"content":[],"isError":true}', '{"content":[{"type":"text","text":" "}],"isError":true}']) {
      gives(given);
      assert.equal(await messageOf({ toolName: "lamp" }), "The tool failed and did not say why");
    }
    const es = await messageOf({ toolName: "lamp" }, { "accept-language": "es" });
    assert.equal(es, "La herramienta falló y no dijo por qué");
  });

  it("of a call that was refused, in the caller's language", async () => {
    failsWith(new ZaguanError("INVALID_ARGUMENT", { params: { reason: "missing required parameter 'q'" } }));
    assert.equal(await messageOf({ toolName: "lamp" }), "Invalid params: missing required parameter 'q'");
    failsWith(new ZaguanError("RATE_LIMITED", { params: { seconds: 3 }, retryAfterMs: 3_000 }));
    assert.match(String(await messageOf({ toolName: "lamp" }, { "accept-language": "fr" })), /3 s/);
  });

  it("of a tool that is not there, and of one that is off, in the real system's words, whatever the language", async () => {
    failsWith(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } }));
    for (const headers of [{}, { "accept-language": "es" }]) {
      assert.equal(await messageOf({ toolName: "no_such" }, headers), "Tool not found: no_such");
      assert.equal(await messageOf({ toolName: "apagada" }, headers), "Tool is disabled or unhealthy: apagada");
    }
    assert.equal(await messageOf({ toolName: "__proto__" }), "Tool not found: __proto__");
    assert.equal(String(await messageOf({ toolName: "a".repeat(5_000) })).length, "Tool not found: ".length + 200);
  });

  it("of one that is off, as if there were none, to who may not use everything", async () => {
    failsWith(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } }));
    principal = LIMITED;
    assert.equal(await messageOf({ toolName: "apagada" }), "Tool not found: apagada");
  });

  it("of what nobody expected by a reference, without a word of the cause", async () => {
    failsWith(new TypeError("at /home/me/secret.ts"));
    assert.equal(await messageOf({ toolName: "lamp" }), "Internal error (reference ref-1)");
    assert.equal(doors.reported.length, 1);
  });

  it("of a hub that is closing as what it is", async () => {
    failsWith(new ZaguanError("CANCELLED"));
    assert.match(String(await messageOf({ toolName: "lamp" })), /closing/);
  });
});

describe("what is no request is a problem", () => {
  for (const [what, body, status, field] of [
    ["broken JSON", '{"toolName":', 400, undefined],
    ["no object", "[]", 400, undefined],
    ["a key twice", '{"toolName":"lamp","toolName":"door"}', 400, undefined],
    ["no tool", '{"parameters":{}}', 400, "toolName"],
    ["a tool that is null", '{"toolName":null}', 400, "toolName"],
    ["a tool that is a number", '{"toolName":7}', 400, "toolName"],
    ["parameters that are a list", '{"toolName":"lamp","parameters":[1]}', 400, "parameters"],
    ["parameters that are a text", '{"toolName":"lamp","parameters":"{}"}', 400, "parameters"],
  ] as const) {
    it(`${what} is refused, and nothing is called`, async () => {
      const answer = await execute(body);
      assert.deepEqual([answer.status, answer.headers["content-type"]], [status, "application/problem+json"]);
      const [problem] = (answer.json["errors"] ?? []) as { field: string }[];
      assert.equal(problem?.field, field, answer.text);
      assert.equal(doors.gateway.calls.length, 0);
    });
  }

  it("says which field, in the caller's language", async () => {
    const { json } = await execute({}, { "accept-language": "es" });
    assert.equal(json["detail"], "Parámetros inválidos: el parámetro 'toolName' falta");
  });

  it("must be declared as JSON, and come by POST", async () => {
    const plain = await doors.ask(EXECUTE, { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" });
    assert.deepEqual([plain.status, plain.headers["content-type"]], [415, "application/problem+json"]);
    assert.equal((await doors.ask(EXECUTE)).status, 405);
    assert.equal((await doors.ask(EXECUTE, { method: "POST" })).status, 400);
  });
});
