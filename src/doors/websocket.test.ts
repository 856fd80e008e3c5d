import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import { after, before, beforeEach, describe, it, mock } from "node:test";
import { fakeGateway, untilLeft } from "../../test/support/fake-gateway.ts";
import { RPC_CORPUS } from "../../test/support/fuzz-corpus.ts";
import { mutate } from "../../test/support/mutator.ts";
import { type OpenDoors, openDoors } from "../../test/support/open-doors.ts";
import { until } from "../../test/support/processes.ts";
import { Random } from "../../test/support/seed.ts";
import { openSocket, refusal, type SocketClient, type Spoken } from "../../test/support/socket-client.ts";
import { ZaguanError } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import { DOORS } from "./index.ts";
import { webSocket } from "./websocket.ts";

const INITIALIZE = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2024-11-05" } };
const PING = { jsonrpc: "2.0", id: "p", method: "ping" };
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
const call = (id: unknown, more: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "lamp", arguments: {}, ...more },
});

describe("a WebSocket", () => {
  let doors: OpenDoors;
  let client: SocketClient;
  before(async () => {
    doors = await openDoors(DOORS);
  });
  beforeEach(async () => {
    doors.gateway.answer = fakeGateway().answer;
    doors.gateway.calls.length = 0;
    client?.socket.terminate();
    client = await openSocket(`${doors.url}/mcp`);
  });
  after(async () => {
    client.socket.terminate();
    await doors.close();
  });

  it("serves the sequence of seed 001, at /mcp and at /ws", async () => {
    for (const path of ["/mcp", "/ws"]) {
      const { ask, send, socket } = await openSocket(`${doors.url}${path}`);
      assert.equal((await ask(INITIALIZE)).result?.["protocolVersion"], "2024-11-05");
      send({ jsonrpc: "2.0", method: "notifications/initialized", params: {} });
      assert.deepEqual(Object.keys((await ask(LIST)).result ?? {}), ["tools"]);
      const { id, result } = await ask(call(2));
      assert.deepEqual([id, result], [2, { content: [{ type: "text", text: "on" }] }]);
      socket.terminate();
    }
    assert.deepEqual([doors.gateway.calls.length, doors.gateway.calls[0]?.door], [2, "websocket"]);
  });

  for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    it(`agrees on ${version}`, async () => {
      const { result } = await client.ask({ ...INITIALIZE, params: { protocolVersion: version } });
      assert.equal(result?.["protocolVersion"], version);
    });
  }

  it("needs no handshake, and does not mind two", async () => {
    assert.ok((await client.ask(call(1))).result);
    assert.ok((await client.ask(LIST)).result);
    assert.deepEqual((await client.ask(PING)).result, {});
    for (const id of [7, 8]) assert.equal((await client.ask({ ...INITIALIZE, id })).id, id);
    assert.deepEqual((await client.ask(PING)).result, {});
  });

  for (const id of ["0", '""', "-1.50", "12345678901234567890", '"ñ \\u0041"', "null"]) {
    it(`gives the id ${id} back as it was written`, async () => {
      client.send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
      assert.equal(await client.next(), `{"jsonrpc":"2.0","id":${id},"result":{}}`);
    });
  }

  it("takes a capital in Jsonrpc, line ends around a message, and absent or null params", async () => {
    assert.ok((await client.ask('{"Jsonrpc":"2.0","id":1,"method":"tools/list"}\r\n')).result);
    assert.ok((await client.ask('\n{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}\n')).result);
  });

  it("passes over binary frames, answers nobody asked for, and notifications nobody knows", async () => {
    client.socket.send(Buffer.from(JSON.stringify(call(1))));
    client.send({ jsonrpc: "2.0", id: 5, result: {} });
    client.send({ jsonrpc: "2.0", method: "notifications/whatever" });
    assert.equal((await client.ask(PING)).id, "p");
    assert.equal(doors.gateway.calls.length, 0);
  });

  it("answers garbage with its code, and goes on", async () => {
    const garbage: readonly (readonly [string, unknown, number])[] = [
      ["", null, -32700],
      ["nonsense", null, -32700],
      ['{"jsonrpc":"2.0","id":1,"method":"ping"', null, -32700],
      ["[]", null, -32600],
      ['{"id":4,"method":"ping"}', 4, -32600],
      ['{"jsonrpc":"2.0","id":5,"method":"no/such"}', 5, -32601],
      [`{"jsonrpc":"2.0","id":6,"method":"ping","params":${"[".repeat(100)}${"]".repeat(100)}}`, 6, -32600],
    ];
    for (const [text, id, code] of garbage) {
      const spoken = await client.ask(text);
      assert.deepEqual([spoken.id, spoken.error?.code], [id, code], text);
    }
    assert.deepEqual((await client.ask(PING)).result, {});
  });

  it("words wrong arguments for those who greeted, and for those who did not", async () => {
    const failure = new ZaguanError("INVALID_ARGUMENT", { params: { reason: "'on' is missing" } });
    doors.gateway.answer = () => Promise.reject(failure);
    assert.equal((await client.ask(call(1))).error?.code, -32602);
    await client.ask(INITIALIZE);
    assert.equal((await client.ask(call(2))).result?.["isError"], true);
  });

  it("speaks the language it was asked in", async () => {
    const { ask, socket } = await openSocket(`${doors.url}/ws`, { headers: { "accept-language": "es" } });
    doors.gateway.answer = () => Promise.reject(new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" } }));
    assert.equal((await ask(call(1))).error?.message, "Tool 'x' no encontrada");
    socket.terminate();
  });

  it("brings progress before the answer, and answers as they come", async () => {
    const slow = Promise.withResolvers<Payload>();
    doors.gateway.answer = ({ onProgress }) => {
      if (!onProgress) return Promise.resolve(Payload.ofText('"fast"'));
      onProgress(Payload.ofText('{"progressToken":77,"progress":1}'));
      return slow.promise;
    };
    client.send(call("slow", { _meta: { progressToken: 9 } }));
    client.send(call("fast"));
    const { method, params } = JSON.parse(await client.next()) as { method: string; params: object };
    assert.deepEqual([method, params], ["notifications/progress", { progressToken: 9, progress: 1 }]);
    assert.match(await client.next(), /"id":"fast"/);
    slow.resolve(Payload.ofText('"slow"'));
    assert.match(await client.next(), /"id":"slow"/);
  });

  it("tells of changed tools, once its client has greeted", async () => {
    doors.gateway.toolsChanged();
    await client.ask(INITIALIZE);
    doors.gateway.toolsChanged();
    assert.match(await client.next(), /notifications\/tools\/list_changed/);
    assert.equal(client.received.length, 2);
  });

  it("cancels one call by its notification, without an answer", async () => {
    doors.gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
    client.send(call(1));
    client.send(call("1"));
    client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    assert.equal((await client.ask(PING)).id, "p");
    assert.deepEqual(
      doors.gateway.calls.map(({ signal }) => signal?.aborted),
      [true, false],
    );
  });

  for (const [how, leave] of [
    ["closes", (leaver: SocketClient) => leaver.socket.close()],
    ["vanishes", (leaver: SocketClient) => leaver.socket.terminate()],
  ] as const) {
    it(`that ${how} cancels what still runs, and is told nothing more`, async () => {
      doors.gateway.answer = (request) => untilLeft(request, new ZaguanError("CANCELLED"));
      const listening = doors.gateway.listeners.size;
      const leaver = await openSocket(`${doors.url}/mcp`);
      for (const id of [1, 2, 3]) leaver.send(call(id));
      await until("the calls run", () => doors.gateway.calls.length === 3);
      leave(leaver);
      await until("they are cancelled", () => doors.gateway.calls.every(({ signal }) => signal?.aborted));
      await until("nobody listens any more", () => doors.gateway.listeners.size === listening);
    });
  }

  it("agrees on the subprotocol mcp, and on no other", async () => {
    const { socket } = await openSocket(`${doors.url}/mcp`, { offered: ["other", "mcp"] });
    assert.equal(socket.protocol, "mcp");
    assert.equal(client.socket.protocol, "");
    socket.terminate();
  });

  it("never compresses", async () => {
    const { socket } = await openSocket(`${doors.url}/mcp`, { perMessageDeflate: true });
    assert.equal(socket.extensions, "");
    socket.terminate();
  });

  it("answers a client's pings", async () => {
    const pong = new Promise<string>((resolve) => client.socket.on("pong", (data) => resolve(String(data))));
    client.socket.ping("still there?");
    assert.equal(await pong, "still there?");
  });

  it("is closed with 1007 for a text that is no UTF-8", async () => {
    client.socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
    assert.equal(await client.closed, 1007);
  });
});

