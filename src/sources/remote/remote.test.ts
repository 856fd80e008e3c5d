import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, it } from "node:test";
import { WebSocketServer } from "ws";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { failure } from "../../../test/support/http-house.ts";
import { type Heard, hearing, never, request, textOf } from "../../../test/support/source-side.ts";
import { answer2025 } from "../../../test/support/stub-2025.ts";
import { type Fields, Stub2026, type StubMessage } from "../../../test/support/stub-2026.ts";
import { EraMemory } from "../mcp-client/era-memory.ts";
import { NoWay } from "./attempts.ts";
import { type RemoteOptions, TransportMemory } from "./options.ts";
import { type RemoteConnection, remote } from "./remote.ts";

let site: Site;
let clock: FakeClock;
let heard: Heard;
let memories: { era: EraMemory; way: TransportMemory };
const open: RemoteConnection[] = [];

beforeEach(async () => {
  site = await new Site().start();
  clock = new FakeClock();
  heard = hearing("casa", clock);
  memories = { era: new EraMemory(), way: new TransportMemory() };
});

afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
  await site.stop();
  assert.equal(clock.pending, 0, "a timer was left behind");
});

describe("a server that is known by its URL", () => {
  it("may answer plain JSON-RPC and know nothing else", async () => {
    site.post = (message) => (BARE.has(message.method) ? answerBare(message) : 404);
    const connection = await connect();
    assert.equal(connection.transport, "bare JSON-RPC");
    assert.equal(connection.face, undefined);
    assert.deepEqual(site.asked, ["POST server/discover", "POST initialize", "POST tools/list"]);
    assert.deepEqual(
      (await connection.listTools(never)).map(({ name }) => name),
      ["say", "count", "official"],
    );
  });

  it("and its results are made results of MCP where they are none", async () => {
    site.post = (message) => (BARE.has(message.method) ? answerBare(message) : 404);
    const connection = await connect();
    const results = [];
    for (const name of ["say", "count", "official"]) results.push((await connection.request(request(name))).text);
    assert.deepEqual(results, [
      '{"content":[{"type":"text","text":"hola"}]}',
      '{"content":[{"type":"text","text":"{\\"n\\":1}"}],"structuredContent":{"n":1}}',
      '{"content":[{"type":"text","text":"ok"}]}',
    ]);
  });

  it("may speak HTTP+SSE at that URL", async () => {
    site.get = (_request, response) => site.openStream(response);
    const connection = await connect();
    assert.equal(connection.transport, "HTTP+SSE");
    assert.ok(connection.face?.greeting);
    assert.equal(textOf(await connection.request(request("echo"))).name, "echo");
    assert.ok(!site.asked.includes("POST /endpoint server/discover"));
  });

  it("may be a WebSocket at that URL", async () => {
    site.sockets = { "/mcp": "handshake" };
    const connection = await connect();
    assert.equal(connection.transport, "WebSocket");
    assert.equal(textOf(await connection.request(request("echo"))).name, "echo");
    assert.deepEqual(connection.attempts, [
      { transport: "Streamable HTTP 2026-07-28", outcome: "it answered with HTTP 404" },
      { transport: "Streamable HTTP 2025", outcome: "it answered with HTTP 404" },
      { transport: "bare JSON-RPC", outcome: "it answered with HTTP 404" },
      { transport: "HTTP+SSE", outcome: "it answered with HTTP 404" },
      { transport: "WebSocket", outcome: "connected" },
    ]);
  });

  it("may be a WebSocket below that URL", async () => {
    site.sockets = { "/mcp/ws": "handshake" };
    assert.equal((await connect()).transport, "WebSocket at /ws");
  });

  it("may be of the newer era on a WebSocket too", async () => {
    site.sockets = { "/mcp": "modern" };
    const connection = await connect();
    assert.ok(connection.face?.discovery);
    const said: string[] = [];
    await connection.request(request("progress", { onProgress: ({ text }) => said.push(text) }));
    assert.equal(said.length, 1);
  });

  it("that says ws: is a WebSocket and nothing else", async () => {
    site.sockets = { "/mcp": "handshake" };
    assert.equal((await connect({ url: site.url.replace("http", "ws") })).transport, "WebSocket");
    assert.deepEqual(site.asked, []);
  });

  it("is first tried as its configuration says", async () => {
    site.get = (_request, response) => site.openStream(response);
    site.sockets = { "/mcp": "handshake" };
    assert.equal((await connect({ first: "sse" })).transport, "HTTP+SSE");
    memories.way.forget();
    assert.equal((await connect({ first: "websocket" })).transport, "WebSocket");
    assert.ok(!site.asked.some((what) => what.startsWith("POST server/discover")));
  });
});

