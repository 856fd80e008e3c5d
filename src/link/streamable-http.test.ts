import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { afterEach, describe, it } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { ZaguanError } from "../errors.ts";
import {
  type HttpLink,
  type HttpLinkHandlers,
  openStreamableHttp,
  type StreamableHttpOptions,
} from "./streamable-http.ts";

const INITIALIZE = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}';
const CALL = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}';
const ANSWER = '{"jsonrpc":"2.0","id":2,"result":{"big": 9007199254740993, "ñ":"🏠"}}';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

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

  it("may be a JSON-RPC error under a 4xx", async () => {
    const text = '{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}';
    const house = await serve((_seen, response) => json(response, 422, text));
    const { link, messages, ended } = await connect(house);
    await link.send(CALL);
    assert.deepEqual(messages, [text]);
    assert.deepEqual(ended, [{ sent: CALL, error: undefined }]);
  });
});

describe("an answer that is of no use", () => {
  const cases: Record<string, { answer: Answer; code: string; delivery: string; reason?: RegExp; session?: boolean }> =
    {
      "401": { answer: status(401), code: "SOURCE_UNAVAILABLE", delivery: "not_sent", reason: /credentials \(401\)/ },
      "403": { answer: status(403), code: "SOURCE_UNAVAILABLE", delivery: "not_sent", reason: /credentials \(403\)/ },
      "404 in a session": { answer: status(404), code: "UNKNOWN_SESSION", delivery: "not_sent", session: true },
      "400 in a session": { answer: status(400), code: "UNKNOWN_SESSION", delivery: "not_sent", session: true },
      "404 without a session": { answer: status(404), code: "SOURCE_ERROR", delivery: "unknown", reason: /^HTTP 404$/ },
      "400 without a session": { answer: status(400), code: "SOURCE_ERROR", delivery: "unknown", reason: /^HTTP 400$/ },
      "4xx with an error nobody asked for": {
        answer: (_seen, response) =>
          json(response, 405, '{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}}'),
        code: "SOURCE_ERROR",
        delivery: "unknown",
        reason: /^HTTP 405$/,
      },
      "500": { answer: status(500), code: "SOURCE_ERROR", delivery: "unknown", reason: /^HTTP 500$/ },
      "a redirect": {
        answer: status(307, { location: "/elsewhere" }),
        code: "SOURCE_ERROR",
        delivery: "unknown",
        reason: /redirects are not followed/,
      },
      "gzip, be it a bomb": {
        answer: compressed("gzip", gzipSync(Buffer.alloc(20_000_000))),
        code: "SOURCE_ERROR",
        delivery: "unknown",
        reason: /compressed/,
      },
      "brotli, be it a bomb": {
        answer: compressed("br", brotliCompressSync(Buffer.alloc(2_000_000))),
        code: "SOURCE_ERROR",
        delivery: "unknown",
        reason: /compressed/,
      },
      "a declared length over the limit": {
        answer: (_seen, response) => response.writeHead(200, { ...JSON_TYPE, "content-length": 5_000_000 }).write("{"),
        code: "SOURCE_ERROR",
        delivery: "unknown",
        reason: /larger than 1000 bytes/,
      },
      "a session id no header can carry": {
        answer: (_seen, response) => response.writeHead(200, { ...JSON_TYPE, "mcp-session-id": "a b" }).end("{}"),
        code: "SOURCE_ERROR",
        delivery: "unknown",
        reason: /session id/,
      },
    };
  for (const [name, { answer, code, delivery, reason, session }] of Object.entries(cases)) {
    it(`${name}: ${code}, ${delivery}`, async () => {
      let opened = !session;
      const house = await serve((seen, response) => {
        if (opened) return answer(seen, response);
        opened = true;
        response.writeHead(202, { "mcp-session-id": "s" }).end();
      });
      const { link, messages, ended } = await connect(house, { maxBytes: 1000 });
      if (session) await link.send(INITIALIZE);
      const before = house.seen.length;
      const error = await failure(link.send(session ? CALL : INITIALIZE));
      assert.deepEqual([error.code, error.delivery], [code, delivery]);
      if (reason) assert.match(String(error.details.params?.["reason"]), reason);
      assert.deepEqual([messages.length, house.seen.length], [0, before + 1]);
      await until(() => ended.length === (session ? 1 : 0));
    });
  }

  it("429 and 503 tell when to come back: seconds, a date, or nothing", async () => {
    const soon = new Date(Date.now() + 90_000).toUTCString();
    const answers = [status(429, { "retry-after": "7" }), status(503, { "retry-after": soon }), status(503)];
    const house = await serve((seen, response) => answers.shift()?.(seen, response));
    const { link } = await connect(house);
    const errors = [await failure(link.send(CALL)), await failure(link.send(CALL)), await failure(link.send(CALL))];
    for (const error of errors) assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    const [seconds, date, none] = errors.map((error) => error.details.retryAfterMs);
    assert.equal(seconds, 7000);
    assert.ok(date !== undefined && date > 30_000 && date <= 90_000, String(date));
    assert.equal(none, undefined);
  });
});

