import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, describe, it } from "node:test";
import {
  ANSWER,
  CALL,
  cleanUp,
  connect,
  failure,
  type House,
  INITIALIZE,
  json,
  serve,
  status,
  stream,
  until,
} from "../../test/support/http-house.ts";
import { sayEnding } from "./ending.ts";

const NO_SESSION = '{"jsonrpc":"2.0","error":{"code":-32000,"message":"No valid session ID"},"id":null}';

afterEach(cleanUp);

describe("what is sent", () => {
  it("is a POST with the transport's headers, then with session and version", async () => {
    const house = await serve((_seen, response) => {
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s-1" }).end(ANSWER);
    });
    const { link } = await connect(house, { headers: { Authorization: "Bearer ours", Accept: "*/*" } });
    await link.send(INITIALIZE);
    assert.equal(link.sessionId, "s-1");
    link.setVersion("2025-06-18");
    await link.send(CALL);
    const [first, second] = house.seen;
    assert.equal(first?.method, "POST");
    assert.equal(first.body, INITIALIZE);
    assert.equal(first.headers["content-type"], "application/json");
    assert.equal(first.headers.accept, "application/json, text/event-stream");
    assert.equal(first.headers["accept-encoding"], "identity");
    assert.equal(first.headers.authorization, "Bearer ours");
    assert.equal(first.headers["mcp-session-id"], undefined);
    assert.equal(first.headers["mcp-protocol-version"], undefined);
    assert.equal(second?.headers["mcp-session-id"], "s-1");
    assert.equal(second.headers["mcp-protocol-version"], "2025-06-18");
  });

  it("begins a new session with every initialize, never with another answer", async () => {
    let count = 0;
    const house = await serve((_seen, response) => {
      response.writeHead(202, { "mcp-session-id": `s-${++count}` }).end();
    });
    const { link } = await connect(house);
    for (const message of [INITIALIZE, CALL, INITIALIZE, CALL]) await link.send(message);
    assert.deepEqual(
      house.seen.map(({ headers }) => headers["mcp-session-id"]),
      [undefined, "s-1", undefined, "s-3"],
    );
  });
});

describe("what is answered", () => {
  it("may be one JSON text, which keeps its characters", async () => {
    const house = await serve((_seen, response) => json(response, 200, ANSWER));
    const { link, messages, ended } = await connect(house);
    await link.send(CALL);
    await until(() => ended.length === 1);
    assert.deepEqual(messages, [ANSWER]);
    assert.deepEqual(ended, [{ sent: CALL, error: undefined }]);
  });

  it("may be a JSON array, whose elements come one by one", async () => {
    const house = await serve((_seen, response) => json(response, 200, ` [ ${ANSWER} , {"a":[1]} ] `));
    const { link, messages, ended } = await connect(house);
    await link.send(CALL);
    await until(() => ended.length === 1);
    assert.deepEqual(messages, [ANSWER, '{"a":[1]}']);
  });

  it("may be an event stream in odd chunks; send resolves before it is over", async () => {
    const text = `: hi\r\nid: 1\r\ndata:\r\n\r\nevent: other\ndata: {}\n\ndata: {"p":1}\n\nevent: message\ndata: ${ANSWER}\n\n`;
    let finish = () => {};
    const house = await serve(async (_seen, response) => {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      response.flushHeaders();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      for (const byte of Buffer.from(text)) response.write(Uint8Array.of(byte));
      response.end();
    });
    const { link, messages, ended } = await connect(house);
    await link.send(CALL);
    assert.deepEqual([messages.length, ended.length], [0, 0]);
    finish();
    await until(() => ended.length === 1);
    assert.deepEqual(messages, ['{"p":1}', ANSWER]);
    assert.equal(ended[0]?.error, undefined);
  });

  it("may be nothing: 202, 204, or an empty 200", async () => {
    const statuses = [202, 204, 200];
    const house = await serve((_seen, response) => response.writeHead(statuses.shift() ?? 500).end());
    const { link, messages, ended } = await connect(house);
    for (let i = 0; i < 3; i++) await link.send(CALL);
    await until(() => ended.length === 3);
    assert.deepEqual(messages, []);
    assert.ok(ended.every(({ error }) => error === undefined));
  });

  for (const code of [422, 400]) {
    it(`may be a JSON-RPC error under a 4xx, in a session too (${code})`, async () => {
      const text = '{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}';
      const house = await serve((seen, response) => {
        if (seen.body === INITIALIZE) response.writeHead(202, { "mcp-session-id": "s" }).end();
        else json(response, code, text);
      });
      const { link, messages, ended } = await connect(house);
      await link.send(INITIALIZE);
      await until(() => ended.length === 1);
      await link.send(CALL);
      assert.deepEqual(messages, [text]);
      assert.deepEqual(ended[1], { sent: CALL, error: undefined });
    });
  }
});

