import assert from "node:assert/strict";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, describe, it } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import {
  ANSWER,
  type Answer,
  CALL,
  cleanUp,
  compressed,
  connect,
  endless,
  failure,
  INITIALIZE,
  JSON_TYPE,
  json,
  serve,
  status,
  stream,
  until,
} from "../../test/support/http-house.ts";

const NO_SESSION = { code: -32000, message: "Bad Request: no valid session" };

afterEach(cleanUp);

describe("an answer that is of no use", () => {
  const cases: Record<string, { answer: Answer; code: string; delivery: string; reason?: RegExp; session?: boolean }> =
    {
      "401": { answer: status(401), code: "SOURCE_ERROR", delivery: "not_sent", reason: /credentials \(HTTP 401\)/ },
      "403": { answer: status(403), code: "SOURCE_ERROR", delivery: "not_sent", reason: /credentials \(HTTP 403\)/ },
      "404 in a session": { answer: status(404), code: "UNKNOWN_SESSION", delivery: "not_sent", session: true },
      "400 in a session, with an error to nobody": {
        answer: rpcError(400, null),
        code: "UNKNOWN_SESSION",
        delivery: "not_sent",
        session: true,
      },
      "400 in a session, with an error without an id": {
        answer: rpcError(400),
        code: "UNKNOWN_SESSION",
        delivery: "not_sent",
        session: true,
      },
      "400 in a session, with an error to nobody that is of another kind": {
        answer: rpcError(400, null, { code: -32603, message: "The session's result could not be written" }),
        code: "SOURCE_ERROR",
        delivery: "unknown",
        reason: /^HTTP 400$/,
        session: true,
      },
      "400 in a session, with an error to nobody that does not speak of the session": {
        answer: rpcError(400, null, { code: -32000, message: "Out of paper" }),
        code: "SOURCE_ERROR",
        delivery: "unknown",
        reason: /^HTTP 400$/,
        session: true,
      },
      "400 in a session, with an error to somebody else": {
        answer: rpcError(400, 77),
        code: "SOURCE_ERROR",
        delivery: "unknown",
        reason: /^HTTP 400$/,
        session: true,
      },
      "400 in a session, with nothing": {
        answer: status(400),
        code: "SOURCE_ERROR",
        delivery: "unknown",
        reason: /^HTTP 400$/,
        session: true,
      },
      "400 in a session, without end": {
        answer: endless("application/json", "{", 400),
        code: "ANSWER_TOO_LARGE",
        delivery: "unknown",

        session: true,
      },
      "404 without a session": { answer: status(404), code: "SOURCE_ERROR", delivery: "unknown", reason: /^HTTP 404$/ },
      "400 without a session": { answer: status(400), code: "SOURCE_ERROR", delivery: "unknown", reason: /^HTTP 400$/ },
      "4xx with an error nobody asked for": {
        answer: rpcError(405, null),
        code: "SOURCE_ERROR",
        delivery: "unknown",
        reason: /^HTTP 405$/,
      },
      "500": { answer: status(500), code: "SOURCE_ERROR", delivery: "unknown", reason: /^HTTP 500$/ },
      "a redirect to another origin": {
        answer: status(307, { location: "https://user:secret@elsewhere.example/mcp?token=secret" }),
        code: "SOURCE_ERROR",
        delivery: "unknown",
        reason: /^it redirects to https:\/\/elsewhere\.example\/mcp \(HTTP 307\), which is not followed$/,
      },
      "a redirect after which a POST is another request": {
        answer: status(301, { location: "/elsewhere" }),
        code: "SOURCE_ERROR",
        delivery: "unknown",
        reason: /^it redirects to \/elsewhere \(HTTP 301\), which is not followed$/,
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
        code: "ANSWER_TOO_LARGE",
        delivery: "unknown",
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
        if (!opened) response.writeHead(202, { "mcp-session-id": "s" }).end();
        else answer(seen, response);
        opened = true;
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

  it("429 and 503 tell when to come back (seconds, a date, or nothing), but not that the call did not run", async () => {
    const soon = new Date(Date.now() + 90_000).toUTCString();
    const answers = [status(429, { "retry-after": "7" }), status(503, { "retry-after": soon }), status(503)];
    const house = await serve((seen, response) => answers.shift()?.(seen, response));
    const { link } = await connect(house);
    const errors = [await failure(link.send(CALL)), await failure(link.send(CALL)), await failure(link.send(CALL))];
    for (const error of errors) assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "unknown"]);
    const [seconds, date, none] = errors.map((error) => error.details.retryAfterMs);
    assert.equal(seconds, 7000);
    assert.ok(date !== undefined && date > 30_000 && date <= 90_000, String(date));
    assert.equal(none, undefined);
  });
});

describe("an answer that goes wrong after its head", () => {
  const cases: Record<string, { answer: Answer; code: string; reason?: RegExp }> = {
    "an endless event": { answer: endless("text/event-stream", "data: "), code: "ANSWER_TOO_LARGE" },
    "an endless JSON text": { answer: endless("application/json", '{"'), code: "ANSWER_TOO_LARGE" },
    "an endless 202": { answer: endless("text/plain", "", 202), code: "ANSWER_TOO_LARGE" },
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
      const { link, ended } = await connect(house, { maxBytes: 50_000, idleMs: 1_000 });
      await link.send(CALL);
      await until(() => ended.length > 0);
      assert.equal(ended.length, 1);
      assert.equal(ended[0]?.sent, CALL);
      assert.deepEqual([ended[0]?.error?.code, ended[0]?.error?.delivery], [code, "unknown"]);
      if (reason) assert.match(String(ended[0]?.error?.details.params?.["reason"]), reason);
      if (name.startsWith("an endless")) await until(() => house.sockets.size === 0);
    });
  }

  it("comments of an event stream are signs of life", async () => {
    const house = await serve(async (_seen, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let i = 0; i < 12; i++) {
        response.write(": still here\n\n");
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      response.end(`data: ${ANSWER}\n\n`);
    });
    const { link, messages, ended } = await connect(house, { idleMs: 2_500 });
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
    assert.match(String(error.details.params?.["reason"]), /host name/);
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

  it("rubbish instead of HTTP: unknown", async (test) => {
    test.after(() => rubbish.close());
    const rubbish = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end("hello, who is there?\r\n\r\n"));
    });
    await new Promise<void>((resolve) => rubbish.listen(0, "127.0.0.1", resolve));
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

function rpcError(code: number, id?: number | null, error: object = NO_SESSION): Answer {
  const text = JSON.stringify({ jsonrpc: "2.0", id, error });
  return (_seen, response) => json(response, code, text);
}
