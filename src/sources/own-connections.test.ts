import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { makeCaller, makeSource, watch } from "../../test/support/make-call.ts";
import { makeError } from "../../test/support/make-error.ts";
import type { Caller } from "../core/call.ts";
import type { ZaguanError } from "../errors.ts";
import { EMPTY_OBJECT, Payload } from "../protocol/json/payload.ts";
import type { Unaddressed } from "./own-connection.ts";
import { OwnConnections } from "./own-connections.ts";
import type { Source, SourceRequest } from "./source.ts";

const ASK = "elicitation/create";
const QUESTION = Payload.ofText('{"message":"sure?"}');

describe("a source that has asked nothing", () => {
  it("is shared by everybody", async () => {
    const { own, made, call } = open();
    const calls = [call(makeCaller()), call(makeCaller()), call(undefined)];
    assert.deepEqual([made.length, made[0]?.running.length], [1, 3]);
    await finish(own, made, calls);
  });

  it("is what its first connection is: name, kind, trust, width, face, tools, state", async () => {
    const face = { capabilities: {}, serverInfo: {}, instructions: "x", greeting: undefined, discovery: undefined };
    const status = { state: "broken", restarts: 7, log: ["l"] } as const;
    const told: string[] = [];
    const like = {
      ...{ kind: "stdio", trusted: true, concurrency: 9 },
      ...{ listTools: async () => [], face: async () => face, status: () => status },
      notify: (method: string) => void told.push(method),
    };
    const { own, never } = open(like);
    assert.deepEqual([own.name, own.kind, own.trusted, own.concurrency], ["s", "stdio", true, 9]);
    assert.deepEqual([await own.face(never), await own.listTools(never), own.status()], [face, [], status]);
    own.notify("notifications/roots/list_changed", EMPTY_OBJECT);
    assert.deepEqual(told, ["notifications/roots/list_changed"]);
  });

  it("hands what its connection asks and says to whoever finds the caller", async () => {
    const { made, sharedAsked, sharedHeard } = open();
    const answer = await made[0]?.heard.onRequest(ASK, QUESTION);
    made[0]?.heard.onNotification("notifications/message", EMPTY_OBJECT);
    assert.deepEqual([answer?.text, sharedAsked, sharedHeard], ['"shared"', [ASK], ["notifications/message"]]);
  });
});

