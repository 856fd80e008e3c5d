/** Streams that outlive their connections, over real sockets that break. */
import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { type Asked, type OpenDoors, openDoors, rpc } from "../../../test/support/open-doors.ts";
import { until } from "../../../test/support/processes.ts";
import type { CallRequest } from "../../core/call.ts";
import { LocalReplayLogs } from "../../core/shared/replay-log.ts";
import { type SseEvent, SseParser } from "../../protocol/framing/sse.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { DoorFactory } from "../door.ts";
import { streamableHttp } from "../streamable-http.ts";
import { SessionStreams } from "./session-streams.ts";

type Headers = Record<string, string>;

interface Stream {
  readonly response: IncomingMessage;
  /** The hub's side of it. */
  readonly atHub: ServerResponse | undefined;
  readonly events: SseEvent[];
  readonly retries: number[];
  hasEnded(): boolean;
}

const EVENTS = { accept: "application/json, text/event-stream" };
const PRIMED = "2025-11-25";
const ANSWER = { jsonrpc: "2.0", id: 7, result: { content: [] } };
const MINUTE = 60_000;
const { signal } = new AbortController();

let responses: ServerResponse[];
let doors: OpenDoors;
beforeEach(() => openDoor());
afterEach(async () => {
  await doors.close();
  mock.timers.reset();
});

