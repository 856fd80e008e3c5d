/** Both eras on one connection, over a real WebSocket. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { untilLeft } from "../../../test/support/fake-gateway.ts";
import { type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { until } from "../../../test/support/processes.ts";
import { openSocket, type SocketClient } from "../../../test/support/socket-client.ts";
import { cancelled, envelope, STATELESS, SUBSCRIPTION_ID, stateless } from "../../../test/support/stateless-message.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { webSocket } from "../websocket.ts";

const PING = { jsonrpc: "2.0", id: "p", method: "ping" };
const LISTEN = { notifications: { toolsListChanged: true, promptsListChanged: false } };
const CALL = { name: "lamp", arguments: {} };
const LIST_CHANGED = "notifications/tools/list_changed";

const initialize = (protocolVersion: string, id: unknown = 1): object => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: { protocolVersion },
});
const call = (id: unknown): object => ({ jsonrpc: "2.0", id, method: "tools/call", params: CALL });

interface Said {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly _meta?: Record<string, unknown>; readonly [name: string]: unknown };
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number };
}

let doors: OpenDoors;
let client: SocketClient;
beforeEach(async () => {
  doors = await openDoors([webSocket]);
  client = await openSocket(`${doors.url}/mcp`);
});
afterEach(async () => {
  client.socket.terminate();
  await doors.close();
});

const heard = async (): Promise<Said> => JSON.parse(await client.next()) as Said;
/** What is left to say after this is nothing. */
const isSilent = async (): Promise<void> => assert.equal((await client.ask(PING)).id, "p");

describe("a request without a handshake", () => {
  it("is answered by itself, in the words of its revision", async () => {
    const { result } = await client.ask(stateless(1, "tools/call", CALL));
    assert.equal(result?.["resultType"], "complete");
    assert.deepEqual(result?.["content"], [{ type: "text", text: "on" }]);
    assert.equal(doors.gateway.calls[0]?.door, "websocket");
  });

  it("finds out what there is", async () => {
    const { result } = await client.ask(stateless("d", "server/discover"));
    assert.equal((result?.["supportedVersions"] as string[] | undefined)?.[0], STATELESS);
    assert.equal((await client.ask(stateless(2, "tools/list"))).result?.["cacheScope"], "private");
  });

  it("needs no headers for what a tool would have repeated there", async () => {
    const place = { type: "string", "x-mcp-header": "Place" };
    doors.gateway.tools = [{ name: "lamp", inputSchema: { type: "object", properties: { place } } }];
    assert.ok((await client.ask(stateless(1, "tools/call", { ...CALL, arguments: { place: "hall" } }))).result);
  });

  for (const [what, message, code] of [
    ["in a revision nobody knows", stateless(1, "tools/list", { _meta: envelope({}, "2030-01-01") }), -32022],
    ["in a revision with a handshake", stateless(1, "tools/list", { _meta: envelope({}, "2025-11-25") }), -32022],
    ["without its client's capabilities", stateless(1, "tools/list", { _meta: envelope([]) }), -32602],
    ["for what its revision has no longer", stateless(1, "ping"), -32601],
    ["that begins a handshake all the same", stateless(1, "initialize"), -32601],
  ] as const) {
    it(`${what} gets ${code}`, async () => {
      const { id, error } = await client.ask(message);
      assert.deepEqual([id, error?.code], [1, code]);
    });
  }

  it("shows wrong arguments to the model, where bare JSON-RPC is told by an error", async () => {
    doors.gateway.answer = () => Promise.reject(new ZaguanError("INVALID_ARGUMENT", { params: { reason: "q" } }));
    assert.equal((await client.ask(stateless(1, "tools/call", CALL))).result?.["isError"], true);
    assert.equal((await client.ask(call(2))).error?.code, -32602);
  });

  it("gets its progress before its answer", async () => {
    doors.gateway.answer = async ({ onProgress }) => {
      onProgress?.(Payload.ofText('{"progressToken":9,"progress":1}'));
      return Payload.ofText("{}");
    };
    client.send(stateless(1, "tools/call", { ...CALL, _meta: { progressToken: "t" } }));
    assert.deepEqual((await heard()).params, { progressToken: "t", progress: 1 });
    assert.equal((await heard()).id, 1);
  });

  it("that is cancelled ends, and nothing more is said of it", async () => {
    doors.gateway.answer = async (request) => {
      await untilLeft(request, undefined).catch(() => {});
      request.onProgress?.(Payload.ofText('{"progressToken":9,"progress":1}'));
      return Payload.ofText("{}");
    };
    client.send(stateless(1, "tools/call", { ...CALL, _meta: { progressToken: "t" } }));
    client.send(stateless("1", "tools/call", CALL));
    client.send(cancelled(1));
    await until("the first is cancelled", () => doors.gateway.calls[0]?.signal?.aborted === true);
    await isSilent();
    assert.equal(doors.gateway.calls[1]?.signal?.aborted, false);
  });

  it("ends with the connection", async () => {
    doors.gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    for (const id of [1, 2]) client.send(stateless(id, "tools/call", CALL));
    await until("they run", () => doors.gateway.calls.length === 2);
    client.socket.terminate();
    await until("they are cancelled", () => doors.gateway.calls.every(({ signal }) => signal?.aborted));
  });
});