describe("a source that asked in the middle of a call", () => {
  it("gets a connection of its own for every call of a client without a session, all with the same settings", async () => {
    const { made, call } = await asking();
    const [alice, bob] = [stateless(), stateless()];
    void call(alice);
    void call(bob);
    assert.deepEqual(
      made.map(({ isFirst, running }) => [isFirst, running.map(({ caller }) => caller)]),
      [
        [true, []],
        [false, [alice]],
        [false, [bob]],
      ],
    );
  });

  it("goes on being shared by those who cannot be asked, and for requests in which nothing is asked", async () => {
    const { own, made, call } = await asking();
    void call(undefined);
    void call(makeCaller({ canBeAsked: false }));
    void own.request(requestOf(stateless(), { method: "resources/list" }));
    assert.deepEqual([made.length, made[0]?.running.length], [1, 3]);
  });

  for (const method of ["tools/call", "prompts/get", "resources/read"]) {
    it(`may ask in the middle of ${method}`, async () => {
      const { own, made } = await asking();
      void own.request(requestOf(stateless(), { method }));
      assert.deepEqual(
        made.map(({ running }) => running.length),
        [0, 1],
      );
    });
  }

  it("keeps what its connection began on the shared one there", async () => {
    const { made, call, ask } = open();
    const before = call(stateless());
    await ask();
    assert.equal(made[0]?.running.length, 1);
    made[0]?.answer();
    assert.equal((await before).text, '"done"');
  });

  it("keeps a client with a session where it began, with everything it asks, until it leaves", async () => {
    const { own, made, call } = await asking();
    const alice = makeCaller();
    const calls = [call(alice), call(alice), own.request(requestOf(alice, { method: "resources/list" }))];
    assert.deepEqual([made.length, made[1]?.running.length], [2, 3]);
    for (const _ of calls) made[1]?.answer();
    await Promise.all(calls);
    void call(alice);
    own.notify("notifications/roots/list_changed", EMPTY_OBJECT, alice);
    assert.deepEqual(
      [made.length, made[1]?.running.length, made[1]?.told],
      [2, 1, ["notifications/roots/list_changed"]],
    );
    own.left(alice);
    assert.equal(made[1]?.closes, 1);
  });

  it("leaves those with a session where they are, who came before it asked", async () => {
    const { made, call, ask } = open();
    const alice = makeCaller();
    const before = call(alice);
    await ask();
    made[0]?.answer();
    await before;
    void call(alice);
    assert.deepEqual([made.length, made[0]?.running.length], [1, 1]);
  });

  it("has what a client without a session subscribes to where its calls go, and keeps that", async () => {
    const { own, made, call, clock, sharedHeard } = await asking();
    const params = Payload.ofText('{"uri":"a:b"}');
    const alice = stateless({ identity: "alice" });
    const subscribing = own.request(requestOf(alice, { method: "resources/subscribe", params }));
    made[1]?.answer();
    await subscribing;
    const calling = call(stateless({ identity: "alice" }));
    assert.deepEqual([made.length, made[1]?.running.length], [2, 1]);
    made[1]?.answer();
    await calling;
    await clock.advance(600_000);
    made[1]?.heard.onNotification("notifications/resources/updated", params);
    assert.deepEqual([made[1]?.closes, sharedHeard], [0, ["notifications/resources/updated"]]);
  });

  it("gives a connection that is free only to who seems to be the same client", async () => {
    const { made, call } = await asking();
    const first = call(stateless({ identity: "alice" }));
    made[1]?.answer();
    await first;
    const [again, bob] = [stateless({ identity: "alice" }), stateless({ identity: "bob" })];
    void call(bob);
    void call(again);
    assert.deepEqual(
      made.map(({ running }) => running.map(({ caller }) => caller)),
      [[], [again], [bob]],
    );
  });

  it("has sixteen of them at most; whoever comes then shares, until one is free, which gives way", async () => {
    const { made, call } = await asking();
    for (let n = 0; n < 17; n++) void call(stateless());
    assert.deepEqual([made.length, made[0]?.running.length], [17, 1]);
    made[3]?.answer();
    await turn();
    void call(stateless());
    assert.deepEqual([made.length, made[3]?.closes, made[17]?.running.length], [18, 1, 1]);
  });

  it("frees a connection whose call failed, too, and tells the failure", async () => {
    const { made, call } = await asking();
    const alice = stateless();
    const failure = makeError("OUTCOME_UNKNOWN");
    const failing = call(alice);
    made[1]?.fail(failure);
    await assert.rejects(failing, (error) => error === failure);
    void call(alice);
    assert.deepEqual([made.length, made[1]?.running.length], [2, 1]);
  });
});

describe("a connection that nobody needs", () => {
  it("is closed after a minute without use, and another made when it is needed", async () => {
    const { made, call, clock } = await asking();
    const alice = stateless();
    const first = call(alice);
    await clock.advance(300_000);
    assert.equal(made[1]?.closes, 0, "a call may take its time");
    made[1]?.answer();
    await first;
    await clock.advance(59_999);
    const second = call(alice);
    await clock.advance(60_000);
    assert.equal(made[1]?.closes, 0, "it was used again");
    made[1]?.answer();
    await second;
    await clock.advance(60_000);
    assert.deepEqual([made[1]?.closes, clock.pending], [1, 0]);
    void call(alice);
    assert.deepEqual([made.length, made[2]?.running.length], [3, 1]);
  });

  it("leaves the shared one alone", async () => {
    const { made, call, clock } = await asking();
    const one = call(stateless());
    made[1]?.answer();
    await one;
    await clock.advance(600_000);
    assert.equal(made[0]?.closes, 0);
  });
});