describe("64 sockets with the same ids", () => {
  it("each get their own answers", async () => {
    const doors = await openDoors([webSocket]);
    doors.gateway.answer = async ({ args }) => {
      await new Promise((resolve) => setTimeout(resolve, (args.text.length * 7) % 5));
      return args;
    };
    const clients = await Promise.all(Array.from({ length: 64 }, () => openSocket(`${doors.url}/mcp`)));
    for (const [who, { send }] of clients.entries()) {
      for (let id = 0; id < 10; id++) send(call(id, { arguments: { who: `${who}`.padStart(who % 7), id } }));
    }
    for (const [who, { received }] of clients.entries()) {
      await until("ten answers", () => received.length === 10);
      const answers = received.map((text) => JSON.parse(text) as Spoken);
      assert.deepEqual(answers.map(({ id }) => id).sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      for (const { id, result } of answers) assert.deepEqual(result, { who: `${who}`.padStart(who % 7), id });
    }
    for (const { socket } of clients) socket.terminate();
    await doors.close();
  });
});

describe("an upgrade", () => {
  let doors: OpenDoors;
  before(async () => {
    doors = await openDoors(DOORS, { settings: { allowedOrigins: ["https://app.example.org"] } });
  });
  after(() => doors.close());

  const refused: readonly (readonly [string, string, Record<string, string>, number, string])[] = [
    ["a foreign origin", "/mcp", { origin: "http://evil.example" }, 403, "FORBIDDEN_ORIGIN"],
    ["the origin of a sandboxed page", "/ws", { origin: "null" }, 403, "FORBIDDEN_ORIGIN"],
    ["a foreign host", "/mcp", { host: "evil.example" }, 403, "FORBIDDEN_HOST"],
    ["a wrong key", "/mcp", { "x-api-key": "wrong" }, 401, "UNAUTHORIZED"],
    ["a wrong key, where there is nothing", "/nowhere", { "x-api-key": "wrong" }, 401, "UNAUTHORIZED"],
    ["a path where there is nothing", "/nowhere", {}, 404, "NOT_FOUND"],
    ["a path that only knows HTTP", "/health", {}, 404, "NOT_FOUND"],
    ["another spelling of the path", "/mcp/", {}, 404, "NOT_FOUND"],
  ];
  for (const [what, path, headers, status, code] of refused) {
    it(`from ${what} gets ${status} and no 101`, async () => {
      const answer = await refusal(`${doors.url}${path}`, headers);
      assert.equal(answer.status, status);
      assert.equal((JSON.parse(answer.text) as Spoken).error?.data["code"], code);
    });
  }

  it("from an allowed origin, or with a query, is taken", async () => {
    for (const origin of [doors.url, "https://app.example.org"]) {
      const { ask, socket } = await openSocket(`${doors.url}/mcp?x=1`, { headers: { origin } });
      assert.deepEqual((await ask(PING)).result, {});
      socket.terminate();
    }
  });

  it("without a key is refused where one is required, and so is a proxy's on loopback", async () => {
    const seen: boolean[] = [];
    const locked = await openDoors(DOORS, {
      authenticate: async (_, fromLoopback) => {
        seen.push(fromLoopback);
        throw new ZaguanError("UNAUTHORIZED");
      },
    });
    assert.equal((await refusal(`${locked.url}/mcp`)).status, 401);
    assert.equal((await refusal(`${locked.url}/ws`, { "x-forwarded-for": "8.8.8.8" })).status, 401);
    assert.deepEqual(seen, [true, false]);
    await locked.close();
  });

  it("carries who calls into every call", async () => {
    const { ask, socket } = await openSocket(`${doors.url}/mcp`, { headers: { "x-api-key": "ann" } });
    await ask(call(1));
    assert.equal(doors.gateway.calls.at(-1)?.principal.id, "key:ann");
    socket.terminate();
  });

  it("to another protocol is passed over, and the request served", async () => {
    const headers = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABk" };
    assert.equal((await doors.ask("/health", { headers })).status, 200);
    const body = JSON.stringify(PING);
    const posted = { ...headers, "content-type": "application/json" };
    assert.deepEqual((await doors.ask("/mcp", { method: "POST", headers: posted, body })).json.result, {});
  });

  it("that is no proper handshake is refused, and the port goes on", async () => {
    const head = (more: string): string =>
      `GET /mcp HTTP/1.1\r\nhost: localhost:${doors.port}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${more}\r\n`;
    assert.match(await doors.raw(head("")), /^HTTP\/1\.1 400 /);
    const key = "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    assert.match(await doors.raw(head(`${key}sec-websocket-version: 7\r\n`)), /^HTTP\/1\.1 400 /);
    assert.equal((await doors.ask("/health")).status, 200);
    assert.deepEqual(doors.reported, []);
  });
});

describe("limits", () => {
  it("a frame larger than a body may be closes its socket with 1009, and only that one", async () => {
    const doors = await openDoors([webSocket], { settings: { bodyBytes: 1_000 } });
    const [large, other] = [await openSocket(`${doors.url}/mcp`), await openSocket(`${doors.url}/mcp`)];
    assert.ok((await large.ask(`${JSON.stringify(PING)}${" ".repeat(900)}`)).result);
    large.send("x".repeat(1_001));
    assert.equal(await large.closed, 1009);
    assert.ok((await other.ask(PING)).result);
    other.socket.terminate();
    await doors.close();
  });

  it("a message in too many pieces closes its socket", async () => {
    const doors = await openDoors([webSocket]);
    const { socket, closed } = await openSocket(`${doors.url}/mcp`);
    for (let piece = 0; piece < 2_000 && socket.readyState === socket.OPEN; piece++) socket.send("", { fin: false });
    assert.equal(await closed, 1008);
    await doors.close();
  });

  it("one socket more than there may be sessions gets 503, until one leaves", async () => {
    const doors = await openDoors([webSocket], { limits: { sessions: 2 } });
    const [first, second] = [await openSocket(`${doors.url}/mcp`), await openSocket(`${doors.url}/ws`)];
    const attempts = await Promise.all([1, 2, 3].map(() => refusal(`${doors.url}/mcp`)));
    assert.deepEqual(
      attempts.map(({ status }) => status),
      [503, 503, 503],
    );
    first.socket.terminate();
    let third: SocketClient | undefined;
    for (let attempt = 0; !third && attempt < 500; attempt++) {
      third = await openSocket(`${doors.url}/mcp`).catch(() => undefined);
    }
    assert.ok((await third?.ask(PING))?.result);
    third?.socket.terminate();
    second.socket.terminate();
    await doors.close();
  });

  it("a peer that asks and never reads is cut, before its answers become our memory", async () => {
    const doors = await openDoors([webSocket], { settings: { bodyBytes: 1_000_000 } });
    doors.gateway.answer = async () => Payload.ofText(JSON.stringify("x".repeat(500_000)));
    const { socket } = await openSocket(`${doors.url}/mcp`);
    socket.pause();
    const closed = new Promise<void>((resolve) => rawSocket(socket).once("close", () => resolve()));
    let asked = 1;
    socket.send(JSON.stringify(call(0)), () => {});
    await until("it is heard", () => doors.gateway.listeners.size > 0);
    while (doors.gateway.listeners.size > 0 && asked < 500) {
      socket.send(JSON.stringify(call(asked++)), () => {});
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until("it is cut", () => doors.gateway.listeners.size === 0);
    socket.resume();
    await closed;
    await doors.close();
  });

  it("one large answer reaches whoever reads", async () => {
    const doors = await openDoors([webSocket]);
    doors.gateway.answer = async () => Payload.ofText(JSON.stringify("x".repeat(10_000_000)));
    const { ask, socket } = await openSocket(`${doors.url}/mcp`);
    assert.equal(String((await ask(call(1))).result).length, 10_000_000);
    assert.ok((await ask(PING)).result);
    socket.terminate();
    await doors.close();
  });
});

describe("silence", () => {
  after(() => mock.timers.reset());

  it("is broken by pings, and two of them unanswered end it", async () => {
    mock.timers.enable({ apis: ["setInterval"] });
    const doors = await openDoors([webSocket]);
    const [mute, polite] = [
      await openSocket(`${doors.url}/mcp`, { autoPong: false }),
      await openSocket(`${doors.url}/mcp`),
    ];
    const pings = { mute: 0, polite: 0 };
    mute.socket.on("ping", () => pings.mute++);
    polite.socket.on("ping", () => pings.polite++);
    for (const count of [1, 2]) {
      mock.timers.tick(30_000);
      await until("a ping", () => pings.mute === count && pings.polite === count);
      await polite.ask(PING);
    }
    mock.timers.tick(30_000);
    assert.equal(await mute.closed, 1006);
    assert.ok((await polite.ask(PING)).result);
    polite.socket.terminate();
    await doors.close();
  });
});

describe("the end of the hub", () => {
  it("is told with 1001, after what runs has its answer, and nothing new is taken", async () => {
    const doors = await openDoors([webSocket]);
    const answer = Promise.withResolvers<Payload>();
    doors.gateway.answer = () => answer.promise;
    const [idle, busy] = [await openSocket(`${doors.url}/mcp`), await openSocket(`${doors.url}/mcp`)];
    busy.send(call(1));
    await until("the call runs", () => doors.gateway.calls.length === 1);
    const closing = doors.close();
    assert.equal(await idle.closed, 1001);
    assert.equal((await busy.ask(call(2))).error?.code, -32004);
    answer.resolve(Payload.ofText('"done"'));
    assert.match(await busy.next(), /"id":1,"result":"done"/);
    assert.equal(await busy.closed, 1001);
    await closing;
    await until("nobody listens any more", () => doors.gateway.listeners.size === 0);
  });

  it("does not wait for a peer that never says goodbye", async () => {
    const doors = await openDoors([webSocket]);
    const socket = connect(doors.port, "127.0.0.1");
    socket.on("error", () => {});
    const head = ["host: localhost", "connection: Upgrade", "upgrade: websocket", "sec-websocket-version: 13"];
    const key = "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==";
    socket.write(`GET /mcp HTTP/1.1\r\n${[...head, key].join("\r\n")}\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    await doors.close();
    socket.destroy();
  });
});

describe("500 malformed frames", () => {
  it("are answered or passed over, and end nothing but their own socket", async () => {
    const doors = await openDoors([webSocket], { settings: { bodyBytes: 100_000 } });
    const random = new Random();
    const witness = await openSocket(`${doors.url}/ws`);
    let client = await openSocket(`${doors.url}/mcp`);
    const ends: number[] = [];
    for (let n = 0; n < 500; n++) {
      const frame = mutate(random, random.pick(RPC_CORPUS)(n));
      client.socket.send(frame, { binary: false });
      if (await survives(client)) continue;
      ends.push(await client.closed);
      client = await openSocket(`${doors.url}/mcp`);
    }
    assert.deepEqual(
      ends.filter((code) => code !== 1007 && code !== 1009),
      [],
    );
    assert.ok(ends.length < 250, `${ends.length} sockets were closed`);
    assert.ok((await witness.ask(PING)).result);
    assert.deepEqual(doors.reported, []);
    for (const { socket } of [client, witness]) socket.terminate();
    await doors.close();
  });
});

/** Whether a ping of a name of its own is answered after all that came before. */
async function survives({ socket, next, send }: SocketClient): Promise<boolean> {
  const id = `survives ${randomUUID()}`;
  if (socket.readyState === socket.OPEN) send({ jsonrpc: "2.0", id, method: "ping" });
  try {
    while (!(await next()).startsWith(`{"jsonrpc":"2.0","id":"${id}"`));
    return true;
  } catch {
    return false;
  }
}

function rawSocket(socket: SocketClient["socket"]): Socket {
  return (socket as unknown as { _socket: Socket })._socket;
}