describe("an answer that goes wrong after its head", () => {
  const cases: Record<string, { answer: Answer; code: string; reason?: RegExp }> = {
    "an endless event": { answer: endless("text/event-stream", "data: "), code: "SOURCE_ERROR", reason: /larger than/ },
    "an endless JSON text": { answer: endless("application/json", '{"'), code: "SOURCE_ERROR", reason: /larger than/ },
    "an endless 202": { answer: endless("text/plain", "", 202), code: "SOURCE_ERROR", reason: /larger than/ },
    "a page": { answer: endless("text/html", "<p>"), code: "SOURCE_ERROR", reason: /neither JSON nor/ },
    "no UTF-8": {
      answer: (_seen, response) => response.writeHead(200, JSON_TYPE).end(Uint8Array.of(0x22, 0xff, 0x22)),
      code: "SOURCE_ERROR",
      reason: /no text/,
    },
    "half an array": {
      answer: (_seen, response) => json(response, 200, '[{"a":1}'),
      code: "SOURCE_ERROR",
      reason: /no JSON/,
    },
    "a broken connection": {
      answer: (_seen, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write("data: x\n\n");
        setTimeout(() => response.destroy(), 20);
      },
      code: "OUTCOME_UNKNOWN",
    },
    silence: {
      answer: (_seen, response) => response.writeHead(200, { "content-type": "text/event-stream" }).write(": one\n"),
      code: "OUTCOME_UNKNOWN",
    },
  };
  for (const [name, { answer, code, reason }] of Object.entries(cases)) {
    it(`${name}: told as the end, ${code}`, async () => {
      const house = await serve(answer);
      const { link, ended } = await connect(house, { maxBytes: 50_000, idleMs: 300 });
      await link.send(CALL);
      await until(() => ended.length > 0);
      assert.equal(ended.length, 1);
      assert.equal(ended[0]?.sent, CALL);
      assert.deepEqual([ended[0]?.error?.code, ended[0]?.error?.delivery], [code, "unknown"]);
      if (reason) assert.match(String(ended[0]?.error?.details.params?.["reason"]), reason);
      await until(() => house.sockets.size === 0);
    });
  }

  it("comments of an event stream are signs of life", async () => {
    const house = await serve(async (_seen, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let i = 0; i < 12; i++) {
        response.write(": still here\n\n");
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      response.end(`data: ${ANSWER}\n\n`);
    });
    const { link, messages, ended } = await connect(house, { idleMs: 1000 });
    await link.send(CALL);
    await until(() => ended.length === 1);
    assert.deepEqual([messages, ended[0]?.error], [[ANSWER], undefined]);
  });
});