describe("listening", () => {
  it("reads what the server says unasked and goes on after the last event", async () => {
    let streams = 0;
    const house = await serve((seen, response) => {
      if (seen.method !== "GET") {
        response.writeHead(202, { "mcp-session-id": "s" }).end();
        return;
      }
      streams++;
      stream(response, streams < 3 ? `retry: 100\nid: e${streams}\ndata: {"n":${streams}}\n\n` : ": quiet\n\n");
      if (streams < 3) response.end();
    });
    const { link, messages } = await connect(house);
    await link.send(INITIALIZE);
    link.setVersion("2025-11-25");
    link.listen();
    link.listen();
    await until(() => streams === 3);
    assert.deepEqual(messages, ['{"n":1}', '{"n":2}']);
    const gets = house.seen.filter(({ method }) => method === "GET");
    assert.deepEqual(
      gets.map(({ headers }) => headers["last-event-id"]),
      [undefined, "e1", "e2"],
    );
    assert.ok(gets.every(({ headers }) => headers["mcp-session-id"] === "s" && headers.accept === "text/event-stream"));
    assert.ok(gets.every(({ headers }) => headers["mcp-protocol-version"] === "2025-11-25"));
  });

  it("moves to the new session after another initialize", async () => {
    let sessions = 0;
    const house = await serve((seen, response) => {
      if (seen.method === "GET") stream(response, ": quiet\n\n");
      else response.writeHead(202, { "mcp-session-id": `s-${++sessions}` }).end();
    });
    const { link } = await connect(house);
    for (let i = 0; i < 2; i++) {
      await link.send(INITIALIZE);
      link.listen();
      await until(() => house.seen.length === 2 * i + 2);
    }
    const gets = house.seen.filter(({ method }) => method === "GET");
    assert.deepEqual(
      gets.map(({ headers }) => headers["mcp-session-id"]),
      ["s-1", "s-2"],
    );
    await until(() => gets[0]?.socket.destroyed === true);
    assert.equal(gets[1]?.socket.destroyed, false);
  });

  it("goes on where the server has not noticed yet that the last stream is gone", async () => {
    const statuses = [200, 409, 200];
    let streams = 0;
    const house = await serve((_seen, response) => {
      if (statuses[streams++] === 409) response.writeHead(409).end();
      else stream(response, `retry: 100\ndata: {"n":${streams}}\n\n`);
      if (streams === 1) response.end();
    });
    const { link, messages } = await connect(house);
    link.listen();
    await until(() => messages.length === 2);
    assert.deepEqual(messages, ['{"n":1}', '{"n":3}']);
  });

  for (const code of [405, 404, 400]) {
    it(`gives up quietly where there is no stream (${code})`, async () => {
      const house = await serve((seen, response) => response.writeHead(seen.method === "GET" ? code : 202).end());
      const { link, ended } = await connect(house);
      link.listen();
      await until(() => house.seen.length === 1);
      await link.send(CALL);
      await until(() => ended.length === 1);
      await new Promise((resolve) => setTimeout(resolve, 150));
      assert.equal(house.seen.length, 2);
    });
  }
});