describe("the stream of an answer", () => {
  it("begins by telling where to come back to, and numbers what it says", async () => {
    const call = holdCall();
    const stream = await post(await open());
    assert.deepEqual([stream.events[0]?.data, stream.retries], ["", [2_000]]);
    call.progress(1);
    call.finish();
    await until("the end", stream.hasEnded);
    assert.deepEqual(said(stream), [progress(1), ANSWER]);
    assert.deepEqual(
      stream.events.map(({ id }) => id?.replace(/^[0-9a-f]{8}p1-/, "")),
      ["0", "1", "2", "3"],
    );
  });

  it("comes early where the answer takes its time, so that it can be taken up again", async () => {
    const session = await open();
    const { promise, resolve } = Promise.withResolvers<Payload>();
    doors.gateway.answer = () => promise;
    const stream = await follow(toolCall({ ...session, ...EVENTS }));
    await until("it is primed", () => stream.events.length > 0);
    await cut(stream);
    resolve(Payload.ofText('{"content":[]}'));
    const again = await resume(session, lastId(stream));
    await until("the end", again.hasEnded);
    assert.deepEqual(said(again), [ANSWER]);
  });

  it("is none where the answer comes at once", async () => {
    const { headers } = await doors.ask("/mcp", toolCall({ ...(await open()), ...EVENTS }));
    assert.equal(headers["content-type"], "application/json");
  });

  it("is none where the client reads no events, however long it takes", async () => {
    const call = holdCall();
    const session = await open();
    const asked = doors.ask("/mcp", toolCall({ ...session, accept: "application/json" }));
    await until("the call runs", () => doors.gateway.calls.length === 1);
    // A second call that was begun later has its stream: the first has had its time.
    const { promise, resolve } = Promise.withResolvers<Payload>();
    doors.gateway.answer = () => promise;
    await follow(toolCall({ ...session, ...EVENTS }));
    resolve(Payload.ofText("{}"));
    call.finish();
    assert.deepEqual((await asked).json.result, ANSWER.result);
  });

  it("goes on where it broke: every event once, then the answer, then the end", async () => {
    const call = holdCall();
    const session = await open();
    const first = await post(session);
    for (const n of [1, 2]) call.progress(n);
    await until("two are there", () => said(first).length === 2);
    first.response.destroy();
    for (const n of [3, 4]) call.progress(n);
    const second = await resume(session, lastId(first));
    call.progress(5);
    call.finish();
    await until("the end", second.hasEnded);
    assert.deepEqual([...said(first), ...said(second)], [...[1, 2, 3, 4, 5].map(progress), ANSWER]);
  });

  it("survives a second break before anything came, by the id that every connection begins with", async () => {
    const call = holdCall();
    const session = await open();
    const first = await post(session);
    await cut(first);
    const second = await resume(session, lastId(first));
    await until("it is primed", () => second.events.length === 1);
    assert.deepEqual([second.events[0]?.data, second.retries], ["", [2_000]]);
    await cut(second);
    call.progress(1);
    const third = await resume(session, lastId(second));
    call.finish();
    await until("the end", third.hasEnded);
    assert.deepEqual([said(first), said(second), said(third)], [[], [], [progress(1), ANSWER]]);
  });

  it("waits with an answer that came while nobody was connected, and gives it again to who lost it again", async () => {
    const call = holdCall();
    const session = await open();
    const first = await post(session);
    await cut(first);
    call.progress(1);
    call.finish();
    for (let n = 0; n < 2; n++) {
      const again = await resume(session, lastId(first));
      await until("the end", again.hasEnded);
      assert.deepEqual(said(again), [progress(1), ANSWER]);
    }
  });

  it("leaves the connection that still carries it for the one that asks for it", async () => {
    const call = holdCall();
    const session = await open();
    const first = await post(session);
    const second = await resume(session, lastId(first));
    await until("the first has ended", first.hasEnded);
    call.finish();
    await until("the end", second.hasEnded);
    assert.deepEqual([said(first), said(second)], [[], [ANSWER]]);
  });

  it("says nothing of other streams", async () => {
    const session = await open();
    const calls = [];
    for (const id of [1, 2]) calls.push({ id, call: holdCall(), stream: await post(session, id) });
    for (const { stream } of calls) await cut(stream);
    for (const { call } of calls) call.finish();
    for (const { id, stream } of calls) {
      const again = await resume(session, lastId(stream));
      await until("the end", again.hasEnded);
      assert.deepEqual(said(again), [{ ...ANSWER, id }]);
    }
  });

  it("keeps the newest of very much that was missed, the answer among it", async () => {
    const call = holdCall();
    const session = await open();
    const first = await post(session);
    await cut(first);
    for (let n = 1; n <= 1_000; n++) call.progress(n);
    call.finish();
    const again = await resume(session, lastId(first));
    await until("the end", again.hasEnded);
    const kept = Array.from({ length: 255 }, (_, index) => progress(746 + index));
    assert.deepEqual(said(again), [...kept, ANSWER]);
  });

  it("brings an answer whole, however large it is", async () => {
    const call = holdCall();
    const session = await open();
    const first = await post(session);
    await cut(first);
    const result = { content: [{ type: "text", text: "x".repeat(5_000_000) }] };
    call.finish(JSON.stringify(result));
    const again = await resume(session, lastId(first));
    await until("the end", again.hasEnded);
    assert.deepEqual(said(again), [{ ...ANSWER, result }]);
  });

  it("brings a question of the source again to who missed it, and its answer to the source", async () => {
    const session = await open(PRIMED, { elicitation: {} });
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
    doors.gateway.answer = async ({ caller, onProgress }) => {
      onProgress?.(Payload.ofText('{"progressToken":77,"progress":0}'));
      await lost;
      const answer = await caller?.request("elicitation/create", Payload.ofText('{"message":"really?"}'), signal);
      return Payload.ofValue({ content: [], answer: answer?.value });
    };
    const first = await post(session);
    await cut(first);
    lose();
    const again = await resume(session, lastId(first));
    await until("the question is there", () => said(again).length === 1);
    const [question] = said(again);
    assert.equal(question?.["method"], "elicitation/create");
    await doors.ask("/mcp", rpc({ jsonrpc: "2.0", id: question?.["id"], result: { action: "accept" } }, session));
    await until("the end", again.hasEnded);
    const result = { content: [], answer: { action: "accept" } };
    assert.deepEqual(said(again).slice(1), [{ ...ANSWER, result }]);
  });
});

describe("a session of an older revision", () => {
  for (const version of ["2025-06-18", "2025-03-26"]) {
    it(`gets ids, but no event without data, which clients of ${version} do not know`, async () => {
      const call = holdCall();
      const session = await open(version);
      const first = await post(session);
      await cut(first);
      call.progress(1);
      const second = await resume(session, lastId(first));
      call.finish();
      await until("the end", second.hasEnded);
      assert.deepEqual([...said(first), ...said(second)], [progress(1), ANSWER]);
      assert.ok([...first.events, ...second.events].every(({ data }) => data !== ""));
      assert.deepEqual([...first.retries, ...second.retries], []);
    });
  }

  it("is asked elsewhere where a stream broke before there was a place to come back to", async () => {
    const session = await open("2025-06-18", { roots: {} });
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
    doors.gateway.answer = async ({ caller }) => {
      await lost;
      return (await caller?.request("roots/list", Payload.ofText("{}"), signal)) ?? Payload.ofText("{}");
    };
    const listening = await follow({ headers: { ...session, ...EVENTS } });
    await cut(await follow(toolCall({ ...session, ...EVENTS })));
    lose();
    await until("it is asked", () => said(listening)[0]?.["method"] === "roots/list");
  });
});