describe("delivery", () => {
  it("a refused port: not sent", async () => {
    const house = await serve(status(500));
    await house.stop();
    const { link, ended } = await connect(house);
    const error = await failure(link.send(CALL));
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assert.equal(error.details.params?.["reason"], "connection refused");
    assert.deepEqual(ended, []);
  });

  it("a name without address: not sent", async () => {
    const { link } = await connect({ url: "http://no-such-house.invalid/mcp" });
    const error = await failure(link.send(CALL));
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assert.match(String(error.details.params?.["reason"]), /its name/);
  });

  it("no TLS on the other side: not sent", async () => {
    const house = await serve(status(500));
    const { link } = await connect({ url: house.url.replace("http:", "https:") });
    const error = await failure(link.send(CALL));
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assert.match(String(error.details.params?.["reason"]), /TLS/);
    assert.equal(house.seen.length, 0);
  });

  it("a header that cannot be sent: not sent", async () => {
    const house = await serve(status(500));
    const { link } = await connect(house, { headers: { "x-key": "line\nbreak" } });
    const error = await failure(link.send(CALL));
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assert.match(String(error.details.params?.["reason"]), /configured/);
  });

  it("a forbidden address: refused before anything is opened", async () => {
    const house = await serve(status(500));
    const error = await failure(connect(house, { allowPrivate: false }));
    assert.deepEqual([error.code, error.delivery], ["FORBIDDEN_ADDRESS", "not_sent"]);
    const { link } = await connect({ url: house.url.replace("127.0.0.1", "localhost") }, { allowPrivate: false });
    const second = await failure(link.send(CALL));
    assert.deepEqual([second.code, second.delivery], ["FORBIDDEN_ADDRESS", "not_sent"]);
    assert.equal(house.connections(), 0);
  });

  it("a connection lost after the request was read: unknown, and never sent again", async () => {
    const house = await serve((seen) => seen.socket.destroy());
    const { link } = await connect(house);
    const error = await failure(link.send(CALL));
    assert.deepEqual([error.code, error.delivery], ["OUTCOME_UNKNOWN", "unknown"]);
    await link.close();
    assert.equal(house.seen.length, 1);
  });

  it("rubbish instead of HTTP: unknown", async () => {
    const rubbish = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end("hello, who is there?\r\n\r\n"));
    });
    await new Promise<void>((resolve) => rubbish.listen(0, "127.0.0.1", resolve));
    cleanups.push(() => new Promise((resolve) => rubbish.close(resolve)));
    const { link } = await connect({ url: `http://127.0.0.1:${(rubbish.address() as AddressInfo).port}/` });
    const error = await failure(link.send(CALL));
    assert.deepEqual([error.code, error.delivery], ["OUTCOME_UNKNOWN", "unknown"]);
  });
});

describe("giving up", () => {
  it("before it is sent: cancelled, not sent", async () => {
    const house = await serve(status(202));
    const { link } = await connect(house);
    const early = await failure(link.send(CALL, AbortSignal.abort()));
    assert.deepEqual([early.code, early.delivery], ["CANCELLED", "not_sent"]);
    const controller = new AbortController();
    const connecting = failure(link.send(CALL, controller.signal));
    controller.abort();
    const error = await connecting;
    assert.deepEqual([error.code, error.delivery], ["CANCELLED", "not_sent"]);
    await link.send(INITIALIZE);
    assert.deepEqual(
      house.seen.map(({ body }) => body),
      [INITIALIZE],
    );
  });

  it("while waiting for the answer: cancelled, unknown", async () => {
    const controller = new AbortController();
    const house = await serve(() => controller.abort());
    const { link, ended } = await connect(house);
    const error = await failure(link.send(CALL, controller.signal));
    assert.deepEqual([error.code, error.delivery], ["CANCELLED", "unknown"]);
    assert.deepEqual(ended, []);
    await until(() => house.sockets.size === 0);
  });

  it("while the answer is coming: told as its end", async () => {
    const house = await serve((_seen, response) => stream(response, ": begun\n"));
    const { link, ended } = await connect(house);
    const controller = new AbortController();
    await link.send(CALL, controller.signal);
    controller.abort();
    assert.deepEqual([ended.length, ended[0]?.error?.code, ended[0]?.error?.delivery], [1, "CANCELLED", "unknown"]);
  });
});