describe("a session that the server forgot while it was listened to", () => {
  for (const code of [404, 400]) {
    it(`is told of when the stream cannot go on (${code}), once, and is not ended`, async () => {
      const server = await forgetful(code);
      const { link, lost } = await listen(server);
      server.forget();
      await until(() => lost() === 1);
      assert.equal((await failure(link.send(CALL))).code, "UNKNOWN_SESSION");
      assert.equal(lost(), 1);
      await link.close();
      assert.equal(server.house.seen.filter(({ method }) => method === "DELETE").length, 0);
    });
  }

  it("is told of when a message is refused, though the stream seems to stand", async () => {
    const server = await forgetful(404);
    const { link, lost } = await listen(server);
    server.forget({ cutsStream: false });
    for (let i = 0; i < 2; i++) assert.equal((await failure(link.send(CALL))).code, "UNKNOWN_SESSION");
    assert.equal(lost(), 1);
    await until(() => server.open() === 0);
  });

  it("is told of when the next one is forgotten before there was a stream in it", async () => {
    const server = await forgetful(404);
    const { link, lost } = await listen(server);
    server.forget();
    await until(() => lost() === 1);
    await link.send(INITIALIZE);
    server.forget();
    link.listen();
    await until(() => lost() === 2);
  });

  it("is taken for a server without streams when session after session begins like this", async () => {
    const server = await forgetful(404);
    const { link, lost } = await listen(server);
    server.hasStreams = false;
    server.forget();
    for (const times of [1, 2, 3]) {
      await until(() => lost() === times);
      await link.send(INITIALIZE);
      link.listen();
    }
    await until(() => server.house.seen.filter(({ method }) => method === "GET").length === 5);
    await link.send(CALL);
    server.forget();
    assert.equal((await failure(link.send(CALL))).code, "UNKNOWN_SESSION");
    assert.equal(lost(), 3);
  });

  it("is nobody's news where the server never had a stream: it is found out by the next message", async () => {
    const server = await forgetful(404);
    server.hasStreams = false;
    const { link, lost } = await listen(server);
    server.forget();
    assert.equal((await failure(link.send(CALL))).code, "UNKNOWN_SESSION");
    assert.equal(lost(), 0);
  });

  async function listen(server: { readonly house: House; readonly hasStreams: boolean }) {
    let lost = 0;
    const onSessionLost = () => void lost++;
    const { link, messages } = await connect(server.house, {}, () => ({ onSessionLost }));
    await link.send(INITIALIZE);
    link.listen();
    await until(() => messages.length === 1 || (!server.hasStreams && server.house.seen.length === 2));
    return { link, lost: () => lost };
  }

  /** Says so by this status. */
  async function forgetful(code: number) {
    const streams = new Set<ServerResponse>();
    let sessions = 0;
    let known = "";
    const server = {
      hasStreams: true,
      open: () => streams.size,
      forget: ({ cutsStream = true } = {}) => {
        known = "";
        if (cutsStream) for (const response of streams) response.end();
      },
      house: await serve(({ method, headers, body }, response) => {
        if (body === INITIALIZE) known = `s-${++sessions}`;
        if (body === INITIALIZE) response.writeHead(202, { "mcp-session-id": known }).end();
        else if (headers["mcp-session-id"] !== known) json(response, code, NO_SESSION);
        else if (method !== "GET" || !server.hasStreams) response.writeHead(method === "GET" ? 404 : 202).end();
        else streams.add(stream(response, "retry: 100\ndata: {}\n\n").on("close", () => streams.delete(response)));
      }),
    };
    return server;
  }
});

