import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, it } from "node:test";
import { untilLeft } from "../../test/support/fake-gateway.ts";
import { makeError } from "../../test/support/make-error.ts";
import { type Answered, type OpenDoors, openDoors, rpc } from "../../test/support/open-doors.ts";
import { until } from "../../test/support/processes.ts";
import { type ErrorCode, type ErrorDetails, ZaguanError } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import { streamableHttp } from "./streamable-http.ts";

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "lamp" } };
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const EVENTS = { accept: "application/json, text/event-stream" };

let doors: OpenDoors;
beforeEach(async () => {
  doors = await openDoors([streamableHttp], { limits: { sessions: 2 } });
});
afterEach(() => doors.close());

describe("a batch", () => {
  const batch =
    '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},{"id":2},{"jsonrpc":"2.0","id":"c","method":"tools/list"}]';

  it("is answered in one array, each request once, by revision 2025-03-26 and by bare JSON-RPC", async () => {
    const session = await initialize({}, "2025-03-26");
    for (const headers of [{}, session]) {
      const { status, text } = await doors.ask("/mcp", rpc(batch, headers));
      const answers = JSON.parse(text) as { id: unknown; error?: { code: number } }[];
      assert.equal(status, 200);
      assert.deepEqual(
        answers.map(({ id, error }) => [id, error?.code]),
        [
          [1, undefined],
          [2, -32600],
          ["c", undefined],
        ],
      );
    }
  });

  it("of notifications alone is only accepted", async () => {
    assert.equal((await doors.ask("/mcp", rpc('[{"jsonrpc":"2.0","method":"x"}]'))).status, 202);
  });

  for (const [what, body] of [
    ["an empty one", "[]"],
    ["too many messages", `[${Array(21).fill('{"jsonrpc":"2.0","id":1,"method":"ping"}').join(",")}]`],
    ["what is no JSON", "[1,"],
  ] as const) {
    it(`refuses ${what}`, async () => assert.equal((await doors.ask("/mcp", rpc(body))).status, 400));
  }

  it("is unknown to later revisions", async () => {
    const { status, json } = await doors.ask("/mcp", rpc(batch, await initialize({}, "2025-11-25")));
    assert.deepEqual([status, json.error?.code], [400, -32600]);
  });
});

