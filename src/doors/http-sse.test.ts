import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { fakeGateway, untilLeft } from "../../test/support/fake-gateway.ts";
import { type Asked, type OpenDoors, openDoors, rpc } from "../../test/support/open-doors.ts";
import { until } from "../../test/support/processes.ts";
import { envelope, SUBSCRIPTION_ID, stateless } from "../../test/support/stateless-message.ts";
import { ZaguanError } from "../errors.ts";
import { type SseEvent, SseParser } from "../protocol/framing/sse.ts";
import { Payload } from "../protocol/json/payload.ts";
import { httpSse } from "./http-sse.ts";
import { DOORS } from "./index.ts";

const INITIALIZE = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2024-11-05" } };
const PING = { jsonrpc: "2.0", id: "p", method: "ping" };
const call = (id: unknown, more: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "lamp", arguments: {}, ...more },
});

interface Stream {
  readonly response: IncomingMessage;
  /** Where to POST, as the stream said. */
  readonly endpoint: string;
  /** Data of the events behind the first. */
  readonly messages: string[];
  post(message: unknown, headers?: Asked["headers"]): Promise<number>;
}

async function openStream(doors: OpenDoors, headers: Record<string, string> = {}, path = "/sse"): Promise<Stream> {
  const response = await doors.begin(path, { headers });
  assert.equal(response.statusCode, 200);
  const events: SseEvent[] = [];
  const parser = new SseParser(20_000_000, (event) => void events.push(event));
  response.on("data", (chunk) => parser.push(chunk)).on("error", () => {});
  await until("the first event", () => events.length > 0);
  const [{ type, data: endpoint } = { type: "", data: "" }] = events;
  assert.equal(type, "endpoint");
  const messages: string[] = [];
  response.on("data", () => {
    messages.splice(0, messages.length, ...events.slice(1).map(({ data }) => data));
  });
  const post = async (message: unknown, more: Asked["headers"] = {}): Promise<number> =>
    (await doors.ask(endpoint, rpc(message, { ...headers, ...more }))).status;
  return { response, endpoint, messages, post };
}