describe("an answer whose stream was cut while its request is pending", () => {
  it("is taken up again after its last event", async () => {
    const house = await serve((seen, response) => {
      if (seen.method === "POST") stream(response, "retry: 100\nid: p1\ndata:\n\n").end();
      else stream(response, `id: p2\ndata: ${ANSWER}\n\n`).end();
    });
    const { link, messages, ended } = await connect(house, {}, (state) => ({
      isPending: () => state.messages.length === 0,
    }));
    await link.send(CALL);
    await until(() => ended.length === 1);
    assert.deepEqual([messages, ended[0]?.error], [[ANSWER], undefined]);
    assert.equal(house.seen[1]?.headers["last-event-id"], "p1");
  });

  it("is lost if the server knows nothing of it", async () => {
    const house = await serve((seen, response) => {
      if (seen.method === "POST") stream(response, "retry: 100\nid: p1\ndata:\n\n").end();
      else response.writeHead(405).end();
    });
    const { link, ended } = await connect(house, {}, () => ({ isPending: () => true }));
    await link.send(CALL);
    await until(() => ended.length === 1);
    assert.deepEqual([ended[0]?.error?.code, ended[0]?.error?.delivery], ["OUTCOME_UNKNOWN", "unknown"]);
  });

  it("can be given up while it waits", async () => {
    const house = await serve((_seen, response) => stream(response, "retry: 60000\nid: p1\ndata:\n\n").end());
    let asked = 0;
    const isPending = () => ++asked > 0;
    const { link, ended } = await connect(house, {}, () => ({ isPending }));
    const controller = new AbortController();
    await link.send(CALL, controller.signal);
    await until(() => asked > 0);
    controller.abort();
    assert.deepEqual([ended.length, ended[0]?.error?.code], [1, "CANCELLED"]);
  });
});

describe("closing", () => {
  it("ends the session with DELETE and leaves no socket behind", async () => {
    const house = await serve((seen, response) => {
      if (seen.method === "GET") stream(response, ": hi\n\n");
      else response.writeHead(seen.method === "DELETE" ? 200 : 202, { "mcp-session-id": "s-9" }).end();
    });
    const { link } = await connect(house, { headers: { "x-key": "k" } });
    await link.send(INITIALIZE);
    link.listen();
    await until(() => house.seen.length === 2);
    await Promise.all([link.close(), link.close()]);
    assert.equal(sayEnding(await link.closed), "closed");
    const last = house.seen.at(-1);
    assert.deepEqual([last?.method, last?.headers["mcp-session-id"], last?.headers["x-key"]], ["DELETE", "s-9", "k"]);
    assert.equal(house.seen.length, 3);
    await until(() => house.sockets.size === 0);
    const error = await failure(link.send(CALL));
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
  });

  it("tells every message that was still waiting, and waits for no server", async () => {
    const house = await serve((seen, response) => {
      if (seen.body === INITIALIZE) response.writeHead(202, { "mcp-session-id": "s" }).end();
      else if (seen.body === ANSWER) stream(response, ": begun\n");
    });
    const { link, ended } = await connect(house);
    await link.send(INITIALIZE);
    await link.send(ANSWER);
    const waiting = failure(link.send(CALL));
    await until(() => house.seen.length === 3);
    await link.close();
    const error = await waiting;
    assert.deepEqual([error.code, error.delivery], ["OUTCOME_UNKNOWN", "unknown"]);
    assert.deepEqual([ended.at(-1)?.sent, ended.at(-1)?.error?.code], [ANSWER, "OUTCOME_UNKNOWN"]);
    await until(() => house.sockets.size === 0);
  });

  it("drops a connection that is still being made", async (test) => {
    let open = 0;
    const mute = createTcpServer((socket) => {
      open++;
      socket.resume().on("close", () => open--);
    });
    test.after(() => mute.close());
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const { link } = await connect({ url: `https://127.0.0.1:${(mute.address() as AddressInfo).port}/` });
    const waiting = failure(link.send(CALL));
    await until(() => open === 1);
    await link.close();
    const error = await waiting;
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    await until(() => open === 0);
  });

  it("sends no DELETE for a session that is dead or never was", async () => {
    const answers = [status(202, { "mcp-session-id": "s" }), status(404)];
    const house = await serve((seen, response) => answers.shift()?.(seen, response));
    const { link } = await connect(house);
    await link.send(INITIALIZE);
    assert.equal((await failure(link.send(CALL))).code, "UNKNOWN_SESSION");
    await link.close();
    const { link: second } = await connect(house);
    await second.close();
    assert.equal(house.seen.length, 2);
  });
});
