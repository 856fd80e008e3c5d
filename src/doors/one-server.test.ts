/** `/servers/{name}/mcp`: one server, untouched. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { untilLeft } from "../../test/support/fake-gateway.ts";
import { type OpenDoors, openDoors, rpc } from "../../test/support/open-doors.ts";
import { until } from "../../test/support/processes.ts";
import { ZaguanError } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import { oneServer } from "./streamable-http.ts";

const PATH = "/servers/house/mcp";
const HELLO =
  '{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{},"x":1},"serverInfo":{"name":"own","version":"3"},"later":true}';

let doors: OpenDoors;
beforeEach(async () => {
  doors = await openDoors([oneServer]);
  doors.gateway.hello = Payload.ofText(HELLO);
});
afterEach(() => doors.close());

async function initialize(): Promise<Record<string, string>> {
  const { headers, json } = await doors.ask(
    PATH,
    rpc({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } }),
  );
  assert.equal((json.result?.["serverInfo"] as { name: string } | undefined)?.name, "own");
  return { "mcp-session-id": String(headers["mcp-session-id"]) };
}

describe("one server", () => {
  it("greets in its own name, unknown fields included, in the version the client asked for", async () => {
    const { json } = await doors.ask(
      PATH,
      rpc({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-03-26" } }),
    );
    assert.deepEqual(json.result, { ...JSON.parse(HELLO), protocolVersion: "2025-03-26" });
  });

  it("passes requests and results on with every character as it was written", async () => {
    const result = '{ "resources" : [ {"uri":"a:b","size":9007199254740993,"odd":1.50e2} ],"_x":null }';
    doors.gateway.passAnswer = async () => Payload.ofText(result);
    const params = '{ "cursor":"c" ,"big":12345678901234567890 }';
    const { text } = await doors.ask(
      PATH,
      rpc(`{"jsonrpc":"2.0","id":"r","method":"resources/list","params":${params}}`),
    );
    assert.equal(text, `{"jsonrpc":"2.0","id":"r","result":${result}}`);
    assert.deepEqual(
      doors.gateway.passed.map(({ source, method, params }) => [source, method, params.text]),
      [["house", "resources/list", params]],
    );
  });

  it("calls a tool with the caller's params whole", async () => {
    const params = '{"name":"lamp","arguments":{"on":true},"task":{"ttl":1}}';
    await doors.ask(PATH, rpc(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`));
    assert.equal(doors.gateway.calls[0]?.params?.text, params);
  });

  it("tells the server's own errors in the server's own words", async () => {
    const relayed = { code: -32042, message: "look here", data: { url: "x" } };
    doors.gateway.passAnswer = () => Promise.reject(new ZaguanError("SOURCE_ERROR", { relayed }));
    const { json } = await doors.ask(PATH, rpc({ jsonrpc: "2.0", id: 1, method: "prompts/get" }));
    assert.deepEqual(json.error, relayed);
  });

  it("is not there under another name, and a session of it is unknown elsewhere", async () => {
    assert.equal((await doors.ask("/servers/none/mcp", rpc({ jsonrpc: "2.0", id: 1, method: "ping" }))).status, 404);
    const session = await initialize();
    doors.gateway.has = () => true;
    assert.equal(
      (await doors.ask("/servers/other/mcp", rpc({ jsonrpc: "2.0", id: 1, method: "ping" }, session))).status,
      404,
    );
    assert.equal((await doors.ask(PATH, rpc({ jsonrpc: "2.0", id: 1, method: "ping" }, session))).status, 200);
  });

  it("that speaks no MCP gets the same face from what the hub knows", async () => {
    doors.gateway.hello = undefined;
    const { json } = await doors.ask(PATH, rpc({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
    assert.deepEqual(
      ((json.result?.["tools"] ?? []) as { name: string }[]).map(({ name }) => name),
      ["lamp"],
    );
    assert.equal(doors.gateway.passed.length, 0);
  });

  it("lists through the hub for a principal that may not see everything", async () => {
    const restricted = await openDoors([oneServer], {
      authenticate: async () => ({ id: "key:k", kind: "key", name: "k", allow: ["lamp"] }),
    });
    restricted.gateway.hello = Payload.ofText(HELLO);
    await restricted.ask(PATH, rpc({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
    await restricted.close();
    assert.equal(restricted.gateway.passed.length, 0);
  });

  it("is no longer subscribed to by a client that is gone", async () => {
    const session = await initialize();
    const params = { uri: "a:b" };
    await doors.ask(PATH, rpc({ jsonrpc: "2.0", id: 1, method: "resources/subscribe", params }, session));
    await doors.ask(PATH, { method: "DELETE", headers: session });
    assert.equal(doors.gateway.passed.at(-1)?.method, "resources/unsubscribe");
  });

  it("logs on the stream of the call that is under way", async () => {
    const session = await initialize();
    doors.gateway.answer = async ({ onNotification }) => {
      onNotification?.("notifications/message", Payload.ofText('{"level":"info","data":"hello"}'));
      return Payload.ofText("{}");
    };
    const asked = rpc(
      { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "lamp" } },
      { ...session, accept: "text/event-stream" },
    );
    const { text } = await doors.ask(PATH, asked);
    assert.ok(text.indexOf('"data":"hello"') < text.indexOf('"id":7') && text.includes("hello"), text);
  });

  it("is told what its client tells: that its roots changed, but not that it is initialized", async () => {
    const session = await initialize();
    for (const method of ["notifications/initialized", "notifications/roots/list_changed"]) {
      await doors.ask(PATH, rpc({ jsonrpc: "2.0", method }, session));
    }
    assert.deepEqual(doors.gateway.told, [["notifications/roots/list_changed", "{}"]]);
  });

  it("is told when its caller cancels", async () => {
    const session = await initialize();
    doors.gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    const call = doors.ask(
      PATH,
      rpc({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "lamp" } }, session),
    );
    await until("the call runs", () => doors.gateway.calls.length === 1);
    await doors.ask(
      PATH,
      rpc({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }, session),
    );
    await call;
    assert.equal(doors.gateway.calls[0]?.signal?.aborted, true);
  });

  it("says unasked things only to those they concern", async () => {
    const session = await initialize();
    const stream = await doors.begin(PATH, { headers: { ...session, accept: "text/event-stream" } });
    let heard = "";
    stream.on("data", (chunk: Buffer) => {
      heard += chunk.toString();
    });
    doors.gateway.says("notifications/resources/updated", Payload.ofText('{"uri":"a:b"}'));
    await doors.ask(
      PATH,
      rpc({ jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri: "a:b" } }, session),
    );
    doors.gateway.says("notifications/resources/updated", Payload.ofText('{ "uri":"a:b","n":2 }'));
    doors.gateway.says("notifications/prompts/list_changed", Payload.ofText("{}"));
    await until("the list change arrives", () => heard.includes("prompts/list_changed"));
    assert.equal(heard.split("resources/updated").length - 1, 1);
    assert.ok(heard.includes('{ "uri":"a:b","n":2 }'));
    stream.destroy();
  });
});