describe("a question", () => {
  it("reaches only the holder of the connection on which it came", async () => {
    const { made, call, sharedAsked } = await asking();
    const asked: string[] = [];
    for (const name of ["alice", "bob"]) void call(answering(name, asked));
    const answers = await Promise.all([2, 1].map((at) => made[at]?.heard.onRequest(ASK, QUESTION)));
    assert.deepEqual(
      answers.map((answer) => answer?.text),
      ['"bob"', '"alice"'],
    );
    assert.deepEqual(asked, [`bob ${ASK} ${QUESTION.text}`, `alice ${ASK} ${QUESTION.text}`]);
    assert.deepEqual(sharedAsked, [ASK], "only the first one of all");
  });

  it("is given up with the newest call of its caller", async () => {
    const { made, own } = await asking();
    const signals: AbortSignal[] = [];
    const request = (_: string, __: Payload, signal: AbortSignal): Promise<Payload> => {
      signals.push(signal);
      return Promise.resolve(EMPTY_OBJECT);
    };
    const alice = makeCaller({ request });
    const [older, newer] = [new AbortController(), new AbortController()];
    for (const { signal } of [older, newer]) void own.request(requestOf(alice, { signal }));
    await made[1]?.heard.onRequest(ASK, QUESTION);
    made[1]?.answer(1);
    await turn();
    await made[1]?.heard.onRequest(ASK, QUESTION);
    assert.deepEqual(signals, [newer.signal, older.signal]);
  });

  it("that the shared connection cannot answer is refused late, since another may be asked the same", async () => {
    const { made, call, clock, refuse } = await asking();
    void call(stateless());
    refuse();
    const refused = watch(made[0]?.heard.onRequest(ASK, QUESTION) ?? Promise.resolve(EMPTY_OBJECT));
    await clock.advance(9_999);
    assert.equal(refused.state, "pending");
    await clock.advance(1);
    assert.equal(refused.state, "failed");
  });

  it("that comes when nobody waits is refused as one that no client can be asked", async () => {
    const { made, call } = await asking();
    const asked: string[] = [];
    const over = call(answering("alice", asked));
    made[1]?.answer();
    await over;
    await assert.rejects(made[1]?.heard.onRequest(ASK, QUESTION) ?? Promise.resolve(), (error: ZaguanError) => {
      assert.deepEqual([error.code, error.details.relayed?.code], ["UNKNOWN_METHOD", -32601]);
      return true;
    });
    assert.deepEqual(asked, []);
  });
});

describe("what is said on such a connection", () => {
  const heardBy = async (method: string): Promise<string[]> => {
    const { made, own, sharedHeard } = await asking();
    const heard: string[] = [];
    const caller = makeCaller({ tell: (what) => heard.push(`client ${what}`) });
    for (const name of ["older", "newer"]) {
      void own.request(requestOf(caller, { onNotification: (what) => heard.push(`${name} ${what}`) }));
    }
    void own.request(requestOf(stateless(), { onNotification: () => heard.push("another") }));
    made[1]?.heard.onNotification(method, EMPTY_OBJECT);
    return [...heard, ...sharedHeard.map((what) => `shared ${what}`)];
  };

  it("is beside the newest call if it is logged", async () => {
    assert.deepEqual(await heardBy("notifications/message"), ["newer notifications/message"]);
  });

  for (const what of ["tools/list_changed", "resources/updated", "anything"]) {
    it(`is its holder's if it is ${what}`, async () => {
      assert.deepEqual(await heardBy(`notifications/${what}`), [`client notifications/${what}`]);
    });
  }

  it("is told to nobody when nobody waits", async () => {
    const { made, own, sharedHeard } = await asking();
    const over = own.request(requestOf(stateless(), { onNotification: () => assert.fail("told") }));
    made[1]?.answer();
    await over;
    made[1]?.heard.onNotification("notifications/message", EMPTY_OBJECT);
    assert.deepEqual(sharedHeard, []);
  });
});

describe("closing", () => {
  it("restarts all of its connections, but those that only remember somebody, which it closes", async () => {
    const { own, made, call } = await asking();
    const alice = makeCaller();
    void call(alice);
    void call(stateless());
    const idle = call(stateless());
    made[3]?.answer();
    await idle;
    await own.restart();
    assert.deepEqual(
      made.map(({ restarts, closes }) => [restarts, closes]),
      [
        [1, 0],
        [1, 0],
        [1, 0],
        [0, 1],
      ],
    );
    // A session goes on where it was.
    void call(alice);
    assert.deepEqual([made.length, made[1]?.running.length], [4, 2]);
  });

  it("closes all connections, and waits for them", async () => {
    const { own, made, call } = await asking();
    const calls = [call(stateless()), call(stateless())];
    for (const one of made.slice(1)) one.answer();
    await Promise.all(calls);
    await own.close();
    assert.deepEqual(
      made.map(({ closes, isClosed }) => [closes, isClosed]),
      [1, 1, 1].map((times) => [times, true]),
    );
  });

  it("leaves no timer behind, even where calls were under way", async () => {
    const { own, made, call, clock } = await asking();
    const calls = [call(stateless()), call(stateless())].map((one) => assert.rejects(one));
    const closing = own.close();
    for (const one of made) one.fail(makeError("OUTCOME_UNKNOWN"));
    await Promise.all([closing, ...calls]);
    await turn();
    assert.equal(clock.pending, 0);
  });
});