describe("the stream of what is said unasked", () => {
  it("goes on where it broke: what was said meanwhile comes, once", async () => {
    const session = await open();
    const first = await listen(session);
    doors.gateway.toolsChanged();
    await until("it is told", () => said(first).length === 1);
    await cut(first);
    for (let n = 0; n < 2; n++) doors.gateway.toolsChanged();
    const second = await resume(session, lastId(first));
    await until("both are there", () => said(second).length === 2);
    doors.gateway.toolsChanged();
    await until("it goes on", () => said(second).length === 3);
    const numbers = [first, second].flatMap(({ events }) => events.map(({ id }) => id?.split("-")[1]));
    assert.deepEqual(numbers, ["0", "1", "1", "2", "3", "4"]);
  });

  it("begins anew for who names no event, and what was said meanwhile is lost", async () => {
    const session = await open();
    const first = await listen(session);
    await cut(first);
    doors.gateway.toolsChanged();
    const second = await listen(session);
    doors.gateway.toolsChanged();
    await until("it is told", () => said(second).length === 1);
    assert.notEqual(streamOf(first), streamOf(second));
    assert.equal(await statusOf(session, lastId(first)), 409);
  });

  it("leaves a connection that is still open only for who names an event of it", async () => {
    const session = await open();
    const first = await listen(session);
    assert.equal(await statusOf(session), 409);
    const second = await resume(session, lastId(first));
    await until("the first has ended", first.hasEnded);
    doors.gateway.toolsChanged();
    await until("the second hears", () => said(second).length === 1);
    assert.deepEqual(said(first), []);
  });

  it("brings a question again to who missed it", async () => {
    const session = await open(PRIMED, { sampling: {} });
    const first = await listen(session);
    await cut(first);
    doors.gateway.answer = async ({ caller }) =>
      (await caller?.request("sampling/createMessage", Payload.ofText("{}"), signal)) ?? Payload.ofText("{}");
    const asked = doors.ask("/mcp", toolCall({ ...session, accept: "application/json" }));
    await until("the call runs", () => doors.gateway.calls.length === 1);
    const again = await resume(session, lastId(first));
    await until("the question is there", () => said(again).length === 1);
    await doors.ask("/mcp", rpc({ jsonrpc: "2.0", id: said(again)[0]?.["id"], result: { role: "user" } }, session));
    assert.deepEqual((await asked).json.result, { role: "user" });
  });
});

describe("an id at which nothing can be resumed", () => {
  it("is answered by 405, at which official clients stop asking", async () => {
    const call = holdCall();
    const session = await open();
    const stream = await post(session);
    const name = streamOf(stream);
    assert.equal(await statusOf(session, `${name}-99`), 405);
    call.finish();
    await until("the end", stream.hasEnded);
    for (const id of [lastId(stream), `${name}-99`, `${name}`, "nonsense", "-1", "x".repeat(5_000), "00000000p1-0"]) {
      const asked = { headers: { ...session, ...EVENTS, "last-event-id": id } };
      const { status, headers, json } = await doors.ask("/mcp", asked);
      assert.deepEqual([status, headers.allow], [405, "POST"], id);
      assert.match(String(json.error?.data["reason"]), /Last-Event-ID/);
    }
    await listen(session);
  });

  it("may be one of another session, whose streams go on undisturbed", async () => {
    const call = holdCall();
    const [mine, theirs] = [await open(), await open()];
    const [own, stream] = [await post(mine), await post(theirs)];
    const listening = await listen(theirs);
    for (const other of [stream, listening]) assert.equal(await statusOf(mine, lastId(other)), 405);
    call.finish();
    for (const each of [own, stream]) {
      await until("the end", each.hasEnded);
      assert.deepEqual(said(each), [ANSWER]);
    }
    assert.equal(listening.hasEnded(), false);
  });

  it("of a session that has ended is as unknown as that", async () => {
    const call = holdCall();
    const session = await open();
    const stream = await post(session);
    await cut(stream);
    call.finish();
    await doors.ask("/mcp", { method: "DELETE", headers: session });
    assert.equal(await statusOf(session, lastId(stream)), 404);
  });
});

