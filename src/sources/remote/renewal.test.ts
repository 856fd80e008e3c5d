import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, it } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import {
  cleanUp,
  failure,
  type House,
  json,
  type Seen,
  serve,
  stream,
  until,
} from "../../../test/support/http-house.ts";
import { type Heard, hearing, pass, realClock } from "../../../test/support/source-side.ts";
import type { Clock } from "../../core/ports.ts";
import { ZaguanError } from "../../errors.ts";
import { sayEnding } from "../../link/ending.ts";
import { EMPTY_OBJECT, type Payload } from "../../protocol/json/payload.ts";
import { EraMemory } from "../mcp-client/era-memory.ts";
import type { Connection, SourceRequest } from "../source.ts";
import { supervise } from "../supervisor.ts";
import { TransportMemory } from "./options.ts";
import { remote } from "./remote.ts";

const never = new AbortController().signal;
const cleanups: (() => Promise<unknown>)[] = [];
/** What the last connection told. */
let heard: Heard;

afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
  await cleanUp();
});

describe("a session that the server has forgotten", () => {
  it("is opened anew once for all who notice, and nobody else does", async () => {
    const server = await new ForgetfulServer().start();
    const connection = await connect(server.house);
    server.forget();
    const answers = await Promise.all([1, 2, 3, 4].map(() => call(connection)));
    assert.deepEqual(
      answers.map(({ text }) => text),
      Array(4).fill('{"ok":true}'),
    );
    assert.equal(server.sessions, 2);
  });

  it("goes on being opened for the others when the one who noticed first leaves", async () => {
    const server = await new ForgetfulServer().start();
    const connection = await connect(server.house);
    server.forget();
    server.holdsInitialize = true;
    const first = new AbortController();
    const leaving = failure(call(connection, first.signal));
    await until(() => server.held.length === 1);
    const staying = call(connection);
    await until(() => server.refused === 2);
    first.abort(new ZaguanError("DEADLINE_EXCEEDED", { params: { source: "casa", seconds: 1 } }));
    const left = await leaving;
    assert.deepEqual([left.code, left.delivery], ["DEADLINE_EXCEEDED", "not_sent"]);
    server.release();
    assert.equal((await staying).text, '{"ok":true}');
    assert.equal(server.sessions, 2);
  });

  it("is waited for ten seconds and no longer; the calls have not run", async () => {
    const server = await new ForgetfulServer().start();
    const clock = new FakeClock();
    const connection = await connect(server.house, clock);
    server.forget();
    server.holdsInitialize = true;
    const waiting = failure(call(connection));
    await until(() => server.held.length === 1);
    await clock.advance(10_000);
    const error = await waiting;
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assert.match(String(error.details.params?.["reason"]), /no new session within 10 s/);
    await connection.close();
    assert.equal(clock.pending, 0);
  });

  it("is not waited for when the connection is closed", async () => {
    const server = await new ForgetfulServer().start();
    const clock = new FakeClock();
    const connection = await connect(server.house, clock);
    server.forget();
    server.holdsInitialize = true;
    const waiting = failure(call(connection));
    await until(() => server.held.length === 1);
    await connection.close();
    const error = await waiting;
    assert.deepEqual([error.code, error.delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    assert.equal(clock.pending, 0);
  });

  it("and is refused a second time is a fault of the server, not of our callers' sessions", async () => {
    const server = await new ForgetfulServer().start();
    const connection = await connect(server.house);
    server.forgetsAlways = true;
    const error = await failure(call(connection));
    assert.deepEqual([error.code, error.delivery], ["SOURCE_ERROR", "not_sent"]);
    assert.equal(error.details.params?.["reason"], "it keeps forgetting our session");
    assert.deepEqual([server.sessions, server.refused, server.calls], [2, 2, 0]);
  });
});

describe("a session that the server has forgotten while it was only listened to", () => {
  let server: ForgetfulServer;
  let clock: NotingClock;
  let connection: Connection;

  beforeEach(async () => {
    server = await new ForgetfulServer().start();
    server.hasStreams = true;
    clock = new NotingClock();
    connection = await connect(server.house, clock);
    await until(() => server.listeners.length === 1);
    clock.hasSession = true;
  });

  it("is opened anew by itself, and listened to and subscribed to as the last", async () => {
    await connection.request(pass("resources/subscribe", '{"uri":"test://a"}'));
    server.forget();
    await waits(0);
    await until(() => server.listeners.includes("s-2") && server.received("resources/subscribe").length === 2);
    assert.deepEqual(server.received("resources/subscribe"), ["s-1", "s-2"]);
    assert.equal(server.sessions, 2);
  });

  it("is followed by a look at what the server offers now, as the first was not", async () => {
    assert.equal(heard.toolsChanged, 0);
    server.forget();
    await waits(0);
    await until(() => heard.toolsChanged > 0);
    assert.equal(heard.toolsChanged, 1);
  });

  it("is opened anew once for those who listen and those who call", async () => {
    server.forget();
    const answers = await Promise.all([1, 2, 3].map(() => call(connection)));
    await until(() => server.listeners.includes("s-2"));
    assert.equal(answers.length, 3);
    assert.equal(server.sessions, 2);
    assert.equal(clock.pending, 0);
  });

  it("is sought ever more slowly as long as the server is not back", async () => {
    server.isStarting = true;
    server.forget();
    for (const ms of [0, 1_000, 2_000]) await waits(ms);
    await until(() => clock.waits.length === 4);
    server.isStarting = false;
    await waits(4_000);
    await until(() => server.listeners.includes("s-2"));
    assert.equal(clock.pending, 0);
  });

  it("is found for those who call as soon as the server is back", async () => {
    server.isStarting = true;
    server.forget();
    for (const ms of [0, 1_000]) await waits(ms);
    await until(() => clock.waits.length === 3);
    server.isStarting = false;
    assert.equal((await call(connection)).text, '{"ok":true}');
    assert.equal(clock.pending, 0);
  });

  it("is opened more slowly if the server forgets that, too, and at once if it lasted", async () => {
    server.forget();
    await waits(0);
    await listenedTo("s-2");
    server.forget();
    await waits(1_000);
    await listenedTo("s-3");
    await clock.advance(10_000);
    server.forget();
    await waits(0);
    await listenedTo("s-4");
  });

  it("is given up after half a minute: the server may have become another", async () => {
    server.isStarting = true;
    server.forget();
    for (const ms of [0, 1_000, 2_000, 4_000, 8_000, 16_000]) await waits(ms);
    assert.equal(sayEnding(await connection.closed), "it forgot our session and opened no other");
    await connection.close();
    assert.equal(clock.pending, 0);
  });

  /** What the greeting waited for is over then, too. */
  async function listenedTo(session: string): Promise<void> {
    await until(() => server.listeners.includes(session));
    clock.passed = clock.waits.length;
  }

  /** Until the next attempt is to be made in so many milliseconds; then lets them pass. */
  async function waits(ms: number): Promise<void> {
    await until(() => clock.waits.length > clock.passed);
    assert.equal(clock.waits[clock.passed++], ms);
    await clock.advance(ms);
  }
});

describe("a server that is gone", () => {
  it("is no longer shown as ready, and its supervisor waits for it", async () => {
    const server = await new ForgetfulServer().start();
    const options = optionsFor(server.house);
    const ports = { clock: realClock(), random: () => 0.5, emit: () => {} };
    const source = supervise(remote, "casa", options, { readyMs: 5_000, onToolsChanged: () => {} }, ports);
    cleanups.push(() => source.close());
    await source.request(request());
    assert.equal(source.status().state, "ready");
    await server.house.stop();
    const errors: ZaguanError[] = [];
    while (source.status().state === "ready" && errors.length < 10)
      errors.push(await failure(source.request(request())));
    assert.equal(source.status().state, "waiting");
    // The first may have found the old connection before its end was noticed.
    for (const { code, delivery } of errors.slice(1)) {
      assert.deepEqual([code, delivery], ["SOURCE_UNAVAILABLE", "not_sent"]);
    }
    assert.equal(source.status().lastError, "connection refused");
  });
});

/** Keeps how long it was to wait for attempts, of which none is to take longer than ten seconds. */
class NotingClock extends FakeClock {
  readonly waits: number[] = [];
  passed = 0;
  hasSession = false;

  override after(ms: number, run: () => void): () => void {
    // Until the session there are only the limits of the attempts.
    if (ms !== 10_000 && this.hasSession) this.waits.push(ms);
    return super.after(ms, run);
  }
}

/** An MCP server over HTTP that forgets its session when told to. */
class ForgetfulServer {
  house: House = undefined as unknown as House;
  /** The answers to `initialize` that it keeps back. */
  readonly held: { readonly response: ServerResponse; readonly id: number }[] = [];
  sessions = 0;
  refused = 0;
  calls = 0;
  holdsInitialize = false;
  forgetsAlways = false;
  /** Whether it says anything unasked. */
  hasStreams = false;
  /** Takes no sessions yet. */
  isStarting = false;
  /** The sessions in which it was listened to. */
  readonly listeners: string[] = [];
  readonly #streams = new Set<ServerResponse>();
  #session = "";

  async start(): Promise<this> {
    this.house = await serve((seen, response) => this.#answer(seen, response));
    return this;
  }

  forget(): void {
    this.#session = "";
    for (const response of this.#streams) response.end();
    this.#streams.clear();
  }

  /** The sessions in which this was asked. */
  received(method: string): unknown[] {
    const all = this.house.seen.filter(({ body }) => body.includes(`"${method}"`));
    return all.map(({ headers }) => headers["mcp-session-id"]);
  }

  release(): void {
    for (const { response, id } of this.held.splice(0)) this.#open(response, id);
  }

  #answer(seen: Seen, response: ServerResponse): void {
    const { id, method } = seen.body ? JSON.parse(seen.body) : { id: undefined, method: "" };
    if (method === "initialize" && this.isStarting) response.writeHead(503).end();
    else if (method === "initialize" && this.holdsInitialize) this.held.push({ response, id });
    else if (method === "initialize") this.#open(response, id);
    else if (seen.method === "GET" && this.hasStreams) this.#listen(seen, response);
    else if (id === undefined || method === "server/discover") response.writeHead(method ? 202 : 405).end();
    else if (this.forgetsAlways || seen.headers["mcp-session-id"] !== this.#session) this.#refuse(response);
    else this.#run(response, id);
  }

  #listen({ headers }: Seen, response: ServerResponse): void {
    if (headers["mcp-session-id"] !== this.#session) return void response.writeHead(404).end();
    this.listeners.push(this.#session);
    this.#streams.add(stream(response, "retry: 100\ndata: {}\n\n"));
  }

  #open(response: ServerResponse, id: number): void {
    this.#session = `s-${++this.sessions}`;
    const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "f", version: "1" } };
    response.setHeader("mcp-session-id", this.#session);
    json(response, 200, JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  #refuse(response: ServerResponse): void {
    this.refused++;
    json(response, 400, '{"jsonrpc":"2.0","error":{"code":-32000,"message":"No valid session ID"},"id":null}');
  }

  #run(response: ServerResponse, id: number): void {
    this.calls++;
    json(response, 200, `{"jsonrpc":"2.0","id":${id},"result":{"ok":true}}`);
  }
}

async function connect(house: House, clock: Clock = realClock()): Promise<Connection> {
  heard = hearing("casa", clock);
  const connection = await remote.connect(optionsFor(house), heard.context, never);
  cleanups.push(() => connection.close());
  return connection;
}

function optionsFor({ url }: House) {
  const memories = { era: new EraMemory(), way: new TransportMemory() };
  return { url, headers: {}, allowPrivate: true, maxBytes: 100_000, first: "http" as const, ...memories };
}

function call(connection: Connection, signal: AbortSignal = never): Promise<Payload> {
  return connection.request(request(signal));
}

function request(signal: AbortSignal = never): SourceRequest {
  return { method: "tools/call", name: "act", args: EMPTY_OBJECT, language: "en", signal };
}
