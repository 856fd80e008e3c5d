import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { afterEach, describe, it } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { cleanUp, failure, type House, json, type Seen, serve, until } from "../../../test/support/http-house.ts";
import type { Clock } from "../../core/ports.ts";
import { ZaguanError } from "../../errors.ts";
import { EMPTY_OBJECT, type Payload } from "../../protocol/json/payload.ts";
import { EraMemory } from "../mcp-client/era-memory.ts";
import type { Connection, SourceRequest } from "../source.ts";
import { supervise } from "../supervisor.ts";
import { remote } from "./remote.ts";
import { WayMemory } from "./way-memory.ts";

const never = new AbortController().signal;
const cleanups: (() => Promise<unknown>)[] = [];

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
  #session = "";

  async start(): Promise<this> {
    this.house = await serve((seen, response) => this.#answer(seen, response));
    return this;
  }

  forget(): void {
    this.#session = "";
  }

  release(): void {
    for (const { response, id } of this.held.splice(0)) this.#open(response, id);
  }

  #answer(seen: Seen, response: ServerResponse): void {
    const { id, method } = seen.body ? JSON.parse(seen.body) : { id: undefined, method: "" };
    if (method === "initialize" && this.holdsInitialize) this.held.push({ response, id });
    else if (method === "initialize") this.#open(response, id);
    else if (method !== "tools/call") response.writeHead(method ? 202 : 405).end();
    else if (this.forgetsAlways || seen.headers["mcp-session-id"] !== this.#session) this.#refuse(response);
    else this.#run(response, id);
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
  const options = optionsFor(house);
  const context = {
    name: "casa",
    clock,
    emit: () => {},
    onToolsChanged: () => {},
    onNotification: () => {},
    onRequest: () => Promise.reject(new Error("not asked")),
    onLog: () => {},
  };
  const connection = await remote.connect(options, context, never);
  cleanups.push(() => connection.close());
  return connection;
}

function optionsFor({ url }: House) {
  const memories = { era: new EraMemory(), way: new WayMemory() };
  return { url, headers: {}, allowPrivate: true, maxBytes: 100_000, first: "http" as const, ...memories };
}

function call(connection: Connection, signal: AbortSignal = never): Promise<Payload> {
  return connection.request(request(signal));
}

function request(signal: AbortSignal = never): SourceRequest {
  return { method: "tools/call", name: "act", args: EMPTY_OBJECT, language: "en", signal };
}

function realClock(): Clock {
  return {
    now: () => performance.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
}