/** One connection: what runs on it goes on until the test says otherwise. */
class Made {
  readonly heard: Unaddressed;
  readonly isFirst: boolean;
  readonly source: Source;
  readonly running: (SourceRequest & PromiseWithResolvers<Payload>)[] = [];
  readonly told: string[] = [];
  closes = 0;
  restarts = 0;
  isClosed = false;

  constructor(heard: Unaddressed, isFirst: boolean, like: Partial<Source>) {
    this.heard = heard;
    this.isFirst = isFirst;
    const notify = (method: string): void => void this.told.push(method);
    const request = (asked: SourceRequest): Promise<Payload> => this.#begin(asked);
    const restart = async (): Promise<void> => void this.restarts++;
    this.source = makeSource("s", { request, notify, restart, close: () => this.#close(), ...like });
  }

  answer(at = 0): void {
    for (const one of this.running.splice(at, 1)) one.resolve(Payload.ofText('"done"'));
  }

  fail(error: ZaguanError): void {
    for (const one of this.running.splice(0)) one.reject(error);
  }

  #begin(request: SourceRequest): Promise<Payload> {
    const settled = Promise.withResolvers<Payload>();
    this.running.push({ ...request, ...settled });
    return settled.promise;
  }

  async #close(): Promise<void> {
    this.closes++;
    await turn();
    this.isClosed = true;
  }
}

function open(like: Partial<Source> = {}) {
  const clock = new FakeClock();
  const made: Made[] = [];
  const sharedAsked: string[] = [];
  const sharedHeard: string[] = [];
  let isRefusing = false;
  const refuse = (): void => {
    isRefusing = true;
  };
  const own = new OwnConnections({
    clock,
    make: (heard, isFirst) => {
      const one = new Made(heard, isFirst, like);
      made.push(one);
      return one.source;
    },
    shared: {
      onRequest: async (method) => {
        sharedAsked.push(method);
        if (isRefusing) throw makeError("UNKNOWN_METHOD");
        return Payload.ofText('"shared"');
      },
      onNotification: (method) => sharedHeard.push(method),
    },
  });
  const call = (caller: Caller | undefined) => own.request(requestOf(caller));
  const ask = async () => void (await made[0]?.heard.onRequest(ASK, QUESTION));
  const { signal: never } = new AbortController();
  return { clock, made, own, call, ask, refuse, never, sharedAsked, sharedHeard };
}

/** The same, after it has asked somebody in the middle of a call. */
async function asking() {
  const opened = open();
  const call = opened.call(stateless());
  await opened.ask();
  opened.made[0]?.answer();
  await call;
  return opened;
}

/** A client that may stay away for long in the middle of a call. */
function stateless(overrides: Partial<Caller> = {}): Caller {
  return makeCaller({ comesAgain: true, ...overrides });
}

function requestOf(caller: Caller | undefined, more: Partial<SourceRequest> = {}): SourceRequest {
  const { signal } = new AbortController();
  return { method: "tools/call", name: "lamp", args: EMPTY_OBJECT, language: "en", signal, caller, ...more };
}

function answering(name: string, asked: string[]): Caller {
  return stateless({
    request: async (method, params) => {
      asked.push(`${name} ${method} ${params.text}`);
      return Payload.ofValue(name);
    },
  });
}

async function finish(own: Source, made: readonly Made[], calls: readonly Promise<Payload>[]): Promise<void> {
  for (const one of made) while (one.running.length > 0) one.answer();
  await Promise.all(calls);
  await own.close();
}