describe("bare JSON-RPC", () => {
  for (const path of ["/mcp", "/"]) {
    it(`lists and calls at ${path} with no handshake, no session and any Accept`, async () => {
      for (const accept of [undefined, "*/*", "text/html", "application/json"]) {
        const headers: Record<string, string> = accept === undefined ? {} : { accept };
        const list = await doors.ask(path, rpc(LIST, headers));
        const tools = doors.gateway.tools.map((tool) => ({ ...tool, scope: "global" }));
        assert.deepEqual([list.status, list.json.result], [200, { tools }]);
        assert.equal(list.headers["content-type"], "application/json");
        assert.equal(list.headers["mcp-session-id"], undefined);
        assert.equal((await doors.ask(path, rpc(CALL, headers))).status, 200);
      }
    });
  }

  /** The contract's table: failure, HTTP status, JSON-RPC code, and what else the answer carries. */
  const failures: readonly (readonly [ErrorCode, ErrorDetails, status: number, code: number, more?: object])[] = [
    ["UNKNOWN_TOOL", { params: { tool: "x" } }, 400, -32602],
    ["INVALID_ARGUMENT", { params: { reason: "missing required parameter 'q'" } }, 400, -32602],
    [
      "NO_CAPACITY",
      { retryAfterMs: 2_500, data: { queue_size: 9 } },
      503,
      -32000,
      { queue_size: 9, retryAfterMs: 2_500 },
    ],
    ["QUEUE_TIMEOUT", { delivery: "not_sent" }, 504, -32002, { delivery: "not_sent" }],
    ["RATE_LIMITED", { retryAfterMs: 1_000 }, 429, -32003],
    ["SOURCE_UNAVAILABLE", {}, 503, -32004],
    ["OUTCOME_UNKNOWN", { delivery: "unknown" }, 502, -32004, { delivery: "unknown" }],
  ];
  for (const [code, details, status, number, more = {}] of failures) {
    it(`${code} is ${number} (${status})`, async () => {
      doors.gateway.answer = () => Promise.reject(makeError(code, details));
      const { status: seen, json, headers } = await doors.ask("/mcp", rpc({ ...CALL, id: "abc" }));
      assert.deepEqual([seen, json["id"], json.error?.code], [status, "abc", number]);
      for (const [key, value] of Object.entries(more)) assert.equal(json.error?.data[key], value);
      const seconds = details.retryAfterMs === undefined ? undefined : String(Math.ceil(details.retryAfterMs / 1_000));
      assert.equal(headers["retry-after"], seconds);
    });
  }

  it("wrong arguments read as the contract says", async () => {
    const params = { reason: "missing required parameter 'q'" };
    doors.gateway.answer = () => Promise.reject(new ZaguanError("INVALID_ARGUMENT", { params }));
    const { json } = await doors.ask("/mcp", rpc(CALL));
    assert.equal(json.error?.message, "Invalid params: missing required parameter 'q'");
  });

  it("a tool's own failure is a result", async () => {
    doors.gateway.answer = async () => Payload.ofText('{"content":[],"isError":true}');
    const { status, json } = await doors.ask("/mcp", rpc(CALL));
    assert.deepEqual([status, json.result], [200, { content: [], isError: true }]);
  });

  it("an unexpected failure is 500 with a reference that the log repeats", async () => {
    doors.gateway.answer = () => Promise.reject(new Error("/srv/secret"));
    const { status, text, json } = await doors.ask("/mcp", rpc(CALL));
    assert.deepEqual([status, json["id"], json.error?.code], [500, 1, -32603]);
    assert.match(text, /ref-1/);
    assert.doesNotMatch(text, /secret/);
  });

  const malformed: readonly (readonly [body: string, status: number, code: number, id: unknown])[] = [
    ["", 400, -32700, null],
    ["{", 400, -32700, null],
    ["[]", 400, -32600, null],
    ['{"jsonrpc":"2.0","id":5}', 400, -32600, 5],
    ['{"id":5,"method":"ping"}', 400, -32600, 5],
    ['{"jsonrpc":"2.0","id":5,"method":"a","method":"b"}', 400, -32600, 5],
    ['{"jsonrpc":"2.0","id":5,"method":"no/such"}', 404, -32601, 5],
    ['{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}', 400, -32602, 5],
    [`{"jsonrpc":"2.0","id":5,"method":"ping","params":${"[".repeat(70)}${"]".repeat(70)}}`, 400, -32600, 5],
  ];
  for (const [body, status, code, id] of malformed) {
    it(`${body.slice(0, 70) || "nothing"} is ${code} (${status})`, async () => {
      const { status: seen, json } = await doors.ask("/mcp", rpc(body));
      assert.deepEqual([seen, json.error?.code, json["id"]], [status, code, id]);
    });
  }

  it("what is not declared as JSON is 415, what is too large 413", async () => {
    const plain = await doors.ask("/mcp", rpc(CALL, { "content-type": "text/plain" }));
    assert.equal(plain.status, 415);
    const large = await doors.ask("/mcp", rpc({ ...CALL, pad: "x".repeat(200_000) }));
    assert.equal(large.status, 413);
    assert.equal(doors.gateway.calls.length, 0);
  });

  it("speaks the language the caller asks for", async () => {
    doors.gateway.answer = () => Promise.reject(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } }));
    const { json } = await doors.ask("/mcp", rpc(CALL, { "accept-language": "es" }));
    assert.equal(json.error?.message, "Tool 'x' no encontrada");
  });

  it("a caller that hangs up has cancelled", async () => {
    doors.gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    const left = new AbortController();
    const body = JSON.stringify(CALL);
    const asked = fetch(`${doors.url}/mcp`, { ...rpc(body), body, signal: left.signal } as RequestInit).catch(() => {});
    await until("the call runs", () => doors.gateway.calls.length === 1);
    left.abort();
    await asked;
    await until("the call ends", () => doors.gateway.calls[0]?.signal?.aborted === true);
  });
});

