/** `/servers/{name}/mcp` for clients of the stateless revision; what servers ask back is in `codec-asking.test.ts`. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { makeTool } from "../../../../test/support/make-call.ts";
import { makeError } from "../../../../test/support/make-error.ts";
import { type Answered, type OpenDoors, openDoors } from "../../../../test/support/open-doors.ts";
import { until } from "../../../../test/support/processes.ts";
import {
  askStateless,
  beginStateless,
  KEY,
  messagesIn,
  type StatelessMessage,
  type Stream,
  statelessRequest,
} from "../../../../test/support/stateless-client.ts";
import { ZaguanError } from "../../../errors.ts";
import { Payload } from "../../../protocol/json/payload.ts";
import { faceOfDiscovery } from "../../../protocol/mcp/face.ts";
import { SUPPORTED_VERSIONS } from "../../../protocol/mcp/versions.ts";
import { oneServer } from "../../streamable-http.ts";

const PATH = "/servers/house/mcp";
const INFO = { name: "own", version: "3", later: true };
const SERVER_INFO = { [`${KEY}serverInfo`]: INFO };
const LISTS = { listChanged: true };
const CAPABILITIES = { tools: LISTS, prompts: {}, resources: { ...LISTS, subscribe: true }, "x-new": { a: 1 } };
const HELLO = { protocolVersion: "2025-06-18", capabilities: CAPABILITIES, serverInfo: INFO, instructions: "be kind" };
const CALL = { method: "tools/call", params: { name: "lamp", arguments: { on: true } } };

let doors: OpenDoors;
beforeEach(async () => {
  doors = await openDoors([oneServer], { limits: { sessions: 2 } });
  doors.gateway.hello = Payload.ofValue(HELLO);
});
afterEach(() => doors.close());

const ask = (message: StatelessMessage, path = PATH): Promise<Answered> => askStateless(doors, path, message);

describe("what a server says of itself", () => {
  it("is told in the words of this revision where it has a handshake", async () => {
    const { status, json } = await ask({ method: "server/discover" });
    const told = { supportedVersions: SUPPORTED_VERSIONS, capabilities: CAPABILITIES, instructions: "be kind" };
    const hints = { ttlMs: 60_000, cacheScope: "private" };
    assert.deepEqual([status, json.result], [200, { resultType: "complete", ...told, _meta: SERVER_INFO, ...hints }]);
  });

  it("is told as it said it where it knows this revision, but for the versions", async () => {
    const said = {
      resultType: "complete",
      capabilities: {},
      ttlMs: 7,
      cacheScope: "public",
      _meta: { x: 1 },
      later: 1,
    };
    doors.gateway.face = async () => faceOfDiscovery(Payload.ofValue({ ...said, supportedVersions: ["2026-07-28"] }));
    const { json } = await ask({ method: "server/discover" });
    assert.deepEqual(json.result, { ...said, supportedVersions: SUPPORTED_VERSIONS });
  });

  it("gets what it forgot to say", async () => {
    doors.gateway.face = async () => faceOfDiscovery(Payload.ofValue({ capabilities: {}, ttlMs: 7 }));
    const { json } = await ask({ method: "server/discover" });
    const told = { capabilities: {}, ttlMs: 7, supportedVersions: SUPPORTED_VERSIONS };
    assert.deepEqual(json.result, { resultType: "complete", cacheScope: "private", ...told });
  });

  it("is what the hub knows, if it speaks no MCP", async () => {
    doors.gateway.hello = undefined;
    const { capabilities, _meta } = (await ask({ method: "server/discover" })).json.result ?? {};
    assert.deepEqual(capabilities, { tools: LISTS });
    assert.equal((_meta as { [key: string]: { name: string } })[`${KEY}serverInfo`]?.name, "house");
  });
});

describe("requests", () => {
  it("are passed on as they were written, in the caller's name", async () => {
    const params = { cursor: "c", odd: [1], _meta: { traceparent: "t" } };
    await ask({ method: "resources/list", params, headers: { "x-api-key": "ana" } });
    const [passed] = doors.gateway.passed;
    assert.deepEqual([passed?.source, passed?.method, passed?.principal.id], ["house", "resources/list", "key:ana"]);
    assert.match(passed?.params.text ?? "", /^\{"cursor":"c","odd":\[1\],"_meta":\{.*"traceparent":"t"\}\}$/);
  });

  it("for a tool go on whole, for the server to judge", async () => {
    await ask({ ...CALL, params: { ...CALL.params, task: { ttl: 1 } } });
    const [called] = doors.gateway.calls;
    assert.deepEqual([called?.tool, called?.unchecked, called?.args.text], ["lamp", true, '{"on":true}']);
    assert.match(called?.params?.text ?? "", /"task":\{"ttl":1\}/);
  });

  it("for a tool of a source that speaks no MCP are judged by the hub", async () => {
    doors.gateway.hello = undefined;
    await ask(CALL);
    const [called] = doors.gateway.calls;
    assert.deepEqual([called?.unchecked, called?.params], [false, undefined]);
  });

  it("for a tool need its name; no arguments are no arguments, however that is said", async () => {
    failed(await ask({ method: "tools/call", headers: { "mcp-name": "lamp" } }), 200, -32602);
    assert.equal(doors.gateway.calls.length, 0);
    for (const nothing of [{}, { arguments: null }]) {
      assert.equal((await ask({ method: "tools/call", params: { name: "lamp", ...nothing } })).status, 200);
    }
  });

  it("for a tool that wants an argument in a header are checked", async () => {
    const level = { type: "integer", "x-mcp-header": "Level" };
    doors.gateway.tools = [makeTool("lamp", { inputSchema: { type: "object", properties: { level } } })];
    const call = { method: "tools/call", params: { name: "lamp", arguments: { level: 3 } } };
    failed(await ask(call), 400, -32020);
    failed(await ask({ ...call, headers: { "mcp-param-level": "4" } }), 400, -32020);
    assert.equal(doors.gateway.calls.length, 0);
    assert.equal((await ask({ ...call, headers: { "mcp-param-level": "3" } })).status, 200);
  });

  it("that only a session could ask are not found, nor passed on", async () => {
    for (const method of ["ping", "initialize", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]) {
      failed(await ask({ method }), 404, -32601);
    }
    assert.equal(doors.gateway.passed.length, 0);
  });

  it("to a server that is not there are not found", async () => {
    for (const message of [CALL, { method: "server/discover" }, { method: "subscriptions/listen" }]) {
      assert.equal((await ask(message, "/servers/none/mcp")).status, 404);
    }
  });

  it("are ended by hanging up", async () => {
    doors.gateway.passAnswer = ({ signal }) => {
      return new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(new ZaguanError("CANCELLED")));
      });
    };
    const left = new AbortController();
    const request = { ...statelessRequest({ method: "resources/list" }), signal: left.signal } as RequestInit;
    const answer = fetch(`${doors.url}${PATH}`, request).catch(() => {});
    await until("it runs", () => doors.gateway.passed.length === 1);
    assert.equal(doors.gateway.passed[0]?.signal?.aborted, false);
    left.abort();
    await answer;
    await until("it ends", () => doors.gateway.passed[0]?.signal?.aborted === true);
  });
});

describe("results", () => {
  const cacheable = ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"];
  const hints = `"ttlMs":0,"cacheScope":"private",`;
  const mark = `"_meta":${JSON.stringify(SERVER_INFO)},`;
  for (const method of [...cacheable, "prompts/get", "completion/complete", "x/own"]) {
    it(`of ${method} keep every character, and get what this revision wants on them`, async () => {
      const written = '{ "n": 12345678901234567890, "z":1.0 }';
      doors.gateway.passAnswer = async () => Payload.ofText(written);
      const { status, text } = await ask({ method, params: named(method) });
      const marks = `"resultType":"complete",${cacheable.includes(method) ? hints : ""}${mark}`;
      assert.deepEqual([status, text], [200, `{"jsonrpc":"2.0","id":1,"result":{${marks}${written.slice(1)}}`]);
    });
  }

  it("of a tool are marked the same way", async () => {
    doors.gateway.answer = async () => Payload.ofText('{"content":[]}');
    assert.equal(
      (await ask(CALL)).text,
      `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",${mark}"content":[]}}`,
    );
  });

  it("keep what the server said itself", async () => {
    const texts = [
      ['{"ttlMs":5,"_meta":{"x":1}}', '{"resultType":"complete","cacheScope":"private","ttlMs":5,"_meta":{"x":1}}'],
      ['{"resultType":"complete"}', '{"resultType":"complete"}'],
      ['{"resultType":"task","taskId":"t"}', '{"resultType":"task","taskId":"t"}'],
    ];
    for (const [written = "", expected] of texts) {
      doors.gateway.passAnswer = async () => Payload.ofText(written);
      const { text } = await ask({ method: "resources/list" });
      assert.equal(text, `{"jsonrpc":"2.0","id":1,"result":${expected}}`);
    }
  });

  it("of lists are the hub's for a principal that may not see all", async () => {
    await doors.close();
    const authenticate = async () => ({ id: "key:k", kind: "key", name: "k", allow: ["lamp"] }) as const;
    doors = await openDoors([oneServer], { authenticate });
    doors.gateway.hello = Payload.ofValue(HELLO);
    const { json } = await ask({ method: "tools/list" });
    assert.deepEqual([json.result?.["tools"], json.result?.["ttlMs"]], [doors.gateway.tools, 0]);
    assert.equal(doors.gateway.passed.length, 0);
  });
});

describe("failures", () => {
  const relayed: readonly (readonly [sent: number, status: number, told: number])[] = [
    [-32601, 404, -32601],
    [-32602, 200, -32602],
    [-32603, 200, -32603],
    [-32002, 200, -32602],
    [-32021, 400, -32021],
    [42, 200, 42],
  ];
  for (const [code, status, told] of relayed) {
    it(`of the server's own, ${code}, are told as ${told} (${status}), in its own words`, async () => {
      const details = { relayed: { code, message: "look here", data: { url: "x" } } };
      doors.gateway.passAnswer = () => Promise.reject(new ZaguanError("SOURCE_ERROR", details));
      const answer = await ask({ method: "prompts/get", params: { name: "p" } });
      failed(answer, status, told);
      assert.deepEqual([answer.json.error?.message, answer.json.error?.data], ["look here", { url: "x" }]);
    });
  }

  it("with a number that this revision has not, are told with one of ours, and the server's beside it", async () => {
    const details = { relayed: { code: -32042, message: "look here", data: { url: "x" } } };
    doors.gateway.passAnswer = () => Promise.reject(new ZaguanError("SOURCE_ERROR", details));
    const answer = await ask({ method: "prompts/get", params: { name: "p" } });
    failed(answer, 200, 1502);
    assert.deepEqual([answer.json.error?.message, answer.json.error?.data["sourceCode"]], ["look here", -32042]);
  });

  it("of ours have their own status", async () => {
    doors.gateway.answer = () => Promise.reject(makeError("RATE_LIMITED", { retryAfterMs: 1_500 }));
    const answer = await ask(CALL);
    failed(answer, 429, 1429);
    assert.equal(answer.headers["retry-after"], "2");
  });

  it("because the hub is closing are no cancellation by the caller", async () => {
    for (const message of [CALL, { method: "resources/list" }]) {
      doors.gateway.answer = () => Promise.reject(new ZaguanError("CANCELLED"));
      doors.gateway.passAnswer = doors.gateway.answer as never;
      failed(await ask(message), 503, 1503);
    }
  });
});

describe("what is said before the answer", () => {
  it("comes on the same stream, progress under the caller's token", async () => {
    doors.gateway.answer = async ({ onProgress, onNotification }) => {
      onProgress?.(Payload.ofText('{"progressToken":77,"progress":1}'));
      onNotification?.("notifications/message", Payload.ofText('{ "level":"info" }'));
      return Payload.ofText('{"content":[]}');
    };
    const { text } = await ask({ ...CALL, params: { ...CALL.params, _meta: { progressToken: "mine" } } });
    const messages = messagesIn(text);
    assert.deepEqual(
      messages.map(({ method, params }) => [method, params?.["progressToken"] ?? params?.["level"]]),
      [
        ["notifications/progress", "mine"],
        ["notifications/message", "info"],
        [undefined, undefined],
      ],
    );
    assert.deepEqual(messages[2]?.result?.["content"], []);
  });

  it("is for clients that said from which level on they want it; the others want none", async () => {
    const wanted: unknown[] = [];
    doors.gateway.answer = async ({ caller }) => {
      wanted.push(["info", "error"].filter((level) => caller?.wantsLog(level)));
      return Payload.ofText("{}");
    };
    for (const meta of [{}, { [`${KEY}logLevel`]: "warning" }, { [`${KEY}logLevel`]: "debug" }]) {
      await ask({ ...CALL, params: { ...CALL.params, _meta: meta } });
    }
    assert.deepEqual(wanted, [[], ["error"], ["info", "error"]]);
  });
});

describe("subscriptions/listen", () => {
  const ALL = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  const SUBSCRIPTION = { [`${KEY}subscriptionId`]: "sub 1" };
  const uris = (method: string): unknown[] =>
    doors.gateway.passed.filter((each) => each.method === method).map(({ params }) => params.value);
  const listen = (notifications: object): Promise<Stream> =>
    beginStateless(doors, PATH, { method: "subscriptions/listen", params: { notifications }, id: '"sub 1"' });

  it("promises first what the server can tell: lists that it says change, resources that it lets us subscribe to", async () => {
    doors.gateway.passAnswer = ({ params }) =>
      (params.value as { uri: string }).uri === "no:no"
        ? Promise.reject(makeError("SOURCE_ERROR"))
        : Promise.resolve(Payload.ofText("{}"));
    const stream = await listen({ ...ALL, resourceSubscriptions: ["a:b", "no:no", "c:d", "a:b", 7], taskIds: ["t"] });
    assert.equal(stream.response.headers["content-type"], "text/event-stream");
    await until("it is promised", () => stream.messages().length === 1);
    const { toolsListChanged, resourcesListChanged } = ALL;
    const notifications = { toolsListChanged, resourcesListChanged, resourceSubscriptions: ["a:b", "c:d"] };
    const method = "notifications/subscriptions/acknowledged";
    assert.deepEqual(stream.messages(), [{ jsonrpc: "2.0", method, params: { _meta: SUBSCRIPTION, notifications } }]);
    assert.deepEqual(
      uris("resources/subscribe").map((params) => (params as { uri: string }).uri),
      ["a:b", "no:no", "c:d"],
    );
  });

  it("tells what was promised, of this server alone, under the id of its request, with the server's own _meta", async () => {
    const stream = await listen({ toolsListChanged: true, resourceSubscriptions: ["a:b"] });
    await until("it is promised", () => stream.messages().length === 1);
    for (const list of ["prompts", "resources", "tools"]) {
      doors.gateway.says(`notifications/${list}/list_changed`, Payload.ofText("{}"));
    }
    doors.gateway.says("notifications/resources/updated", Payload.ofText('{"uri":"c:d"}'));
    doors.gateway.says("notifications/message", Payload.ofText('{"level":"error"}'));
    doors.gateway.says("notifications/resources/updated", Payload.ofText('{"uri":"a:b","_meta":{"x":1}}'));
    await until("it is told", () => stream.messages().length === 3);
    assert.deepEqual(stream.messages().slice(1), [
      { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta: SUBSCRIPTION } },
      {
        jsonrpc: "2.0",
        method: "notifications/resources/updated",
        params: { uri: "a:b", _meta: { ...SUBSCRIPTION, x: 1 } },
      },
    ]);
  });

  it("asks nothing of a server that takes no subscriptions", async () => {
    doors.gateway.hello = Payload.ofValue({ ...HELLO, capabilities: { resources: {}, tools: null } });
    const stream = await listen({ ...ALL, resourceSubscriptions: ["a:b"] });
    await until("the end", () => stream.response.readableEnded);
    assert.deepEqual(stream.messages()[0]?.params?.["notifications"], {});
    assert.deepEqual(stream.messages()[1]?.result, { resultType: "complete", _meta: SUBSCRIPTION });
    assert.equal(doors.gateway.passed.length, 0);
  });

  it("is over when the client hangs up: the server is told, and there is room again", async () => {
    for (let n = 1; n < 5; n++) {
      const stream = await listen({ resourceSubscriptions: ["a:b"] });
      await until("it is promised", () => stream.messages().length === 1);
      stream.response.destroy();
      await until("it is released", () => uris("resources/unsubscribe").length === n);
    }
    assert.deepEqual(uris("resources/unsubscribe")[0], { uri: "a:b" });
  });

  it("ends with a result when we close", async () => {
    const stream = await listen({ toolsListChanged: true });
    await until("it is promised", () => stream.messages().length === 1);
    await doors.close();
    await until("the end", () => stream.response.readableEnded);
    assert.deepEqual(stream.messages()[1], {
      jsonrpc: "2.0",
      id: "sub 1",
      result: { resultType: "complete", _meta: SUBSCRIPTION },
    });
    doors = await openDoors([oneServer]);
  });

  it("is refused without wishes, and where too many listen", async () => {
    failed(await ask({ method: "subscriptions/listen" }), 200, -32602);
    for (let n = 0; n < 2; n++) await listen({ toolsListChanged: true });
    const notifications = { toolsListChanged: true };
    failed(await ask({ method: "subscriptions/listen", params: { notifications } }), 503, 1503);
  });
});

function named(method: string): Record<string, unknown> {
  if (method === "resources/read") return { uri: "a:b" };
  return method === "prompts/get" ? { name: "p" } : {};
}

function failed({ status, json }: Answered, http: number, code: number): void {
  assert.deepEqual([status, json.error?.code, json["id"]], [http, code, 1]);
}
