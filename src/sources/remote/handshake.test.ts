import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, it } from "node:test";
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
import {
  callerOf,
  type Heard,
  hearing,
  never,
  pass,
  realClock,
  request,
  textOf,
} from "../../../test/support/source-side.ts";
import { answer2025 } from "../../../test/support/stub-2025.ts";
import type { Fields, StubMessage } from "../../../test/support/stub-2026.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { EraMemory } from "../mcp-client/era-memory.ts";
import type { Connection } from "../source.ts";
import { TransportMemory } from "./options.ts";
import { type RemoteConnection, remote } from "./remote.ts";

const ENVELOPE = "io.modelcontextprotocol/";

let server: AskingServer;
let heard: Heard;
let connection: Connection;

beforeEach(async () => {
  server = await new AskingServer().start();
  heard = hearing("casa", realClock());
  const memories = { era: new EraMemory(), way: new TransportMemory() };
  const options = { url: server.house.url, headers: {}, allowPrivate: true, maxBytes: 100_000, first: "http" as const };
  connection = await remote.connect({ ...options, ...memories }, heard.context, never);
});

afterEach(async () => {
  await connection.close();
  await cleanUp();
});

describe("a server of the older era over HTTP", () => {
  it("is known by its refusal of the newer greeting, which opens no session", () => {
    assert.equal((connection as RemoteConnection).transport, "Streamable HTTP 2025");
    assert.deepEqual(
      (connection as RemoteConnection).attempts.map(({ outcome }) => outcome),
      ["it answered with JSON-RPC error -32000", "connected"],
    );
    assert.deepEqual(server.methods().slice(0, 2), ["server/discover", "initialize"]);
    assert.ok(connection.face?.greeting);
  });

  it("has taken the end of the handshake before it is asked for anything, also in a session opened anew", async () => {
    await connection.request(request("log"));
    server.forget();
    await connection.request(request("log"));
    const sessions = server.received("notifications/initialized").length;
    assert.deepEqual([sessions, server.early], [2, 0]);
  });

  it("asks whoever has the connection, on whichever stream that comes", async () => {
    const asking = connection.request(request("ask", { args: Payload.ofValue({ who: "Ada" }) }));
    await until(() => server.questions === 1);
    server.letAsk();
    assert.deepEqual([textOf(await asking), heard.asked], [{}, ["elicitation/create"]]);
  });

  it("is heard by the one whose request it works on", async () => {
    const said: string[] = [];
    await connection.request(request("log", { onNotification: (method, { text }) => said.push(`${method} ${text}`) }));
    assert.deepEqual(said, ['notifications/message {"level":"info","data":1.0}']);
    await connection.request(request("log"));
    assert.deepEqual(heard.notifications, []);
  });

  it("tells of changes to all, wherever it says so", async () => {
    await connection.request(request("change", { onNotification: () => assert.fail("that is not for one alone") }));
    assert.equal(heard.toolsChanged, 1);
  });

  it("is asked to say more, once, when somebody wants to hear more", async () => {
    const levels = ["warning", "error", "debug", "info"];
    for (const logLevel of levels)
      await connection.request(request("echo", { caller: callerOf(() => "", { logLevel }) }));
    await connection.request(pass("logging/setLevel", '{"level":"emergency"}'));
    await connection.request(request("echo", { caller: callerOf(() => "", { logLevel: "info" }) }));
    assert.deepEqual(
      server.received("logging/setLevel").map(({ params }) => params.level),
      ["warning", "debug", "emergency", "info"],
    );
  });

  it("hears nothing of what a later revision says of its client", async () => {
    const meta = `"_meta":{"${ENVELOPE}protocolVersion":"2026-07-28","${ENVELOPE}clientCapabilities":{},"x":1.0}`;
    const params = `{"name":"echo","arguments":{"n":1.0},${meta}}`;
    const { _meta } = textOf(await connection.request(request("echo", { params: Payload.ofText(params) })));
    assert.deepEqual(_meta, { x: 1 });
    assert.match(server.house.seen.at(-1)?.body ?? "", /"arguments":\{"n":1.0\},"_meta":\{"x":1.0\}/);
  });

  it("is not sent a requestState of a later revision, since it gave none out", async () => {
    const params = Payload.ofText('{"name":"echo","requestState":"mine"}');
    const caller = callerOf(() => "", { comesAgain: true });
    const error = await failure(connection.request(request("echo", { params, caller })));
    assert.deepEqual([error.code, error.delivery], ["INVALID_PARAMS", "not_sent"]);
    assert.equal(error.details.params?.["reason"], "requestState is not one of ours");
    assert.deepEqual(server.received("tools/call"), []);
  });

  it("hears nothing of answers to what it did not ask", async () => {
    const params = Payload.ofText('{"name":"echo","inputResponses":{"a":{}}}');
    const caller = callerOf(() => "", { comesAgain: true });
    assert.deepEqual(textOf(await connection.request(request("echo", { params, caller }))), { name: "echo" });
  });

  it("is told of a deadline that passes while it answers, and so is the one who waited", async () => {
    const caller = new AbortController();
    const waiting = failure(
      connection.request(request("ask", { args: Payload.ofValue({ who: "Ada" }), signal: caller.signal })),
    );
    await until(() => server.questions === 1);
    caller.abort(new ZaguanError("DEADLINE_EXCEEDED", { params: { source: "casa", seconds: 1 } }));
    assert.equal((await waiting).code, "DEADLINE_EXCEEDED");
    await until(() => server.received("notifications/cancelled").length === 1);
    const [call] = server.received("tools/call");
    assert.equal(server.received("notifications/cancelled")[0]?.params.requestId, call?.id);
  });

  it("is told what clients have to say", async () => {
    connection.notify?.("notifications/roots/list_changed", Payload.ofText("{}"));
    await until(() => server.received("notifications/roots/list_changed").length === 1);
  });

  it("is told again of subscriptions when it has forgotten the session", async () => {
    await connection.request(pass("resources/subscribe", '{"uri":"test://a"}'));
    server.forget();
    await connection.request(request("echo"));
    await until(() => server.received("resources/subscribe").length === 2);
    assert.deepEqual(server.received("resources/subscribe")[1]?.params, { uri: "test://a" });
  });
});