describe("a way that has led to a server", () => {
  it("is tried first for an hour", async () => {
    site.sockets = { "/mcp": "handshake" };
    await (await connect()).close();
    site.asked.length = 0;
    await clock.advance(3_599_000);
    await (await connect()).close();
    assert.deepEqual(site.asked, []);
    await clock.advance(3_600_000);
    await connect();
    assert.equal(site.asked[0], "POST server/discover");
  });

  it("and leads there no more is forgotten, and the others are tried in their order", async () => {
    site.sockets = { "/mcp": "handshake" };
    await (await connect()).close();
    site.sockets = {};
    site.post = (message) => (BARE.has(message.method) ? answerBare(message) : 404);
    const connection = await connect();
    assert.deepEqual(
      connection.attempts.map(({ transport }) => transport),
      ["WebSocket", "Streamable HTTP 2026-07-28", "Streamable HTTP 2025", "bare JSON-RPC"],
    );
  });

  it("includes the era", async () => {
    site.post = (message) => answer2025(message) ?? 202;
    await (await connect()).close();
    site.asked.length = 0;
    await connect();
    assert.equal(site.asked[0], "POST initialize");
  });
});

describe("a server that fails the first question", () => {
  const troubles: Record<string, (response: ServerResponse) => unknown> = {
    "500": (response) => response.writeHead(500).end(),
    "502": (response) => response.writeHead(502, { "content-type": "text/html" }).end("<p>Bad gateway"),
    "503": (response) => response.writeHead(503, { "retry-after": "1" }).end(),
    "a dropped connection": (response) => response.destroy(),
    "a page": (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>Hello"),
  };
  for (const [what, trouble] of Object.entries(troubles)) {
    it(`by ${what} is greeted all the same`, async () => {
      site.post = (message) => (message.method === "server/discover" ? trouble : (answer2025(message) ?? 202));
      assert.equal((await connect()).transport, "Streamable HTTP 2025");
      assert.equal(site.asked[1], "POST initialize");
    });

    it(`and every other by ${what} is found by the first way that leads there`, async () => {
      site.post = () => trouble;
      site.sockets = { "/mcp/ws": "handshake" };
      site.get = (_request, response) => trouble(response);
      assert.equal((await connect()).transport, "WebSocket at /ws");
    });
  }

  it("by silence is greeted after two seconds, and asked again when it is next connected to", async () => {
    let answered = 0;
    site.post = (message) => {
      if (message.method === "server/discover" && answered++ === 0) return undefined;
      return answer2025(message) ?? 202;
    };
    const connecting = connect();
    await asked(1);
    await clock.advance(2_000);
    const connection = await connecting;
    assert.deepEqual(connection.attempts, [
      { transport: "Streamable HTTP 2026-07-28", outcome: "it did not answer within 2 s" },
      { transport: "Streamable HTTP 2025", outcome: "connected" },
    ]);
    await connection.close();
    site.asked.length = 0;
    await clock.advance(300_000);
    await connect();
    assert.equal(site.asked[0], "POST server/discover");
  });

  it("and knows no other era is asked again with all patience", async () => {
    const stub = new Stub2026();
    let count = 0;
    site.post = (message) => {
      if (message.method === "server/discover" && count++ === 0) return 503;
      let said: Fields | undefined;
      stub.take(message, (answer) => {
        said = answer;
      });
      return said;
    };
    assert.equal((await connect()).transport, "Streamable HTTP 2026-07-28");
    assert.deepEqual(site.asked.slice(0, 3), ["POST server/discover", "POST initialize", "POST server/discover"]);
  });

  it("and is silent in one way is tried in the others beside it", async () => {
    site.post = () => undefined;
    site.get = (_request, response) => response.writeHead(405).end();
    site.sockets = { "/mcp": "handshake" };
    const connecting = connect();
    for (const [count, ms] of [
      [1, 2_000],
      [2, 8_000],
      [3, 10_000],
    ] as const) {
      await asked(count);
      await clock.advance(ms);
    }
    assert.equal((await connecting).transport, "WebSocket");
    assert.deepEqual(site.asked, ["POST server/discover", "POST initialize", "POST tools/list", "GET"]);
  });

  it("and wakes slowly is found by the way that it answers in the end", async () => {
    let answer: (() => void) | undefined;
    site.post = (message) => (response) => {
      const said = answer2025(message);
      const write = (): void => {
        if (said) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
        else response.writeHead(202).end();
      };
      if (message.method === "initialize") answer = write;
      else if (message.method.startsWith("notifications/")) write();
      else response.writeHead(404).end();
    };
    const connecting = connect();
    await asked(2);
    await clock.advance(10_000);
    await asked(4);
    answer?.();
    assert.equal((await connecting).transport, "Streamable HTTP 2025");
  });

  async function asked(count: number): Promise<void> {
    while (site.asked.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  }
});

describe("a server whose revision is configured", () => {
  it("is not asked for its era", async () => {
    site.post = (message) => answer2025(message) ?? 202;
    await connect({ revision: "2025-06-18" });
    assert.equal(site.asked[0], "POST initialize");
    assert.equal(site.greeted, "2025-06-18");
  });

  it("is asked nothing else where that is one without a handshake", async () => {
    site.post = () => 404;
    await failure(connect({ revision: "2026-07-28" }));
    assert.ok(!site.asked.slice(0, 2).includes("POST initialize"), site.asked.join());
  });
});

describe("a server that cannot be had", () => {
  for (const [status, reason] of [
    [401, "it refused our credentials (HTTP 401): check the key or the headers that are set for it"],
    [403, "it refused our credentials (HTTP 403): check the key or the headers that are set for it"],
    [307, "it redirects to nowhere (HTTP 307), which is not followed"],
  ] as const) {
    it(`because it says ${status} is not tried in other ways`, async () => {
      site.post = () => status;
      site.sockets = { "/mcp": "handshake" };
      const error = await failure(connect());
      assert.equal(error.details.params?.["reason"], reason);
      assert.deepEqual(site.asked, ["POST server/discover"]);
      assert.deepEqual(heard.log, [`Streamable HTTP 2026-07-28: ${reason}`]);
    });
  }

  it("because it is overloaded tells when to come back", async () => {
    site.post = () => (response: ServerResponse) => response.writeHead(503, { "retry-after": "7" }).end();
    assert.equal((await failure(connect())).details.retryAfterMs, 7_000);
  });

  it("because nobody is there is not tried in other ways", async () => {
    await site.stop();
    const error = await failure(connect());
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assert.equal(error.details.params?.["reason"], "connection refused");
    assert.equal(heard.log.length, 1);
  });

  it("in any way tells what each attempt said, but not in the server's words", async () => {
    site.post = ({ id, method }) =>
      method === "initialize" ? { jsonrpc: "2.0", id, error: { code: -32601, message: "a secret" } } : 404;
    const error = await failure(connect());
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assert.ok(error.cause instanceof NoWay);
    assert.deepEqual(
      error.cause.attempts.map(({ transport, outcome }) => `${transport}: ${outcome}`),
      [
        "Streamable HTTP 2026-07-28: it answered with HTTP 404",
        "Streamable HTTP 2025: it answered with JSON-RPC error -32601",
        "bare JSON-RPC: it answered with HTTP 404",
        "HTTP+SSE: it answered with HTTP 404",
        "WebSocket: it answered with HTTP 404",
        "WebSocket at /ws: it answered with HTTP 404",
      ],
    );
    assert.match(
      String(error.details.params?.["reason"]),
      /^no way led to it\. Streamable HTTP 2026-07-28: it answered with HTTP 404; /,
    );
    assert.doesNotMatch(error.message, /secret/);
    assert.ok(heard.log.some((line) => line.endsWith("JSON-RPC error -32601 (a secret)")));
  });

  it("because it never answers is given up with whoever waits", async () => {
    site.post = () => undefined;
    const giveUp = new AbortController();
    const connecting = failure(connect({}, giveUp.signal));
    while (site.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    giveUp.abort();
    await connecting;
    assert.deepEqual(site.asked, ["POST server/discover"]);
  });

  it("because its stream does not open is given up after ten seconds", async () => {
    site.get = (_request, response) => response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n");
    const connecting = failure(connect({ first: "sse" }));
    while (site.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    site.get = (_request, response) => response.writeHead(404).end();
    await clock.advance(10_000);
    const error = await connecting;
    assert.match(String(error.details.params?.["reason"]), /HTTP\+SSE: it opened no stream within 10 s/);
  });
});

const BARE = new Set(["tools/list", "tools/call"]);

function answerBare({ id, method, params }: StubMessage): Fields {
  const results: Record<string, unknown> = {
    say: "hola",
    count: { n: 1 },
    official: { content: [{ type: "text", text: "ok" }] },
  };
  const tools = Object.keys(results).map((name) => ({ name, scope: "global", inputSchema: { type: "object" } }));
  return { jsonrpc: "2.0", id, result: method === "tools/list" ? { tools } : results[params.name] };
}

async function connect(more: Partial<RemoteOptions> = {}, signal = never): Promise<RemoteConnection> {
  const fixed = { url: site.url, headers: {}, allowPrivate: true, maxBytes: 100_000, first: "http" as const };
  const connection = (await remote.connect(
    { ...fixed, ...memories, ...more },
    heard.context,
    signal,
  )) as RemoteConnection;
  open.push(connection);
  return connection;
}

/** A host that speaks, at /mcp, what it is told to: by default nothing. */
class Site {
  readonly asked: string[] = [];
  url = "";
  /** The revision in the last `initialize`. */
  greeted: unknown;
  /** A status, what to say, or whoever says it; nothing at all if undefined. */
  post: (message: StubMessage) => Fields | number | ((response: ServerResponse) => unknown) | undefined = () => 404;
  get: (request: IncomingMessage, response: ServerResponse) => unknown = (_request, response) =>
    response.writeHead(404).end();
  /** Which era is spoken on a socket at which path. */
  sockets: Readonly<Record<string, "handshake" | "modern">> = {};
  readonly #sockets = new WebSocketServer({ noServer: true });
  #server: Server = createServer();
  #stream: ServerResponse | undefined;

  async start(): Promise<this> {
    this.#server = createServer((request, response) => void this.#take(request, response));
    this.#server.on("upgrade", (request, socket, head) => {
      // Whoever has found another way lets go of this one, in the middle of our answer too.
      socket.on("error", () => {});
      const era = this.sockets[request.url ?? ""];
      if (!era) return void socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      this.#sockets.handleUpgrade(request, socket, head, (accepted) => {
        const stub = new Stub2026();
        const say = (said: Fields | undefined): void => void (said && accepted.send(JSON.stringify(said)));
        accepted.on("message", (data) => {
          const message = JSON.parse(data.toString()) as StubMessage;
          if (era === "modern") stub.take(message, say);
          else say(answer2025(message));
        });
      });
    });
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
    return this;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  openStream(response: ServerResponse): void {
    this.#stream = response;
    response.writeHead(200, { "content-type": "text/event-stream" }).write("event: endpoint\ndata: /endpoint\n\n");
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString();
    if (request.method === "GET") {
      this.asked.push("GET");
      this.get(request, response);
      return;
    }
    const message = JSON.parse(body) as StubMessage;
    const isEndpoint = request.url === "/endpoint";
    this.asked.push(`POST ${isEndpoint ? "/endpoint " : ""}${message.method}`);
    const said = isEndpoint ? answer2025(message) : this.post(message);
    if (message.method === "initialize") this.greeted = message.params["protocolVersion"];
    if (typeof said === "function") said(response);
    else if (isEndpoint) {
      response.writeHead(202).end();
      if (said) this.#stream?.write(`event: message\ndata: ${JSON.stringify(said)}\n\n`);
    } else if (typeof said === "number") response.writeHead(said).end();
    else if (said) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
  }
}