describe("what is kept for who comes back", () => {
  beforeEach(async () => {
    await doors.close();
    mock.timers.enable({ apis: ["Date", "setInterval"], now: Date.now() });
    await openDoor();
  });

  it("is dropped soon where the answer was sent, though it may not have arrived", async () => {
    const call = holdCall();
    const session = await open();
    const stream = await post(session);
    call.finish();
    await until("the end", stream.hasEnded);
    const place = stream.events[0]?.id ?? "";
    const again = await resume(session, place);
    await until("the end", () => again.hasEnded() && again.atHub?.destroyed === true);
    mock.timers.tick(2 * MINUTE);
    assert.equal(await statusOf(session, place), 405);
  });

  it("is kept some minutes where it was not, from the answer on, however long that took", async () => {
    const call = holdCall();
    const session = await open();
    const stream = await post(session);
    await cut(stream);
    mock.timers.tick(60 * MINUTE);
    call.finish();
    await settled(session);
    mock.timers.tick(4 * MINUTE);
    const again = await resume(session, lastId(stream));
    await until("the end", again.hasEnded);
    assert.deepEqual(said(again), [ANSWER]);
  });

  it("is dropped after that", async () => {
    const call = holdCall();
    const session = await open();
    const stream = await post(session);
    await cut(stream);
    call.finish();
    await settled(session);
    mock.timers.tick(6 * MINUTE);
    assert.equal(await statusOf(session, lastId(stream)), 405);
  });

  it("is dropped after a minute where it was said unasked; who comes then listens anew", async () => {
    const session = await open();
    const first = await listen(session);
    await cut(first);
    doors.gateway.toolsChanged();
    mock.timers.tick(2 * MINUTE);
    const second = await resume(session, lastId(first));
    doors.gateway.toolsChanged();
    await until("it is told", () => said(second).length === 1);
    assert.notEqual(streamOf(first), streamOf(second));
  });

  it("does not keep a session alive, but a connection does", async () => {
    const call = holdCall();
    const [left, held] = [await open(), await open()];
    await cut(await post(left));
    const stream = await post(held);
    call.finish();
    await until("the end", stream.hasEnded);
    const listening = await listen(held);
    mock.timers.tick(601 * MINUTE);
    assert.equal(await statusOf(left), 404);
    assert.equal(listening.hasEnded(), false);
  });
});

describe("memory", () => {
  const nowhere = () => new ServerResponse(new IncomingMessage(new Socket()));
  let logs: LocalReplayLogs;
  let streams: SessionStreams;
  beforeEach(() => {
    logs = new LocalReplayLogs();
    streams = new SessionStreams({ sessionId: "s", primes: true, logs });
  });

  it("holds nothing after the end of a session, though its calls may still say something", () => {
    const stream = streams.begin(nowhere());
    streams.listen(nowhere());
    assert.ok(stream.send("kept") && streams.tell("kept") && logs.bytes > 0);
    streams.end();
    assert.equal(logs.bytes, 0);
    assert.ok(stream.send("not kept") && streams.begin(nowhere()).send("not kept"));
    assert.equal(logs.bytes, 0);
  });

  it("holds nothing of a stream for which another has been begun", () => {
    const response = nowhere();
    streams.listen(response);
    streams.tell("kept");
    response.destroy();
    streams.listen(nowhere());
    assert.equal(logs.bytes, 0);
  });

  it("holds nothing that is said after the answer", () => {
    const stream = streams.begin(nowhere());
    stream.finish();
    assert.deepEqual([stream.send("late"), logs.bytes], [false, 0]);
  });
});