describe("listening", () => {
  it("reads what the server says unasked and goes on after the last event", async () => {
    let streams = 0;
    const house = await serve((seen, response) => {
      if (seen.method !== "GET") return response.writeHead(202, { "mcp-session-id": "s" }).end();
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
      if (seen.method === "GET") return stream(response, ": hi\n\n");
      response.writeHead(seen.method === "DELETE" ? 200 : 202, { "mcp-session-id": "s-9" }).end();
    });
    const { link } = await connect(house, { headers: { "x-key": "k" } });
    await link.send(INITIALIZE);
    link.listen();
    await until(() => house.seen.length === 2);
    await Promise.all([link.close(), link.close()]);
    assert.equal(await link.closed, "closed");
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

const JSON_TYPE = { "content-type": "application/json" };

type Seen = Pick<IncomingMessage, "method" | "headers" | "socket"> & { readonly body: string };
type Answer = (seen: Seen, response: ServerResponse) => unknown;

interface House {
  readonly url: string;
  readonly seen: Seen[];
  readonly sockets: ReadonlySet<Socket>;
  connections(): number;
  stop(): Promise<void>;
}

async function serve(answer: Answer): Promise<House> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer(async (request, response) => {
    const { method, headers, socket } = request;
    const chunks = await request.toArray();
    const entry = { method, headers, socket, body: Buffer.concat(chunks).toString() };
    seen.push(entry);
    await answer(entry, response);
  });
  server.on("connection", (socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => stopServer(server);
  cleanups.push(stop);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?x=1`;
  return { url, seen, sockets, connections: () => connections, stop };
}

async function stopServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

interface State {
  readonly messages: string[];
  readonly ended: { sent: string; error: ZaguanError | undefined }[];
}

async function connect(
  { url }: { readonly url: string },
  more: Partial<StreamableHttpOptions> = {},
  extra: (state: State) => Partial<HttpLinkHandlers> = () => ({}),
): Promise<State & { readonly link: HttpLink }> {
  const state: State = { messages: [], ended: [] };
  const options = { url, headers: {}, allowPrivate: true, name: "casa", maxBytes: 1_000_000, idleMs: 20_000, ...more };
  const link = await openStreamableHttp(options, {
    onMessage: (message) => state.messages.push(message),
    onAnswerEnded: (sent, error) => state.ended.push({ sent, error }),
    ...extra(state),
  });
  cleanups.push(() => link.close());
  return { ...state, link };
}

function status(code: number, headers: Record<string, string> = {}): Answer {
  return (_seen, response) => response.writeHead(code, headers).end();
}

function json(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, JSON_TYPE).end(text);
}

function stream(response: ServerResponse, text: string): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream" }).write(text);
  return response;
}

function compressed(encoding: string, body: Uint8Array): Answer {
  return (_seen, response) => response.writeHead(200, { ...JSON_TYPE, "content-encoding": encoding }).end(body);
}

function endless(type: string, head: string, code = 200): Answer {
  return (_seen, response) => {
    const chunk = "x".repeat(10_000);
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(code, { "content-type": type }).write(head);
    response.on("drain", more);
    more();
  };
}

async function failure(promise: Promise<unknown>): Promise<ZaguanError> {
  const error = await promise.then(
    () => assert.fail("it should have failed"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ZaguanError, String(error));
  return error;
}

async function until(condition: () => boolean): Promise<void> {
  for (const limit = Date.now() + 10_000; !condition(); ) {
    assert.ok(Date.now() < limit, "waited too long");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
