import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import {
  ANSWER,
  type Answer,
  CALL,
  cleanUp,
  failure,
  type House,
  json,
  serve,
  status,
  stream,
  until,
} from "../../test/support/http-house.ts";
import { makeError } from "../../test/support/make-error.ts";
import type { ZaguanError } from "../errors.ts";
import type { CutMessage } from "../protocol/framing/passed-over.ts";
import { sayEnding } from "./ending.ts";
import { type HttpSseOptions, openHttpSse } from "./http-sse.ts";
import type { Link } from "./link.ts";

const ENDPOINT = "event: endpoint\ndata: /messages?sessionId=a%20b\n\n";
const NO_STREAM = "it opened no event stream";
const links: Link[] = [];

afterEach(async () => {
  for (const link of links.splice(0)) await link.close();
  await cleanUp();
});

describe("opening", () => {
  it("asks for an event stream, and resolves when that says where to send", async () => {
    const { house, say, streams } = await serveSse(status(202), "");
    const opening = connect(house, { headers: { Authorization: "Bearer ours", Accept: "*/*" } });
    await until(() => streams.length === 1);
    say(": hello\n\n");
    let isOpen = false;
    void opening.then(() => {
      isOpen = true;
    });
    say(ENDPOINT.slice(0, -1));
    await until(() => house.seen.length === 1);
    assert.equal(isOpen, false);
    say("\n");
    await opening;
    const { method, headers } = house.seen[0] ?? assert.fail();
    assert.deepEqual([method, headers.accept, headers.authorization], ["GET", "text/event-stream", "Bearer ours"]);
    assert.equal(headers["accept-encoding"], "identity");
  });

  const endpoints: Record<string, { data: (origin: string) => string; path: string }> = {
    "a path": { data: () => "/messages?sessionId=a%20b", path: "/messages?sessionId=a%20b" },
    "a relative path": { data: () => "messages/", path: "/messages/" },
    "a query alone": { data: () => "?sessionId=7", path: "/mcp?sessionId=7" },
    "a whole URL of the same origin": { data: (origin) => `${origin}/deep/messages`, path: "/deep/messages" },
    "one with spaces around": { data: () => "  /messages  ", path: "/messages" },
  };
  for (const [what, { data, path }] of Object.entries(endpoints)) {
    it(`takes ${what} as endpoint`, async () => {
      const paths: (string | undefined)[] = [];
      const { house, say, streams } = await serveSse((_seen, response) => {
        paths.push(response.req.url);
        response.writeHead(202).end();
      }, "");
      const opening = connect(house);
      await until(() => streams.length === 1);
      say(`event: endpoint\ndata: ${data(new URL(house.url).origin)}\n\n`);
      const { link } = await opening;
      await link.send(CALL);
      assert.deepEqual(paths, [path]);
    });
  }

  it("reads the endpoint in odd chunks, with CRLF, an id and comments", async () => {
    const { house, say, streams } = await serveSse(status(202), "");
    const opening = connect(house);
    await until(() => streams.length === 1);
    for (const byte of Buffer.from(`\uFEFF: hi\r\n\r\nid: 1\r\nevent:endpoint\r\ndata:/messages\r\n\r\n`)) {
      say(Uint8Array.of(byte));
    }
    const { link } = await opening;
    await link.send(CALL);
    assert.equal(house.seen[1]?.body, CALL);
  });

  const foreign = ["http://127.0.0.1:1/messages", "https://127.0.0.1/", "//example.org/messages", "javascript:1"];
  for (const data of foreign) {
    it(`refuses an endpoint of another origin: ${data}`, async () => {
      const { house } = await serveSse(status(202), `event: endpoint\ndata: ${data}\n\n`);
      await assertUnopened(connect(house), "its endpoint is of another origin");
      await until(() => house.sockets.size === 0);
      assert.equal(house.seen.length, 1);
    });
  }

  it("refuses an endpoint that is no URL", async () => {
    for (const event of ["event: endpoint\ndata: http://\n\n", "event: endpoint\nid: 1\n\n"]) {
      const { house } = await serveSse(status(202), event);
      await assertUnopened(connect(house), "its endpoint is no URL");
    }
  });

  const refusals: Record<string, { answer: Answer; reason: string }> = {
    "404": { answer: status(404), reason: "HTTP 404" },
    "405": { answer: status(405), reason: "HTTP 405" },
    "500": { answer: status(500), reason: "HTTP 500" },
    "401": {
      answer: status(401),
      reason: "it refused our credentials (HTTP 401): check the key or the headers that are set for it",
    },
    "a redirect": {
      answer: status(307, { location: "http://elsewhere.example/sse" }),
      reason: "it redirects to http://elsewhere.example/sse (HTTP 307), which is not followed",
    },
    "204": { answer: status(204), reason: "it opened no event stream (HTTP 204)" },
    "a page": {
      answer: (_seen, response) => response.setHeader("content-type", "text/html").end(ENDPOINT),
      reason: NO_STREAM,
    },
    "no type": { answer: (_seen, response) => response.end(ENDPOINT), reason: NO_STREAM },
    "a compressed stream": {
      answer: (_seen, response) =>
        stream(response.setHeader("content-encoding", "gzip"), "").end(gzipSync(Buffer.from(ENDPOINT))),
      reason: "a compressed answer, though none was asked for",
    },
    "a stream that ends first": {
      answer: (_seen, response) => stream(response, "data: {}\n\n").end("event: endpoint\ndata: /m\n"),
      reason: "the server ended the stream before it said where to send",
    },
    "a stream that breaks first": {
      answer: (seen, response) => stream(response, "data: {}\n\n") && setImmediate(() => seen.socket.destroy()),
      reason: "the stream broke off before it said where to send",
    },
    "a connection cut without a word": {
      answer: (seen) => seen.socket.destroy(),
      reason: "the stream broke off before it said where to send",
    },
    "an endless event": {
      answer: (_seen, response) => stream(response, `event: endpoint\ndata: /${"x".repeat(70_000)}`),
      reason: "an event of far more than 1000 bytes",
    },
  };
  for (const [what, { answer, reason }] of Object.entries(refusals)) {
    it(`fails in plain words, and leaves nothing behind: ${what}`, async () => {
      const house = await serve(answer);
      await assertUnopened(connect(house, { maxBytes: 1000 }), reason);
      await until(() => house.sockets.size === 0);
      assert.equal(house.seen.length, 1);
    });
  }

  it("follows a redirect to another path of the same origin, from where the endpoint is meant", async () => {
    const house = await serve((seen, response) => {
      if (seen.method === "POST") return response.writeHead(202).end();
      if (seen.url !== "/new/sse/") return response.writeHead(302, { location: "/new/sse/" }).end();
      return stream(response, "event: endpoint\ndata: messages?sessionId=1\n\n").flushHeaders();
    });
    const { link } = await connect(house);
    await link.send(CALL);
    assert.equal(house.seen.at(-1)?.url, "/new/sse/messages?sessionId=1");
  });

  it("passes on when to come back", async () => {
    const house = await serve(status(503, { "retry-after": "7" }));
    const error = await assertUnopened(connect(house), "HTTP 503");
    assert.equal(error.details.retryAfterMs, 7000);
  });

  it("fails in plain words where nobody listens", async () => {
    const house = await serve(status(200));
    await house.stop();
    await assertUnopened(connect(house), "connection refused");
  });

  it("goes to no private address unless that is allowed", async () => {
    const { house } = await serveSse(status(202));
    for (const url of [house.url, house.url.replace("127.0.0.1", "localhost")]) {
      const error = await failure(connect({ url }, { allowPrivate: false }));
      assert.deepEqual([error.code, error.delivery], ["FORBIDDEN_ADDRESS", "not_sent"]);
    }
    assert.equal(house.connections(), 0);
  });
});