async function openDoor(): Promise<void> {
  responses = [];
  const watched: DoorFactory = (context) => {
    const door = streamableHttp(context);
    const routes = door.routes.map((route) => ({
      ...route,
      handle: (exchange: Parameters<typeof route.handle>[0]) => {
        responses.push(exchange.response);
        return route.handle(exchange);
      },
    }));
    return { name: door.name, routes, close: () => door.close?.() };
  };
  doors = await openDoors([watched], { limits: { sessionIdleMs: 600 * MINUTE } });
}

/** Calls that say and answer what the test wants, when it wants. They begin with progress, and so with a stream. */
function holdCall() {
  const { promise, resolve } = Promise.withResolvers<Payload>();
  let held: CallRequest | undefined;
  const tell = (n: number) => held?.onProgress?.(Payload.ofText(`{"progressToken":77,"progress":${n}}`));
  doors.gateway.answer = (request) => {
    held = request;
    tell(0);
    return promise;
  };
  return { progress: tell, finish: (result = '{"content":[]}') => resolve(Payload.ofText(result)) };
}

function progress(n: number): object {
  return { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "t", progress: n } };
}

function isBeginning({ data }: SseEvent): boolean {
  return data !== "" && JSON.parse(data).params?.progress === 0;
}

function toolCall(headers: Headers, id = 7): Asked {
  const params = { name: "lamp", _meta: { progressToken: "t" } };
  return rpc({ jsonrpc: "2.0", id, method: "tools/call", params }, headers);
}

async function open(protocolVersion = PRIMED, capabilities: object = {}): Promise<Headers> {
  const params = { protocolVersion, capabilities, clientInfo: { name: "test", version: "1" } };
  const { headers } = await doors.ask("/mcp", rpc({ jsonrpc: "2.0", id: 0, method: "initialize", params }, EVENTS));
  return { "mcp-session-id": String(headers["mcp-session-id"]) };
}

/** Calls, and resolves when the stream of the answer has begun. */
async function post(session: Headers, id?: number): Promise<Stream> {
  const stream = await follow(toolCall({ ...session, ...EVENTS }, id));
  await until("it has begun", () => stream.events.some(isBeginning));
  return stream;
}

/** Listens, and resolves when there is a place to come back to. */
async function listen(session: Headers): Promise<Stream> {
  const stream = await follow({ headers: { ...session, ...EVENTS } });
  await until("it is primed", () => stream.events.length > 0);
  return stream;
}

function resume(session: Headers, lastEventId: string): Promise<Stream> {
  return follow({ headers: { ...session, ...EVENTS, "last-event-id": lastEventId } });
}

/** Of the answer to a GET, which is not read. */
async function statusOf(session: Headers, lastEventId = ""): Promise<number | undefined> {
  const response = await doors.begin("/mcp", { headers: { ...session, ...EVENTS, "last-event-id": lastEventId } });
  response.on("error", () => {}).destroy();
  return response.statusCode;
}

async function follow(asked: Asked): Promise<Stream> {
  const response = await doors.begin("/mcp", asked);
  assert.deepEqual([response.statusCode, response.headers["content-type"]], [200, "text/event-stream"]);
  const atHub = responses.at(-1);
  const events: SseEvent[] = [];
  const retries: number[] = [];
  const parser = new SseParser(10_000_000, addTo(events), addTo(retries));
  response.on("data", (chunk: Buffer) => parser.push(chunk)).on("error", () => {});
  return { response, atHub, events, retries, hasEnded: () => response.readableEnded };
}

function addTo<Item>(list: Item[]): (item: Item) => void {
  return (item) => void list.push(item);
}

/** The messages on a stream, without the one that made it begin. */
function said({ events }: Stream): Record<string, unknown>[] {
  return events.filter((event) => event.data !== "" && !isBeginning(event)).map(({ data }) => JSON.parse(data));
}

function lastId({ events }: Stream): string {
  return events.at(-1)?.id ?? "";
}

function streamOf(stream: Stream): string | undefined {
  return lastId(stream).split("-")[0];
}

/** Breaks the connection, and waits until the hub has noticed. */
async function cut({ response, atHub }: Stream): Promise<void> {
  response.destroy();
  await until("the hub has noticed", () => atHub?.destroyed === true);
}

/** Whatever was to happen at once has happened when the hub has answered something else. */
async function settled(session: Headers): Promise<void> {
  await doors.ask("/mcp", rpc({ jsonrpc: "2.0", id: 1, method: "ping" }, session));
}