describe("leniency: what real clients send is served", () => {
  const ids = ["0", '""', "-1", "9007199254740993", "123456789012345678901234567890", "1.0", '"a b/ñ\\u0000"', "null"];
  for (const id of ids) {
    it(`the id ${id}, echoed exactly`, async () => {
      const { status, text } = await doors.ask("/mcp", rpc(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`));
      assert.deepEqual([status, text], [200, `{"jsonrpc":"2.0","id":${id},"result":{}}`]);
    });
  }

  const lenient: Readonly<Record<string, string>> = {
    "params null": '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}',
    "params absent": '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    "extra params": '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"withUserTools":true,"cursor":""}}',
    "Jsonrpc with a capital": '{"Jsonrpc":"2.0","id":1,"method":"tools/list"}',
    "a trailing newline": '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\r\n',
    "extra members": '{"jsonrpc":"2.0","id":1,"method":"tools/list","meta":{}}',
  };
  for (const [what, body] of Object.entries(lenient)) {
    it(what, async () => {
      const { status, json } = await doors.ask("/mcp", rpc(body));
      assert.equal(status, 200);
      assert.partialDeepStrictEqual(json.result, { tools: doors.gateway.tools });
    });
  }

  it("initialize twice in a session, which stays the same one", async () => {
    const session = await initialize();
    const again = await doors.ask("/mcp", rpc({ ...PING, method: "initialize" }, session));
    assert.equal(again.status, 200);
    assert.ok(again.json.result?.["protocolVersion"]);
    assert.equal((await doors.ask("/mcp", rpc(PING, session))).status, 200);
  });

  it("no notifications/initialized, a ping before anything, repeated ids", async () => {
    assert.equal((await doors.ask("/mcp", rpc(PING))).status, 200);
    const session = await initialize();
    for (let n = 0; n < 2; n++) assert.ok((await doors.ask("/mcp", rpc(CALL, session))).json.result);
  });
});

describe("a session", () => {
  it("is opened by initialize, in whose answer its id stands", async () => {
    const { status, headers, json } = await doors.ask("/mcp", rpc(initializeMessage("2025-06-18"), EVENTS));
    assert.deepEqual([status, json.result?.["protocolVersion"]], [200, "2025-06-18"]);
    assert.match(String(headers["mcp-session-id"]), /^[\x21-\x7e]{22,}$/);
  });

  it("takes notifications and answers without a word", async () => {
    const session = await initialize();
    for (const message of [{ method: "notifications/initialized" }, { id: 1, result: {} }, { method: "unknown" }]) {
      const { status, text } = await doors.ask("/mcp", rpc({ jsonrpc: "2.0", ...message }, session));
      assert.deepEqual([status, text], [202, ""]);
    }
  });

  it("answers failures of calls as the official revisions do: 200, wrong arguments for the model to see", async () => {
    const session = await initialize();
    doors.gateway.answer = () => Promise.reject(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } }));
    const unknown = await doors.ask("/mcp", rpc(CALL, session));
    assert.deepEqual([unknown.status, unknown.json.error?.code], [200, -32602]);
    doors.gateway.answer = () => Promise.reject(new ZaguanError("INVALID_ARGUMENT", { params: { reason: "q" } }));
    const wrong = await doors.ask("/mcp", rpc(CALL, session));
    assert.deepEqual([wrong.status, wrong.json.result?.["isError"]], [200, true]);
  });

  it("is ended by DELETE, and unknown from then on", async () => {
    const session = await initialize();
    assert.equal((await doors.ask("/mcp", { method: "DELETE", headers: session })).status, 204);
    for (const asked of [
      rpc(PING, session),
      { headers: { ...session, ...EVENTS } },
      { method: "DELETE", headers: session },
    ]) {
      unknownSession(await doors.ask("/mcp", asked));
    }
  });

  it("of somebody else is as unknown as one that never was, and goes on undisturbed", async () => {
    const alice = { "x-api-key": "alice" };
    const session = await initialize(alice);
    const stream = await listen({ ...session, ...alice });
    const answers = [];
    for (const headers of [
      { ...session, "x-api-key": "bob" },
      session,
      { "mcp-session-id": "guess", "x-api-key": "bob" },
    ]) {
      for (const asked of [rpc(PING, headers), { headers: { ...headers, ...EVENTS } }, { method: "DELETE", headers }]) {
        const answer = await doors.ask("/mcp", asked);
        unknownSession(answer);
        answers.push(answer.text);
      }
    }
    assert.equal(new Set(answers).size, 1);
    doors.gateway.toolsChanged();
    await until("alice hears", () => stream.text().includes("list_changed"));
  });

  it("id of a client's own choice is never adopted", async () => {
    const chosen = { "mcp-session-id": "i-chose-this-one-myself-000000000" };
    unknownSession(await doors.ask("/mcp", rpc(initializeMessage(), chosen)));
    unknownSession(await doors.ask("/mcp", rpc(PING, chosen)));
  });

  it("is refused with its id and an estimate where there are too many", async () => {
    for (let n = 0; n < 2; n++) await doors.ask("/mcp", rpc(PING, await initialize()));
    const { status, json, headers } = await doors.ask("/mcp", rpc(initializeMessage()));
    assert.deepEqual([status, json["id"], json.error?.code], [503, "init", -32000]);
    assert.equal(json.error?.data["queue_size"], 2);
    assert.ok(Number(json.error?.data["estimated_wait_ms"]) > 0);
    assert.ok(Number(headers["retry-after"]) > 0);
  });

  it("survives a connection that is lost: that is no cancellation, but notifications/cancelled is", async () => {
    const session = await initialize();
    doors.gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    const left = new AbortController();
    const body = JSON.stringify({ ...CALL, id: "c" });
    const asked = fetch(`${doors.url}/mcp`, { ...rpc(body, session), body, signal: left.signal } as RequestInit);
    await until("the call runs", () => doors.gateway.calls.length === 1);
    left.abort();
    await asked.catch(() => {});
    assert.equal((await doors.ask("/mcp", rpc(PING, session))).status, 200);
    assert.equal(doors.gateway.calls[0]?.signal?.aborted, false);
    await doors.ask(
      "/mcp",
      rpc({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "c" } }, session),
    );
    assert.equal(doors.gateway.calls[0]?.signal?.aborted, true);
  });
});

describe("the version header", () => {
  for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"]) {
    it(`${version} is spoken`, async () => {
      assert.equal((await doors.ask("/mcp", rpc(PING, { "mcp-protocol-version": version }))).status, 200);
    });
  }

  it("of an unknown revision is refused with those we speak", async () => {
    const { status, json } = await doors.ask("/mcp", rpc(PING, { "mcp-protocol-version": "1999-01-01" }));
    assert.equal(status, 400);
    assert.match(String(json.error?.data["supported"]), /2025-11-25/);
    assert.equal(json.error?.data["requested"], "1999-01-01");
  });

  it("is looked at whatever the method", async () => {
    const headers = { ...(await initialize()), ...EVENTS, "mcp-protocol-version": "1999-01-01" };
    for (const method of ["GET", "DELETE"]) assert.equal((await doors.ask("/mcp", { method, headers })).status, 400);
  });
});

describe("the stream of a session", () => {
  it("tells of changed tools", async () => {
    const stream = await listen(await initialize());
    assert.equal(stream.response.headers["content-type"], "text/event-stream");
    doors.gateway.toolsChanged();
    await until("it is told", () => stream.text().includes("data: {"));
    assert.match(
      stream.text(),
      /\n\nevent: message\nid: \w+-1\ndata: {"jsonrpc":"2.0","method":"notifications\/tools\/list_changed"}\n\n$/,
    );
  });

  it("is one: a second is refused with 409 and takes nothing from the first", async () => {
    const session = await initialize();
    const stream = await listen(session);
    const second = await doors.ask("/mcp", { headers: { ...session, ...EVENTS } });
    assert.equal(second.status, 409);
    doors.gateway.toolsChanged();
    await until("the first still hears", () => stream.text().includes("list_changed"));
  });

  it("can be opened anew once it is closed", async () => {
    const session = await initialize();
    (await listen(session)).response.destroy();
    let status = 409;
    const end = Date.now() + 10_000;
    while (status === 409 && Date.now() < end) {
      const response = await doors.begin("/mcp", { headers: { ...session, ...EVENTS } });
      status = response.statusCode ?? 0;
      response.destroy();
    }
    assert.equal(status, 200);
  });

  it("ends with the session", async () => {
    const session = await initialize();
    const stream = await listen(session);
    await doors.ask("/mcp", { method: "DELETE", headers: session });
    await until("the end", () => stream.response.complete);
  });

  it("is not to be had without a session, without asking for events, or by HEAD", async () => {
    const session = await initialize();
    const asked = [
      { headers: EVENTS },
      { headers: session },
      { method: "HEAD", headers: { ...session, ...EVENTS } },
      { method: "DELETE" },
    ];
    for (const one of asked) {
      const { status, headers } = await doors.ask("/mcp", one);
      assert.deepEqual([status, headers.allow], [405, "POST"]);
    }
    await listen(session);
  });
});

describe("progress", () => {
  const asked = { ...CALL, params: { name: "lamp", _meta: { progressToken: "mine" } } };
  beforeEach(() => {
    doors.gateway.answer = async ({ onProgress }) => {
      onProgress?.(Payload.ofText('{"progressToken":77,"progress":0.5}'));
      return Payload.ofText('{"content":[]}');
    };
  });

  it("turns the answer into a stream that bears the caller's token, and ends with the result", async () => {
    for (const headers of [EVENTS, { ...(await initialize()), ...EVENTS }]) {
      const { status, headers: answered, text } = await doors.ask("/mcp", rpc(asked, headers));
      assert.deepEqual([status, answered["content-type"]], [200, "text/event-stream"]);
      const messages = text
        .split("\n\n")
        .filter((event) => event.includes("data: {"))
        .map((event) => JSON.parse(event.split("data: ")[1] ?? ""));
      assert.deepEqual(messages, [
        { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "mine", progress: 0.5 } },
        { jsonrpc: "2.0", id: 1, result: { content: [] } },
      ]);
    }
  });

  it("is left out where the caller cannot read a stream", async () => {
    const { headers, json } = await doors.ask("/mcp", rpc(asked, { accept: "application/json" }));
    assert.deepEqual([headers["content-type"], json.result], ["application/json", { content: [] }]);
  });

  it("that nobody asked for makes no stream", async () => {
    assert.equal((await doors.ask("/mcp", rpc(CALL, EVENTS))).headers["content-type"], "application/json");
  });
});

it("closing the door ends the streams and stops listening to the hub", async () => {
  const stream = await listen(await initialize());
  assert.equal(doors.gateway.listeners.size, 1);
  const closing = doors.close();
  await until("the end", () => stream.response.complete);
  await closing;
  assert.equal(doors.gateway.listeners.size, 0);
  doors = await openDoors([streamableHttp]);
});

function initializeMessage(protocolVersion = "2025-11-25") {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } };
  return { jsonrpc: "2.0", id: "init", method: "initialize", params };
}

/** The header that stands for a new session. */
async function initialize(headers: Record<string, string> = {}, version?: string): Promise<Record<string, string>> {
  const answer = await doors.ask("/mcp", rpc(initializeMessage(version), { ...EVENTS, ...headers }));
  assert.equal(answer.status, 200);
  return { "mcp-session-id": String(answer.headers["mcp-session-id"]) };
}

async function listen(headers: Record<string, string>): Promise<{ response: IncomingMessage; text: () => string }> {
  const response = await doors.begin("/mcp", { headers: { ...headers, ...EVENTS } });
  assert.equal(response.statusCode, 200);
  let text = "";
  response.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  response.on("error", () => {});
  return { response, text: () => text };
}

function unknownSession({ status, json }: Answered): void {
  assert.deepEqual([status, json.error?.code, json.error?.data["suggestion"]], [404, -32001, "initialize"]);
}