/** Keeps sessions, answers calls with event streams, and asks back on them when it is let. */
class AskingServer {
  house: House = undefined as unknown as House;
  questions = 0;
  /** Requests that came before the handshake's last message was taken, which takes a moment here. */
  early = 0;
  #isGreeted = false;
  #session = 0;
  #mayAsk = Promise.withResolvers<void>();
  readonly #answers = new Map<string, (answer: Fields) => void>();

  async start(): Promise<this> {
    this.house = await serve((seen, response) => this.#take(seen, response));
    return this;
  }

  letAsk(): void {
    this.#mayAsk.resolve();
  }

  forget(): void {
    this.#session++;
  }

  received(method: string): StubMessage[] {
    return this.#messages().filter((message) => message.method === method);
  }

  methods(): string[] {
    return this.#messages().map(({ method }) => method);
  }

  #messages(): StubMessage[] {
    return this.house.seen.filter(({ body }) => body !== "").map(({ body }) => JSON.parse(body));
  }

  #take({ method, headers, body }: Seen, response: ServerResponse): void {
    if (method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(body);
    if (message.method === "initialize") {
      this.#isGreeted = false;
      response.setHeader("mcp-session-id", `s-${this.#session}`);
    } else if (headers["mcp-session-id"] === undefined) return void ungreeted(response);
    else if (headers["mcp-session-id"] !== `s-${this.#session}`) return void response.writeHead(404).end();
    if (message.method === undefined) this.#answers.get(message.id)?.(message);
    if (message.method === "tools/call" && !this.#isGreeted) this.early++;
    if (message.method === "notifications/initialized") setTimeout(() => this.#greeted(response), 20);
    else if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
    else if (message.method === "tools/call") void this.#call(message, response);
    else json(response, 200, JSON.stringify(answer2025(message)));
  }

  #greeted(response: ServerResponse): void {
    this.#isGreeted = true;
    response.writeHead(202).end();
  }

  async #call(message: StubMessage, response: ServerResponse): Promise<void> {
    stream(response, ": working\n\n");
    const say = (said: Fields | string): boolean =>
      response.write(`data: ${typeof said === "string" ? said : JSON.stringify(said)}\n\n`);
    const { name } = message.params;
    if (name === "log") say('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1.0}}');
    if (name === "change") say({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    if (name !== "ask") say(answer2025(message) ?? {});
    else say({ jsonrpc: "2.0", id: message.id, result: await this.#ask(message.params.arguments.who, say) });
    response.end();
  }

  /** All questions are held back until everybody has come: none can tell whose it is by its time. */
  async #ask(who: string, say: (said: Fields) => void): Promise<Fields> {
    const id = `q${this.questions++}`;
    await this.#mayAsk.promise;
    const answer = new Promise<Fields>((resolve) => this.#answers.set(id, resolve));
    say({ jsonrpc: "2.0", id, method: "elicitation/create", params: { message: `who is ${who}?` } });
    const { result, error } = await answer;
    return { content: [{ type: "text", text: JSON.stringify(result ?? error) }] };
  }
}

function ungreeted(response: ServerResponse): void {
  const error = { code: -32000, message: "Bad Request: Server not initialized" };
  json(response, 400, JSON.stringify({ jsonrpc: "2.0", error, id: null }));
}