describe("giving up opening", () => {
  it("before it began: nothing is dialled", async () => {
    const { house } = await serveSse(status(202));
    const error = await failure(connect(house, { signal: AbortSignal.abort() }));
    assert.deepEqual([error.code, error.delivery, house.connections()], ["CANCELLED", "not_sent", 0]);
  });

  const waits: Record<string, Answer> = {
    "the answer": () => {},
    "the endpoint": (_seen, response) => stream(response, ": hi\n\n"),
  };
  for (const [what, answer] of Object.entries(waits)) {
    it(`while waiting for ${what}: no socket stays`, async () => {
      const house = await serve(answer);
      const controller = new AbortController();
      const opening = failure(connect(house, { signal: controller.signal }));
      await until(() => house.seen.length === 1);
      controller.abort(makeError("DEADLINE_EXCEEDED"));
      const error = await opening;
      assert.deepEqual([error.code, error.delivery], ["DEADLINE_EXCEEDED", "not_sent"]);
      await until(() => house.sockets.size === 0);
    });
  }

  it("while the connection is still being made: no socket stays", async (test) => {
    let open = 0;
    const mute = createTcpServer((socket) => {
      open++;
      socket.resume().on("close", () => open--);
    });
    test.after(() => mute.close());
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const controller = new AbortController();
    const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}/`;
    const opening = failure(connect({ url }, { signal: controller.signal }));
    await until(() => open === 1);
    controller.abort();
    assert.equal((await opening).code, "CANCELLED");
    await until(() => open === 0);
  });

  it("means nothing once it is open", async () => {
    const { house } = await serveSse(status(202));
    const controller = new AbortController();
    const { link } = await connect(house, { signal: controller.signal });
    controller.abort();
    await link.send(CALL);
    assert.equal(house.seen.length, 2);
  });
});

describe("what comes", () => {
  it("is every event named message or not at all, with its characters; others are passed over", async () => {
    const { house, say } = await serveSse(status(202));
    const { messages, noise } = await connect(house);
    const events = `event: message\r\ndata: ${ANSWER}\r\n\r\nevent: other\ndata: {"no":1}\n\n: ping\n\ndata: {"n":1,\ndata: "m":2}\n\n`;
    for (const byte of Buffer.from(events)) say(Uint8Array.of(byte));
    await until(() => messages.length === 2);
    assert.deepEqual([messages, noise], [[ANSWER, '{"n":1,\n"m":2}'], []]);
  });

  it("comes one by one out of an array", async () => {
    const { house, say } = await serveSse(status(202));
    const { messages, noise } = await connect(house);
    say(`data: [ ${ANSWER} , {"n":1} ]\n\ndata: [1\n\ndata: {"last":1}\n\n`);
    await until(() => messages.length === 3);
    assert.deepEqual([messages, noise], [[ANSWER, '{"n":1}', '{"last":1}'], ["[1"]]);
  });

  it("may come in one breath with the endpoint", async () => {
    const { house } = await serveSse(status(202), `data: {"n":1}\n\n${ENDPOINT}data: {"n":2}\n\n`);
    const { messages } = await connect(house);
    await until(() => messages.length === 2);
    assert.deepEqual(messages, ['{"n":1}', '{"n":2}']);
  });

  it("cannot move the endpoint afterwards", async () => {
    const paths: (string | undefined)[] = [];
    const answer: Answer = (_seen, response) => {
      paths.push(response.req.url);
      response.writeHead(202).end();
    };
    const { house, say } = await serveSse(answer);
    const { link, noise } = await connect(house);
    say("event: endpoint\ndata: /elsewhere\n\n");
    await until(() => noise.length === 1);
    await link.send(CALL);
    assert.deepEqual([noise, paths], [["another endpoint: /elsewhere"], ["/messages?sessionId=a%20b"]]);
  });
});

describe("what is sent", () => {
  it("is one POST each, with our headers", async () => {
    const { house } = await serveSse(status(202));
    const headers = { "X-Key": "k", "Content-Type": "text/plain", "Content-Length": "5" };
    const { link } = await connect(house, { headers });
    await link.send(CALL);
    assert.equal(house.seen[0]?.headers["content-type"], undefined);
    const { method, headers: seen, body } = house.seen[1] ?? assert.fail();
    assert.deepEqual([method, body, seen["x-key"]], ["POST", CALL, "k"]);
    assert.equal(seen["content-type"], "application/json");
    assert.equal(seen["accept-encoding"], "identity");
  });

  const courtesies: Record<string, Answer> = {
    "202": status(202),
    "202, Accepted": (_seen, response) => response.writeHead(202).end("Accepted"),
    "200, Accepted": (_seen, response) => response.setHeader("content-type", "text/plain").end("Accepted"),
    "200, a page": (_seen, response) => response.setHeader("content-type", "text/html").end("<p>ok"),
    "204": status(204),
    "201, nothing of type JSON": (_seen, response) => json(response, 201, ""),
    ...Object.fromEntries(
      ["{}", " { } ", "[]", "null", '"Accepted"', "true", "Accepted"].map((text): [string, Answer] => [
        `200, ${text} as JSON`,
        (_seen, response) => json(response, 200, text),
      ]),
    ),
  };
  for (const [what, answer] of Object.entries(courtesies)) {
    it(`is accepted by ${what}, which is no message`, async () => {
      const { house, say } = await serveSse(answer);
      const { link, messages, noise } = await connect(house);
      await link.send(CALL);
      await link.send(CALL);
      say(`data: ${ANSWER}\n\n`);
      await until(() => messages.length > 0);
      assert.deepEqual([messages, noise], [[ANSWER], []]);
      assert.equal(house.seen.length, 3);
    });
  }

  for (const code of [200, 202]) {
    it(`may be answered in the POST itself (${code})`, async () => {
      const texts = [ANSWER, `[${ANSWER},{"n":1}]`];
      const { house } = await serveSse((_seen, response) => json(response, code, texts.shift() ?? ""));
      const { link, messages } = await connect(house);
      await link.send(CALL);
      assert.deepEqual(messages, [ANSWER]);
      await link.send(CALL);
      assert.deepEqual(messages, [ANSWER, ANSWER, '{"n":1}']);
    });
  }

  it("may be answered with a JSON-RPC error under a 4xx", async () => {
    const text = '{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}';
    const { house } = await serveSse((_seen, response) => json(response, 400, text));
    const { link, messages } = await connect(house);
    await link.send(CALL);
    assert.deepEqual(messages, [text]);
  });

  const refusals: Record<string, { answer: Answer; code: string; delivery: string; reason: string | undefined }> = {
    "404": { answer: status(404), code: "SOURCE_ERROR", delivery: "unknown", reason: "HTTP 404" },
    "500": { answer: status(500), code: "SOURCE_ERROR", delivery: "unknown", reason: "HTTP 500" },
    "503": { answer: status(503), code: "SOURCE_UNAVAILABLE", delivery: "unknown", reason: "HTTP 503" },
    "a redirect": {
      answer: status(301, { location: "/" }),
      code: "SOURCE_ERROR",
      delivery: "unknown",
      reason: "it redirects to / (HTTP 301), which is not followed",
    },
    "death before the answer": {
      answer: (seen) => seen.socket.destroy(),
      code: "OUTCOME_UNKNOWN",
      delivery: "unknown",
      reason: undefined,
    },
    "death in the middle of a JSON answer": {
      answer: (seen, response) => {
        response.writeHead(200, { "content-type": "application/json" }).write(ANSWER.slice(0, 20));
        setImmediate(() => seen.socket.destroy());
      },
      code: "OUTCOME_UNKNOWN",
      delivery: "unknown",
      reason: undefined,
    },
    "a JSON answer that is too large": {
      answer: (_seen, response) => json(response, 200, `{"a":"${"x".repeat(2000)}"}`),
      code: "ANSWER_TOO_LARGE",
      delivery: "unknown",
      reason: undefined,
    },
  };
  for (const [what, expected] of Object.entries(refusals)) {
    it(`is not sent again after ${what}, and the stream goes on`, async () => {
      const { house, say } = await serveSse(expected.answer);
      const { link, messages } = await connect(house, { maxBytes: 1000 });
      const { code, delivery, details } = await failure(link.send(CALL));
      assert.deepEqual(
        [code, delivery, details.params?.["reason"]],
        [expected.code, expected.delivery, expected.reason],
      );
      say('data: {"n":1}\n\n');
      await until(() => messages.length === 1);
      assert.equal(house.seen.length, 2);
    });
  }

  it("can be taken back, and says whether it had left", async () => {
    const controller = new AbortController();
    const { house } = await serveSse(() => controller.abort());
    const { link } = await connect(house);
    const early = await failure(link.send(CALL, AbortSignal.abort()));
    assert.deepEqual([early.code, early.delivery], ["CANCELLED", "not_sent"]);
    const late = await failure(link.send(CALL, controller.signal));
    assert.deepEqual([late.code, late.delivery], ["CANCELLED", "unknown"]);
    await until(() => house.sockets.size === 1);
    assert.equal(house.seen.length, 2);
  });

  it("is given up after a while if nobody waits for it", async () => {
    const { house } = await serveSse(() => {});
    const { link } = await connect(house, { unaskedMs: 100 });
    const error = await failure(link.send(CALL));
    assert.deepEqual([error.code, error.delivery], ["OUTCOME_UNKNOWN", "unknown"]);
    await until(() => house.sockets.size === 1);
  });

  it("holds no socket for decoration without end", async () => {
    const { house } = await serveSse((_seen, response) => response.writeHead(202).write("Acc"));
    const { link } = await connect(house);
    await link.send(CALL, new AbortController().signal);
    await until(() => house.sockets.size === 1);
  });
});

describe("the end of the stream", () => {
  const ends: Record<string, { end: (response: ServerResponse) => unknown; reason: string }> = {
    "ended by the server": { end: (response) => response.end(), reason: "the server ended the stream" },
    "broken off": { end: (response) => response.destroy(), reason: "the stream broke off" },
    "an event without end": {
      end: (response) => response.write(`data: ${"x".repeat(70_000)}`),
      reason: "an event of far more than 1000 bytes",
    },
  };

  it("is not one event that is too large: that is passed over, and told with its size", async () => {
    const { house, say } = await serveSse(status(202));
    const { messages, tooLarge } = await connect(house, { maxBytes: 1000 });
    const large = `{"jsonrpc":"2.0","id":1,"result":"${"x".repeat(2000)}"}`;
    say(`event: message\ndata: ${large}\n\ndata: {"n":1}\n\n`);
    await until(() => messages.length === 1);
    assert.deepEqual(
      [messages, tooLarge.map(({ bytes, limit }) => [bytes, limit])],
      [['{"n":1}'], [[large.length, 1000]]],
    );
  });

  for (const [what, { end, reason }] of Object.entries(ends)) {
    it(`is the end of the link, and nothing more is sent: ${what}`, async () => {
      const { house, streams } = await serveSse(status(202));
      const { link } = await connect(house, { maxBytes: 1000 });
      end(streams[0] ?? assert.fail());
      assert.equal(sayEnding(await link.closed), reason);
      const error = await failure(link.send(CALL));
      assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
      assert.equal(error.details.params?.["reason"], reason);
      await link.close();
      assert.equal(house.seen.length, 1);
      await until(() => house.sockets.size === 0);
    });
  }

  it("leaves what was posted to its own exchange", async () => {
    const waiting: ServerResponse[] = [];
    const { house, streams } = await serveSse((_seen, response) => waiting.push(response));
    const { link, messages } = await connect(house);
    const { signal } = new AbortController();
    const answered = link.send(CALL, signal);
    await until(() => waiting.length === 1);
    const lost = failure(link.send(CALL, signal));
    await until(() => waiting.length === 2);
    streams[0]?.end();
    await link.closed;
    json(waiting[0] ?? assert.fail(), 200, ANSWER);
    waiting[1]?.destroy();
    await answered;
    assert.equal((await lost).delivery, "unknown");
    assert.deepEqual([messages, house.seen.length], [[ANSWER], 3]);
  });

  it("is not awaited where the server takes no connection any more", async (test) => {
    const server = createServer((_request, response) => stream(response, ENDPOINT));
    test.after(() => server.closeAllConnections());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { link } = await connect({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse` });
    server.close();
    const errors = await Promise.all([1, 2, 3].map(() => failure(link.send(CALL))));
    for (const error of errors) assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assert.equal(sayEnding(await link.closed), "connection refused");
  });
});