describe("HTTP+SSE", () => {
  let doors: OpenDoors;
  let stream: Stream;
  before(async () => {
    doors = await openDoors(DOORS, { limits: { sessions: 10 } });
  });
  beforeEach(async () => {
    doors.gateway.answer = fakeGateway().answer;
    doors.gateway.calls.length = 0;
    stream = await openStream(doors);
  });
  afterEach(() => void stream.response.destroy());
  after(() => doors.close());

  it("says first where to POST, relative to itself, under an id that nobody can guess", async () => {
    assert.match(stream.endpoint, /^\/messages\?sessionId=[\w-]{32}$/);
    assert.equal(stream.response.headers["content-type"], "text/event-stream");
    const other = await openStream(doors);
    assert.notEqual(other.endpoint, stream.endpoint);
    other.response.destroy();
  });

  it("takes each message with 202, and answers on the stream", async () => {
    assert.equal(await stream.post(INITIALIZE), 202);
    assert.equal(await stream.post({ jsonrpc: "2.0", method: "notifications/initialized" }), 202);
    assert.equal(await stream.post({ jsonrpc: "2.0", id: 0, method: "tools/list" }), 202);
    assert.equal(await stream.post(call("")), 202);
    await until("three answers", () => stream.messages.length === 3);
    const [initialized, listed, called] = stream.messages.map((text) => JSON.parse(text));
    assert.equal(initialized.result.protocolVersion, "2024-11-05");
    assert.deepEqual([listed.id, listed.result.tools.length], [0, 1]);
    assert.deepEqual(called, { jsonrpc: "2.0", id: "", result: { content: [{ type: "text", text: "on" }] } });
    assert.deepEqual([doors.gateway.calls[0]?.door, doors.gateway.calls[0]?.language], ["sse", "en"]);
  });

  it("answers bad requests on the stream by their id, and what has none at once", async () => {
    assert.equal(await stream.post('{"jsonrpc":"2.0","id":5,"method":"no/such"}'), 202);
    assert.equal(await stream.post('{"id":6,"method":"ping"}'), 202);
    for (const text of ["nonsense", "[]", ""]) {
      const { status, json } = await doors.ask(stream.endpoint, rpc(text));
      assert.deepEqual([status, typeof json.error?.code], [400, "number"], text);
    }
    assert.equal((await doors.ask(stream.endpoint, { method: "POST", body: JSON.stringify(PING) })).status, 415);
    assert.equal(await stream.post(PING), 202);
    await until("three answers", () => stream.messages.length === 3);
    const answers = stream.messages.map((text) => JSON.parse(text));
    assert.deepEqual(
      answers.map(({ id, error }) => [id, error?.code]),
      [
        [5, -32601],
        [6, -32600],
        ["p", undefined],
      ],
    );
  });

  it("carries requests without a handshake as well, and what they listen for", async () => {
    await stream.post(stateless(1, "tools/call", { name: "lamp", _meta: envelope([]) }));
    await stream.post(stateless(2, "tools/call", { name: "lamp" }));
    await stream.post(stateless("l", "subscriptions/listen", { notifications: { toolsListChanged: true } }));
    await until("an error, a result, an acknowledgement", () => stream.messages.length === 3);
    doors.gateway.toolsChanged();
    await until("the news", () => stream.messages.length === 4);
    const [refused, called, acknowledged, changed] = stream.messages.map((text) => JSON.parse(text));
    assert.deepEqual([refused.id, refused.error.code], [1, -32602]);
    assert.deepEqual([called.id, called.result.resultType], [2, "complete"]);
    assert.equal(acknowledged.method, "notifications/subscriptions/acknowledged");
    assert.equal(changed.params._meta[SUBSCRIPTION_ID], "l");
  });

  it("answers wrong arguments as a result, which the model sees", async () => {
    const failure = new ZaguanError("INVALID_ARGUMENT", { params: { reason: "'on' is missing" } });
    doors.gateway.answer = () => Promise.reject(failure);
    await stream.post(call(1));
    await until("an answer", () => stream.messages.length === 1);
    assert.equal(JSON.parse(stream.messages[0] ?? "").result.isError, true);
  });

  it("knows no other session, however it is asked for", async () => {
    const id = stream.endpoint.split("=")[1];
    for (const path of [
      "/messages",
      "/messages?",
      "/messages?sessionId=",
      "/messages?sessionId=unknown",
      "/messages?sessionId=__proto__",
      `/messages?SessionId=${id}`,
      `/messages?x#sessionId=${id}`,
      `/messages?sessionId=${id}x`,
      "/messages?sessionId=%",
    ]) {
      const { status, json } = await doors.ask(path, rpc(call(1)));
      assert.deepEqual([status, json.error?.data["code"]], [404, "UNKNOWN_SESSION"], path);
    }
    assert.equal((await doors.ask(`/messages?a=b&sessionId=${id}`, rpc(PING))).status, 202);
    assert.equal(doors.gateway.calls.length, 0);
  });

  it("belongs to who opened it", async () => {
    const ann = await openStream(doors, { "x-api-key": "ann" });
    assert.equal(await ann.post(call(1), { "x-api-key": "bob" }), 404);
    assert.equal((await doors.ask(ann.endpoint, rpc(call(1)))).status, 404);
    assert.equal(await ann.post(call(1), { "x-api-key": "wrong" }), 401);
    assert.equal(doors.gateway.calls.length, 0);
    assert.equal(await ann.post(call(1)), 202);
    assert.equal(doors.gateway.calls[0]?.principal.id, "key:ann");
    ann.response.destroy();
  });

  it("ends with its stream, and cancels what still runs", async () => {
    doors.gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    const listening = doors.gateway.listeners.size;
    const leaver = await openStream(doors);
    for (const id of [1, 2]) await leaver.post(call(id));
    await until("the calls run", () => doors.gateway.calls.length === 2);
    leaver.response.destroy();
    await until("they are cancelled", () => doors.gateway.calls.every(({ signal }) => signal?.aborted));
    await until("nobody listens any more", () => doors.gateway.listeners.size === listening);
    assert.equal(await leaver.post(PING), 404);
  });

  it("brings progress, and cancels by notification", async () => {
    doors.gateway.answer = (request) => {
      request.onProgress?.(Payload.ofText('{"progressToken":77,"progress":1}'));
      return untilLeft(request, new ZaguanError("CANCELLED"));
    };
    await stream.post(call(1, { _meta: { progressToken: "t" } }));
    await until("progress", () => stream.messages.length === 1);
    assert.deepEqual(JSON.parse(stream.messages[0] ?? "").params, { progressToken: "t", progress: 1 });
    await stream.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await until("the call is cancelled", () => doors.gateway.calls[0]?.signal?.aborted === true);
  });

  it("tells of changed tools, once its client has greeted", async () => {
    doors.gateway.toolsChanged();
    await stream.post(INITIALIZE);
    await until("the greeting", () => stream.messages.length === 1);
    doors.gateway.toolsChanged();
    await until("the news", () => stream.messages.length === 2);
    assert.match(stream.messages[1] ?? "", /list_changed/);
  });

  it("sends a large answer whole", async () => {
    doors.gateway.answer = async () => Payload.ofText(JSON.stringify("x".repeat(10_000_000)));
    await stream.post(call(1));
    await until("the answer", () => stream.messages.length === 1);
    assert.equal(JSON.parse(stream.messages[0] ?? "").result.length, 10_000_000);
    await stream.post(PING);
    await until("the next", () => stream.messages.length === 2);
  });

  it("knows only its methods", async () => {
    assert.equal((await doors.ask("/sse", { method: "HEAD" })).status, 405);
    assert.deepEqual((await doors.ask("/sse", rpc(INITIALIZE))).headers.allow, "GET");
    assert.deepEqual((await doors.ask("/messages")).headers.allow, "POST");
  });

  it("keeps strangers out before there is a stream", async () => {
    assert.equal((await doors.ask("/sse", { headers: { origin: "http://evil.example" } })).status, 403);
    assert.equal((await doors.ask("/sse", { headers: { host: "evil.example" } })).status, 403);
    assert.equal((await doors.ask("/sse", { headers: { "x-api-key": "wrong" } })).status, 401);
    assert.equal((await doors.ask(stream.endpoint, rpc(PING, { origin: "http://evil.example" }))).status, 403);
  });
});