describe("who listens without a handshake", () => {
  const listening = async (id: unknown): Promise<void> => {
    client.send(stateless(id, "subscriptions/listen", LISTEN));
    const { method, params } = await heard();
    assert.equal(method, "notifications/subscriptions/acknowledged");
    assert.deepEqual(params, { _meta: { [SUBSCRIPTION_ID]: id }, notifications: { toolsListChanged: true } });
  };

  it("is told first what of it is honoured, and then of each change under each subscription", async () => {
    await listening("a");
    await listening(2);
    doors.gateway.toolsChanged();
    const told = [await heard(), await heard()];
    assert.deepEqual(
      told.map(({ method, params }) => [method, params?._meta?.[SUBSCRIPTION_ID]]),
      [
        [LIST_CHANGED, "a"],
        [LIST_CHANGED, 2],
      ],
    );
  });

  it("hears nothing more of a subscription once it cancelled it", async () => {
    // With its first message a client becomes somebody who may be told something.
    await listening("first");
    client.send(cancelled("first"));
    await listening("a");
    const during = doors.gateway.listeners.size;
    client.send(cancelled("a"));
    await until("it does not listen", () => doors.gateway.listeners.size < during);
    doors.gateway.toolsChanged();
    await isSilent();
  });

  it("is answered when we go", async () => {
    await listening("a");
    const closing = doors.close();
    const { id, result } = await heard();
    assert.equal(id, "a");
    assert.deepEqual(result, { resultType: "complete", _meta: { [SUBSCRIPTION_ID]: "a" } });
    assert.equal(await client.closed, 1001);
    await closing;
    await until("nobody listens", () => doors.gateway.listeners.size === 0);
  });

  it("leaves nothing behind when it goes", async () => {
    await listening("a");
    client.socket.terminate();
    await until("nobody listens", () => doors.gateway.listeners.size === 0);
  });
});

