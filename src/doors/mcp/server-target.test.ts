/** One server over a real WebSocket, with a fake hub behind. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { until } from "../../../test/support/processes.ts";
import { openSocket, refusal, type SocketClient } from "../../../test/support/socket-client.ts";
import { stateless } from "../../../test/support/stateless-message.ts";
import type { Caller } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { faceOfInitialize } from "../../protocol/mcp/face.ts";
import { webSocket } from "../websocket.ts";

const PATH = "/servers/house/mcp";
const HELLO = { capabilities: { tools: {}, logging: {} }, serverInfo: { name: "own", version: "3" }, later: true };
const PING = { jsonrpc: "2.0", id: "p", method: "ping" };
const ELICITATION = { elicitation: {} };

const initialize = (capabilities: object = {}): object => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities },
});
const request = (id: unknown, method: string, params: object = {}): object => ({ jsonrpc: "2.0", id, method, params });

let doors: OpenDoors;
let clients: SocketClient[];
beforeEach(async () => {
  clients = [];
  doors = await openDoors([webSocket]);
  doors.gateway.hello = Payload.ofValue(HELLO);
});
afterEach(async () => {
  for (const { socket } of clients) socket.terminate();
  await doors.close();
});

async function open(key?: string): Promise<SocketClient> {
  const client = await openSocket(doors.url + PATH, key === undefined ? {} : { headers: { "x-api-key": key } });
  clients.push(client);
  return client;
}

async function greeted(key?: string): Promise<SocketClient> {
  const client = await open(key);
  assert.ok((await client.ask(initialize())).result);
  return client;
}

describe("one server on a socket", () => {
  it("is itself: its greeting, its names, its words, its errors", async () => {
    const client = await open();
    assert.deepEqual((await client.ask(initialize())).result, { ...HELLO, protocolVersion: "2025-11-25" });
    const relayed = { code: -32042, message: "look here", data: { url: "x" } };
    doors.gateway.passAnswer = () => Promise.reject(new ZaguanError("SOURCE_ERROR", { relayed }));
    assert.deepEqual((await client.ask(request(2, "prompts/get"))).error, relayed);
    const params = '{"name":"lamp","arguments":{ "n":1.50 },"task":{"ttl":1}}';
    await client.ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":${params}}`);
    assert.deepEqual([doors.gateway.calls[0]?.params?.text, doors.gateway.calls[0]?.door], [params, "websocket"]);
  });

  it("is met without a handshake too", async () => {
    const client = await open();
    const { result } = await client.ask(stateless(1, "server/discover"));
    assert.deepEqual(result?.["capabilities"], HELLO.capabilities);
    assert.equal((await client.ask(stateless(2, "tools/call", { name: "lamp" }))).result?.["resultType"], "complete");
    assert.ok((await client.ask(request(3, "tools/call", { name: "lamp" }))).result);
  });

  it("is not waited for while it is up, in either era", async () => {
    const face = faceOfInitialize(Payload.ofValue(HELLO));
    doors.gateway.faceNow = () => ({ face });
    doors.gateway.face = () => Promise.reject(new Error("nobody asks"));
    const client = await open();
    assert.deepEqual((await client.ask(initialize())).result, { ...HELLO, protocolVersion: "2025-11-25" });
    assert.ok((await client.ask(request(2, "tools/call", { name: "lamp" }))).result);
    const { _meta } = (await client.ask(stateless(3, "tools/call", { name: "lamp" }))).result ?? {};
    assert.deepEqual(_meta, { "io.modelcontextprotocol/serverInfo": HELLO.serverInfo });
    assert.deepEqual(
      doors.gateway.calls.map(({ unchecked }) => unchecked),
      [true, true],
    );
  });

  it("that is not there is told by 404, and no socket begins", async () => {
    const { status, text } = await refusal(`${doors.url}/servers/none/mcp`);
    assert.equal(status, 404);
    assert.match(text, /NOT_FOUND/);
  });

  it("knows the client that greeted it, what it can be asked, and what it wants to hear", async () => {
    const joined: Caller[] = [];
    doors.gateway.join = (_source, caller) => {
      joined.push(caller);
      return () => void joined.splice(joined.indexOf(caller), 1);
    };
    const client = await open();
    await client.ask(request(1, "ping"));
    assert.equal(joined.length, 0);
    await client.ask(initialize(ELICITATION));
    await client.ask(request(2, "logging/setLevel", { level: "error" }));
    assert.deepEqual([joined[0]?.canBeAsked, joined[0]?.logLevel], [true, "error"]);
    client.socket.terminate();
    await until("it has left", () => joined.length === 0);
  });

  it("asks its client back in the middle of a call", async () => {
    doors.gateway.answer = ({ caller, signal }) =>
      (caller as Caller).request("elicitation/create", Payload.ofText('{"message":"who?"}'), signal as AbortSignal);
    const client = await open();
    await client.ask(initialize(ELICITATION));
    client.send(request(2, "tools/call", { name: "lamp" }));
    const question = JSON.parse(await client.next()) as { id: unknown; method: string; params: object };
    assert.deepEqual([question.method, question.params], ["elicitation/create", { message: "who?" }]);
    const answer = { jsonrpc: "2.0", id: question.id, result: { action: "accept", content: { name: "Ann" } } };
    const { id, result } = await client.ask(answer);
    assert.deepEqual([id, result], [2, answer.result]);
  });

  it("says unasked things only to those who greeted it and whom they concern", async () => {
    const [ann, bob, stranger] = [await greeted("ann"), await greeted("bob"), await open("ann")];
    await ann.ask(request(2, "resources/subscribe", { uri: "a:b" }));
    await stranger.ask(stateless(1, "tools/list"));
    await bob.ask(request(3, "logging/setLevel", { level: "error" }));
    doors.gateway.says("notifications/message", Payload.ofText('{"level":"info"}'));
    doors.gateway.says("notifications/resources/updated", Payload.ofText('{ "uri":"a:b" }'));
    doors.gateway.says("notifications/prompts/list_changed", Payload.ofText("{}"));
    const heard = async (client: SocketClient): Promise<readonly unknown[]> => {
      client.send(PING);
      await until("the end of it", () => client.received.some((text) => text.includes('"id":"p"')));
      return client.received.map((text) => (JSON.parse(text) as { method?: string }).method).filter(Boolean);
    };
    const all = ["notifications/message", "notifications/resources/updated", "notifications/prompts/list_changed"];
    assert.deepEqual(await heard(ann), all);
    assert.deepEqual(await heard(bob), ["notifications/prompts/list_changed"]);
    assert.deepEqual(await heard(stranger), []);
  });

  it("is listened to only while somebody is there", async () => {
    const { onNotification } = doors.gateway;
    let listening = 0;
    doors.gateway.onNotification = (listener) => {
      const stop = onNotification(listener);
      listening++;
      return () => {
        listening--;
        stop();
      };
    };
    const [first, second] = [await greeted(), await greeted()];
    assert.equal(listening, 1);
    first.socket.terminate();
    second.socket.terminate();
    await until("nobody listens", () => listening === 0);
  });
});