describe("HTTP+SSE to one server", () => {
  const hello = { capabilities: { tools: {} }, serverInfo: { name: "own", version: "3" }, later: true };
  let doors: OpenDoors;
  before(async () => {
    doors = await openDoors(DOORS);
    doors.gateway.hello = Payload.ofValue(hello);
  });
  after(() => doors.close());

  it("says first where to POST, and greets in the server's own words", async () => {
    const stream = await openStream(doors, {}, "/servers/house/sse");
    assert.match(stream.endpoint, /^\/servers\/house\/messages\?sessionId=[\w-]{32}$/);
    assert.equal(await stream.post(INITIALIZE), 202);
    assert.equal(await stream.post({ jsonrpc: "2.0", id: 2, method: "prompts/list" }), 202);
    await until("two answers", () => stream.messages.length === 2);
    const [greeting] = stream.messages.map((text) => JSON.parse(text));
    assert.deepEqual(greeting.result, { ...hello, protocolVersion: "2024-11-05" });
    assert.deepEqual(
      doors.gateway.passed.map(({ source, method, door }) => [source, method, door]),
      [["house", "prompts/list", "sse"]],
    );
    stream.response.destroy();
  });

  it("is not there for a server that is not", async () => {
    assert.equal((await doors.ask("/servers/none/sse")).status, 404);
  });

  it("has sessions that are unknown elsewhere, and the other way round", async () => {
    doors.gateway.has = (source) => source === "house" || source === "my shed";
    const [house, shed, whole] = [
      await openStream(doors, {}, "/servers/house/sse"),
      await openStream(doors, {}, "/servers/my%20shed/sse"),
      await openStream(doors),
    ];
    assert.match(shed.endpoint, /^\/servers\/my%20shed\/messages/);
    for (const { endpoint, post } of [house, shed, whole]) {
      assert.equal(await post(PING), 202, endpoint);
      const query = endpoint.slice(endpoint.indexOf("?"));
      for (const other of [house, shed, whole].map((one) => one.endpoint.split("?")[0])) {
        const expected = endpoint.startsWith(`${other}?`) ? 202 : 404;
        assert.equal((await doors.ask(`${other}${query}`, rpc(PING))).status, expected, `${other}${query}`);
      }
    }
    for (const { response } of [house, shed, whole]) response.destroy();
  });
});

describe("the number of streams", () => {
  it("is bounded, until one leaves", async () => {
    const doors = await openDoors([httpSse], { limits: { sessions: 2 } });
    const [first, second] = [await openStream(doors), await openStream(doors)];
    const { status, headers } = await doors.ask("/sse");
    assert.deepEqual([status, headers["retry-after"]], [503, "30"]);
    first.response.destroy();
    await until("one has left", () => doors.gateway.listeners.size === 1);
    const third = await openStream(doors);
    assert.equal(await third.post(PING), 202);
    for (const { response } of [second, third]) response.destroy();
    await doors.close();
  });
});

describe("the end of the hub", () => {
  it("ends the streams, after what runs has its answer", async () => {
    const doors = await openDoors([httpSse]);
    const answer = Promise.withResolvers<Payload>();
    doors.gateway.answer = () => answer.promise;
    const [idle, busy] = [await openStream(doors), await openStream(doors)];
    await busy.post(call(1));
    await until("the call runs", () => doors.gateway.calls.length === 1);
    const closing = doors.close();
    await until("the idle stream ends", () => idle.response.complete);
    answer.resolve(Payload.ofText('"done"'));
    await until("the other ends too", () => busy.response.complete);
    assert.match(busy.messages[0] ?? "", /"id":1,"result":"done"/);
    await closing;
    await until("nobody listens any more", () => doors.gateway.listeners.size === 0);
  });
});