describe("both eras on one connection", () => {
  it("are told apart message by message", async () => {
    assert.ok((await client.ask(stateless(1, "server/discover"))).result?.["supportedVersions"]);
    assert.equal((await client.ask(initialize("2025-06-18", 2))).result?.["protocolVersion"], "2025-06-18");
    assert.equal((await client.ask(stateless(3, "tools/call", CALL))).result?.["resultType"], "complete");
    assert.equal((await client.ask(call(4))).result?.["resultType"], undefined);
    assert.equal((await client.ask(stateless(5, "ping"))).error?.code, -32601);
    assert.deepEqual((await client.ask(PING)).result, {});
  });

  it("say unasked what each is to hear, and nothing to those who neither greeted nor listen", async () => {
    await client.ask(stateless(1, "tools/list"));
    doors.gateway.toolsChanged();
    await isSilent();
    await client.ask(initialize("2025-06-18"));
    client.send(stateless("l", "subscriptions/listen", LISTEN));
    await heard();
    doors.gateway.toolsChanged();
    const subscriptions = [await heard(), await heard()].map(({ params }) => params?._meta?.[SUBSCRIPTION_ID]);
    assert.deepEqual(subscriptions.sort(), ["l", undefined]);
  });

  it("are cancelled by the same notification", async () => {
    doors.gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    client.send(call(1));
    client.send(stateless(2, "tools/call", CALL));
    await until("both run", () => doors.gateway.calls.length === 2);
    client.send(cancelled(2));
    client.send({ ...cancelled(1), params: { requestId: 1, _meta: envelope() } });
    await until("both are cancelled", () => doors.gateway.calls.every(({ signal }) => signal?.aborted));
    await isSilent();
  });

  it("are refused while we go, each in its own numbers, until what runs has its answer", async () => {
    const slow = Promise.withResolvers<Payload>();
    doors.gateway.answer = () => slow.promise;
    client.send(stateless(1, "tools/call", CALL));
    await until("it runs", () => doors.gateway.calls.length === 1);
    const closing = doors.close();
    assert.equal((await client.ask(stateless(2, "tools/call", CALL))).error?.code, 1503);
    assert.equal((await client.ask(call(3))).error?.code, -32004);
    slow.resolve(Payload.ofText("{}"));
    assert.equal((await heard()).id, 1);
    await closing;
  });
});

describe("a batch", () => {
  const batch = async (...messages: readonly (object | string)[]): Promise<Said | readonly Said[]> => {
    const texts = messages.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
    client.send(`[${texts.join(" , ")}]`);
    return JSON.parse(await client.next()) as Said | readonly Said[];
  };

  for (const [when, greet] of [
    ["before any handshake", async () => {}],
    ["where 2025-03-26 was agreed on", () => client.ask(initialize("2025-03-26"))],
  ] as const) {
    it(`${when} is answered by one array, in its order`, async () => {
      await greet();
      const slow = Promise.withResolvers<Payload>();
      doors.gateway.answer = () => slow.promise;
      const answers = batch(call("slow"), cancelled("nobody"), PING, '{"id":4,"method":"x"}');
      await until("the call runs", () => doors.gateway.calls.length === 1);
      slow.resolve(Payload.ofText("{}"));
      assert.deepEqual(
        ((await answers) as readonly Said[]).map(({ id, result, error }) => [id, result ?? error?.code]),
        [
          ["slow", {}],
          ["p", {}],
          [4, -32600],
        ],
      );
    });
  }

  it("of notifications and answers alone gets none", async () => {
    client.send(`[${JSON.stringify(cancelled(1))},{"jsonrpc":"2.0","id":7,"result":{}}]`);
    await isSilent();
  });

  it("leaves out what was cancelled", async () => {
    doors.gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    const answers = batch(call(1), PING, cancelled(1));
    assert.deepEqual(await answers, [{ jsonrpc: "2.0", id: "p", result: {} }]);
  });

  for (const version of ["2024-11-05", "2025-06-18", "2025-11-25"]) {
    it(`is refused where ${version} was agreed on`, async () => {
      await client.ask(initialize(version));
      const { id, error } = (await batch(PING)) as Said;
      assert.deepEqual([id, error?.code], [null, -32600]);
    });
  }

  it("holds no handshake, and no request of the later era", async () => {
    const answers = (await batch(initialize("2025-03-26"), stateless(2, "tools/list"), PING)) as readonly Said[];
    assert.deepEqual(
      answers.map(({ id, error }) => [id, error?.code]),
      [
        [1, -32600],
        [2, -32600],
        ["p", undefined],
      ],
    );
  });

  it("is neither empty, nor broken, nor longer than twenty", async () => {
    for (const [text, code] of [
      ["[]", -32600],
      ["[1,", -32700],
      [`[${Array.from({ length: 21 }, () => JSON.stringify(PING)).join(",")}]`, -32600],
    ] as const) {
      const { id, error } = await client.ask(text);
      assert.deepEqual([id, error?.code], [null, code], text.slice(0, 20));
    }
    const twenty = Array.from({ length: 20 }, () => PING);
    assert.equal(((await batch(...twenty)) as readonly Said[]).length, 20);
  });
});