describe("closing", () => {
  it("cuts everything, tells what still waited, and leaves no socket behind", async () => {
    const { house } = await serveSse(() => {});
    const { link } = await connect(house);
    const waiting = failure(link.send(CALL, new AbortController().signal));
    await until(() => house.seen.length === 2);
    await Promise.all([link.close(), link.close()]);
    assert.equal(sayEnding(await link.closed), "closed");
    const error = await waiting;
    assert.deepEqual([error.code, error.delivery], ["OUTCOME_UNKNOWN", "unknown"]);
    await until(() => house.sockets.size === 0);
    assert.equal((await failure(link.send(CALL))).delivery, "not_sent");
  });
});

interface SseHouse {
  readonly house: House;
  readonly streams: ServerResponse[];
  /** Writes on the stream. */
  say(text: string | Uint8Array): void;
}

/** A server whose GET is a stream that begins with `head`, and whose POSTs are answered as told. */
async function serveSse(answer: Answer, head: string = ENDPOINT): Promise<SseHouse> {
  const streams: ServerResponse[] = [];
  const house = await serve((seen, response) => {
    if (seen.method !== "GET") return answer(seen, response);
    streams.push(response);
    return stream(response, head).flushHeaders();
  });
  return { house, streams, say: (text) => streams[0]?.write(text) };
}

interface Connected {
  readonly link: Link;
  readonly messages: string[];
  readonly noise: string[];
  readonly tooLarge: CutMessage[];
}

async function connect({ url }: { readonly url: string }, more: Partial<HttpSseOptions> = {}): Promise<Connected> {
  const messages: string[] = [];
  const noise: string[] = [];
  const tooLarge: CutMessage[] = [];
  const options = { url, headers: {}, allowPrivate: true, name: "casa", maxBytes: 1_000_000, ...more };
  const link = await openHttpSse(options, {
    onMessage: (message) => messages.push(message),
    onNoise: (line) => noise.push(line),
    onTooLarge: (message) => tooLarge.push(message),
  });
  links.push(link);
  return { link, messages, noise, tooLarge };
}

async function assertUnopened(opening: Promise<unknown>, reason: string): Promise<ZaguanError> {
  const error = await failure(opening);
  assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
  assert.deepEqual(error.details.params, { source: "casa", reason });
  return error;
}
