import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { ALICE, BOB, makeCaller, makeSource, makeTool } from "../../../test/support/make-call.ts";
import { makeError } from "../../../test/support/make-error.ts";
import type { Caller, ToolDefinition } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { LightAbort } from "../../light-abort.ts";
import { EMPTY_OBJECT, Payload } from "../../protocol/json/payload.ts";
import { faceOfDiscovery, faceOfInitialize, type ServerFace } from "../../protocol/mcp/face.ts";
import type { Declared, Source, SourceRequest } from "../source.ts";
import type { Unaddressed } from "./lent-connection.ts";
import { Pool } from "./pool.ts";

const ASK = "elicitation/create";
const QUESTION = Payload.ofText('{"message":"sure?"}');
const HANDSHAKE = faceOfInitialize(Payload.ofText('{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}'));
const STATELESS = faceOfDiscovery(Payload.ofText('{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}'));

describe("the plain connection", () => {
  it("declares nothing, is shared by all who cannot be asked, and refuses every question at once", async () => {
    const { pool, made, call } = open();
    const calls = [call(makeCaller({ canBeAsked: false })), call(undefined), call(undefined)];
    await turn();
    assert.deepEqual([made.length, made[0]?.client, made[0]?.running.length], [1, undefined, 3]);
    for (const method of [ASK, "roots/list"]) {
      await assert.rejects(made[0]?.heard.onRequest(method, QUESTION) ?? Promise.resolve(), isUnknownMethod);
    }
    await finish(pool, made, calls);
  });

  it("is what is seen of the source: name, kind, trust, width, face, state", async () => {
    const status = { state: "broken", restarts: 7, log: ["l"] } as const;
    const { pool } = open({ like: { kind: "stdio", trusted: true, concurrency: 9, status: () => status } });
    assert.deepEqual([pool.name, pool.kind, pool.trusted, pool.concurrency], ["s", "stdio", true, 9]);
    assert.deepEqual([await pool.face(never()), pool.status()], [HANDSHAKE, status]);
  });

  it("is all there is of a source that lends none, also for clients that can be asked", async () => {
    const { made, call, pool } = open({ most: 0 });
    const calls = [call(makeCaller()), call(stateless())];
    await turn();
    assert.deepEqual([made.length, made[0]?.running.length], [1, 2]);
    await finish(pool, made, calls);
  });

  it("serves everybody where the source speaks no MCP", async () => {
    const { made, call, pool } = open({ face: undefined });
    const calls = [call(makeCaller())];
    await turn();
    assert.deepEqual([made.length, made[0]?.running.length], [1, 1]);
    await finish(pool, made, calls);
  });
});

describe("a client with a session that can be asked", () => {
  it("is lent a connection from its first call on, which declares what it declared, and which it keeps", async () => {
    const { pool, made, call } = open();
    const alice = makeCaller({ capabilities: Payload.ofText('{"roots":{"listChanged":true}}') });
    const calls = [call(alice), call(alice), pool.request(requestOf(alice, { method: "resources/list" }))];
    await turn();
    assert.deepEqual(
      [made.length, made[1]?.client, made[1]?.running.length],
      [2, { capabilities: { roots: { listChanged: true } }, isLent: true }, 3],
    );
    for (const _ of calls) made[1]?.answer();
    await Promise.all(calls);
    const again = call(alice);
    pool.notify("notifications/roots/list_changed", EMPTY_OBJECT, alice);
    await turn();
    assert.deepEqual(
      [made.length, made[1]?.running.length, made[1]?.told],
      [2, 1, ["notifications/roots/list_changed"]],
    );
    assert.deepEqual(made[0]?.told, []);
    await finish(pool, made, [again]);
  });

  it("has one of its own, whatever others do at the same time", async () => {
    const { pool, made, call } = open();
    const asked: string[] = [];
    const clients = ["alice", "bob", "carol", "dora"].map((name) => answering(name, asked));
    const calls = clients.map((client) => call(client));
    await turn();
    assert.equal(made.length, 5);
    const answers = await Promise.all(made.slice(1).map(({ heard }) => heard.onRequest(ASK, QUESTION)));
    assert.deepEqual(
      answers.map(({ text }) => text),
      ['"alice"', '"bob"', '"carol"', '"dora"'],
    );
    await finish(pool, made, calls);
  });

  it("keeps its connection for as long as it stays, however long it says nothing", async () => {
    const { pool, made, call, clock } = open();
    const alice = makeCaller();
    await done(call(alice), made, 1);
    await clock.advance(3_600_000);
    assert.equal(made[1]?.closes, 0);
    pool.left(alice);
    await clock.advance(60_000);
    assert.equal(made[1]?.closes, 1);
  });

  it("leaves a connection on which nothing was asked to the next of the same principal and capabilities", async () => {
    const { pool, made, call } = open();
    const [first, second, third] = [
      makeCaller(),
      makeCaller(),
      makeCaller({ capabilities: Payload.ofText('{"roots":{}}') }),
    ];
    await done(call(first), made, 1);
    pool.left(first);
    await done(call(second), made, 1);
    assert.equal(made.length, 2);
    pool.left(second);
    await done(call(third), made, 2);
    await done(pool.request(requestOf(makeCaller(), { principal: BOB })), made, 3);
    assert.equal(made.length, 4, "other capabilities, and another principal, have another");
  });

  for (const [what, mark] of Object.entries<(made: Made, pool: Pool, alice: Caller) => unknown>({
    "was asked": (made) => made.heard.onRequest(ASK, QUESTION).catch(() => {}),
    "set the level of the log": (made, pool, alice) =>
      done(pool.request(requestOf(alice, { method: "logging/setLevel" })), [made], 0),
    subscribed: (made, pool, alice) =>
      done(
        pool.request(requestOf(alice, { method: "resources/subscribe", params: Payload.ofText('{"uri":"a:b"}') })),
        [made],
        0,
      ),
  })) {
    it(`takes its connection along when it leaves, where it ${what}`, async () => {
      const { pool, made, call } = open();
      const alice = makeCaller();
      await done(call(alice), made, 1);
      await mark(made[1] as Made, pool, alice);
      pool.left(alice);
      assert.equal(made[1]?.closes, 1);
    });
  }

  it("takes it along where a call was given up, about which its source may still ask", async () => {
    const { pool, made } = open();
    const alice = makeCaller();
    const gone = new AbortController();
    const call = pool.request(requestOf(alice, { signal: gone.signal }));
    await turn();
    gone.abort();
    made[1]?.fail(new ZaguanError("CANCELLED"));
    await assert.rejects(call);
    pool.left(alice);
    assert.equal(made[1]?.closes, 1);
  });

  it("is told that the source has no room when all are busy; one that is idle gives way, the longest idle first", async () => {
    const { pool, made, call, clock } = open({ most: 3 });
    const [alice, bob, carol] = [makeCaller(), makeCaller(), makeCaller()];
    const calls: Promise<Payload>[] = [];
    for (const client of [alice, bob, carol]) {
      calls.push(call(client));
      await clock.advance(1_000);
    }
    const refused = assert.rejects(call(makeCaller()), (error: ZaguanError) => {
      assert.deepEqual([error.code, error.delivery, error.details.retryAfterMs], ["NO_CAPACITY", "not_sent", 5_000]);
      return true;
    });
    await turn();
    await clock.advance(5_000);
    await refused;
    for (const at of [2, 1]) made[at]?.answer();
    await Promise.all(calls.slice(0, 2));
    await done(call(makeCaller()), made, 4);
    assert.deepEqual(
      [1, 2, 3].map((at) => made[at]?.closes),
      [1, 0, 0],
    );
    const again = call(alice);
    await turn();
    assert.deepEqual([made.length, made[2]?.closes], [6, 1], "who lost its own gets another");
    await finish(pool, made, [again, ...calls]);
  });

  it("waits a little for the first of the others to be done, and no longer than its own caller", async () => {
    const { pool, made, call, clock } = open({ most: 2 });
    const calls = [call(makeCaller()), call(makeCaller())];
    await turn();
    const later = call(makeCaller());
    const leaving = new LightAbort();
    const left = assert.rejects(pool.request(requestOf(makeCaller(), { signal: leaving })), { code: "CANCELLED" });
    await clock.advance(4_000);
    leaving.abort(new ZaguanError("CANCELLED"));
    await left;
    assert.equal(made.length, 3);
    made[2]?.answer();
    await calls[1];
    await done(later, made, 3);
    assert.deepEqual([made.length, made[1]?.closes, made[2]?.closes], [4, 0, 1]);
    await finish(pool, made, calls);
  });

  it("gives up for others first what nobody has, and only then what an idle client has", async () => {
    const { pool, made, call, clock } = open({ most: 2 });
    const [alice, bob, carol] = ['{"a":1}', '{"b":1}', '{"c":1}'].map((text) =>
      makeCaller({ capabilities: Payload.ofText(text) }),
    ) as [Caller, Caller, Caller];
    await done(call(alice), made, 1);
    await clock.advance(1_000);
    await done(call(bob), made, 2);
    pool.left(bob);
    await done(call(carol), made, 3);
    assert.deepEqual([made[1]?.closes, made[2]?.closes], [0, 1]);
    await pool.close();
  });

  it("leaves nothing when it goes in the middle of a call", async () => {
    const { pool, made } = open();
    const [alice, stop] = [makeCaller(), new AbortController()];
    const cancelled = pool.request(requestOf(alice, { signal: stop.signal }));
    await turn();
    await made[1]?.heard.onRequest(ASK, QUESTION).catch(() => {});
    stop.abort();
    pool.left(alice);
    assert.equal(made[1]?.closes, 0, "its source is told first that the call is given up");
    made[1]?.fail(makeError("CANCELLED"));
    await assert.rejects(cancelled);
    await turn();
    assert.equal(made[1]?.closes, 1);
  });

  it("has nothing opened to end a subscription that ended with its connection", async () => {
    const { pool, made } = open();
    const [alice, params] = [makeCaller(), Payload.ofText('{"uri":"a:b"}')];
    await done(pool.request(requestOf(alice, { method: "resources/subscribe", params })), made, 1);
    pool.left(alice);
    const ended = await pool.request(requestOf(alice, { method: "resources/unsubscribe", params }));
    assert.deepEqual([ended.text, made.length, made[0]?.running.length], ["{}", 2, 0]);
  });

  it("is subscribed anew to what it subscribed to when its source was started anew", async () => {
    const { pool, made } = open();
    const [alice, params] = [makeCaller(), Payload.ofText('{"uri":"a:b"}')];
    await done(pool.request(requestOf(alice, { method: "resources/subscribe", params })), made, 1);
    made[1]?.heard.onToolsChanged();
    assert.equal(made[1]?.running.length, 0, "only its tools changed");
    made[1]?.heard.onReady?.(true);
    assert.deepEqual(
      made[1]?.running.map(({ method, params: sent }) => [method, sent?.text]),
      [["resources/subscribe", params.text]],
    );
    made[1]?.answer();
    await pool.close();
  });

  it("gets none of a pool that was closed meanwhile", async () => {
    const { pool, made, call } = open();
    const late = call(makeCaller());
    await Promise.all([pool.close(), assert.rejects(late)]);
    assert.equal(made.length, 1);
  });

  it("hears why its connection could not be opened, and gets another with its next call", async () => {
    const { pool, made, call } = open({ lentFails: 1 });
    const alice = makeCaller();
    await assert.rejects(call(alice), (error: ZaguanError) => error.code === "SOURCE_UNAVAILABLE");
    assert.equal(made[1]?.closes, 1);
    await done(call(alice), made, 2);
    await pool.close();
  });
});

describe("a client without a session that can be asked", () => {
  it("is lent one for each call in which it may be asked, and shares the plain one for all else", async () => {
    const { pool, made, call } = open();
    const calls = [
      call(stateless()),
      call(stateless()),
      pool.request(requestOf(stateless(), { method: "resources/list" })),
    ];
    await turn();
    assert.deepEqual(
      made.map(({ running }) => running.length),
      [1, 1, 1],
    );
    await finish(pool, made, calls);
  });

  for (const method of ["tools/call", "prompts/get", "resources/read"]) {
    it(`may be asked in the middle of ${method}`, async () => {
      const { pool, made } = open();
      const calls = [pool.request(requestOf(stateless(), { method }))];
      await turn();
      assert.deepEqual(
        made.map(({ running }) => running.length),
        [0, 1],
      );
      await finish(pool, made, calls);
    });
  }

  it("gets the one again that it had, and another that is free; what was asked on is for nobody else", async () => {
    const { pool, made, call } = open();
    const [alice, bob] = [stateless({ identity: "alice" }), stateless({ identity: "bob" })];
    const asked = call(alice);
    await turn();
    await made[1]?.heard.onRequest(ASK, QUESTION).catch(() => {});
    await done(asked, made, 1);
    await done(call(bob), made, 2);
    await done(call(stateless({ identity: "alice" })), made, 1);
    await done(call(stateless({ identity: "carol" })), made, 2);
    assert.equal(made.length, 3);
    await pool.close();
  });

  it("subscribes on the plain one, as all of its kind do together", async () => {
    const { pool, made } = open();
    const params = Payload.ofText('{"uri":"a:b"}');
    const calls = [pool.request(requestOf(stateless(), { method: "resources/subscribe", params }))];
    await turn();
    assert.deepEqual([made.length, made[0]?.running.length], [1, 1]);
    await finish(pool, made, calls);
  });

  it("leaves one behind that is closed after a minute without use", async () => {
    const { made, call, clock } = open();
    const alice = stateless();
    const first = call(alice);
    await clock.advance(300_000);
    assert.equal(made[1]?.closes, 0, "a call may take its time");
    await done(first, made, 1);
    await clock.advance(59_999);
    const second = call(alice);
    await clock.advance(60_000);
    assert.equal(made[1]?.closes, 0, "it was used again");
    await done(second, made, 1);
    await clock.advance(60_000);
    assert.deepEqual([made[1]?.closes, made[0]?.closes, clock.pending], [1, 0, 0]);
  });
});

describe("a server of the stateless era", () => {
  it("serves clients without a session on the plain connection: it asks in its answers", async () => {
    const { pool, made, call } = open({ face: STATELESS });
    const calls = [call(stateless())];
    await turn();
    assert.deepEqual(
      made.map(({ running }) => running.length),
      [1],
    );
    await finish(pool, made, calls);
  });

  it("that knows the handshake too is lent in it to clients with a session", async () => {
    const { pool, made, call } = open({ face: STATELESS });
    const calls = [call(makeCaller())];
    await turn();
    assert.deepEqual(
      made.map(({ running }) => running.length),
      [0, 1],
    );
    await finish(pool, made, calls);
  });

  it("that refuses the handshake serves them on the plain connection, and is not asked again for ten minutes", async () => {
    const { pool, made, call, clock } = open({ face: STATELESS, lentFails: 1 });
    const alice = makeCaller();
    const calls = [call(alice)];
    await turn();
    assert.deepEqual([made[0]?.running.length, made[1]?.closes], [1, 1]);
    calls.push(call(alice), call(makeCaller()));
    await turn();
    assert.deepEqual([made.length, made[0]?.running.length], [2, 3]);
    await finish(pool, made, calls, false);
    await clock.advance(600_000);
    await done(call(alice), made, 2);
    await pool.close();
  });
});

describe("a question", () => {
  it("keeps the calls of its client from being late while somebody thinks", async () => {
    const { pool, made } = open();
    const held: string[] = [];
    const hold = (name: string) => () => {
      held.push(`${name} held`);
      return () => void held.push(`${name} goes on`);
    };
    const alice = answering("alice", held);
    const calls = ["a", "b"].map((name) => pool.request(requestOf(alice, { hold: hold(name) })));
    await turn();
    await made[1]?.heard.onRequest(ASK, QUESTION);
    assert.deepEqual(held, ["a held", "b held", `alice ${ASK} ${QUESTION.text}`, "a goes on", "b goes on"]);
    await finish(pool, made, calls);
  });

  it("is given up when none of its client's calls is left", async () => {
    const { pool, made, call } = open();
    let signal: AbortSignal | undefined;
    const alice = makeCaller({
      request: (_method, _params, given) => {
        signal = given as AbortSignal;
        return new Promise(() => {});
      },
    });
    const calls = [call(alice), call(alice)];
    await turn();
    void made[1]?.heard.onRequest(ASK, QUESTION);
    await done(calls[0] as Promise<Payload>, made, 1);
    assert.equal(signal?.aborted, false, "it may be about the other one");
    await done(calls[1] as Promise<Payload>, made, 1);
    assert.equal(signal?.aborted, true);
    await pool.close();
  });

  it("reaches a client with a session also when it waits for nothing, and no other", async () => {
    const { pool, made, call } = open();
    const asked: string[] = [];
    await done(call(answering("alice", asked)), made, 1);
    assert.equal((await made[1]?.heard.onRequest("roots/list", EMPTY_OBJECT))?.text, '"alice"');
    await done(call(stateless({ request: () => assert.fail("asked") })), made, 2);
    await assert.rejects(made[2]?.heard.onRequest(ASK, QUESTION) ?? Promise.resolve(), isUnknownMethod);
    await pool.close();
  });
});

describe("what is said on a connection that is lent", () => {
  const heardBy = async (method: string): Promise<string[]> => {
    const { made, pool, heard: everybody } = open();
    const heard: string[] = [];
    const caller = makeCaller({ tell: (what) => heard.push(`client ${what}`) });
    for (const name of ["older", "newer"]) {
      void pool.request(requestOf(caller, { onNotification: (what) => heard.push(`${name} ${what}`) }));
    }
    void pool.request(requestOf(stateless(), { onNotification: () => heard.push("another") }));
    await turn();
    made[1]?.heard.onNotification(method, EMPTY_OBJECT);
    return [...heard, ...everybody.map((what) => `everybody ${what}`)];
  };

  it("is beside the newest call if it is logged", async () => {
    assert.deepEqual(await heardBy("notifications/message"), ["newer notifications/message"]);
  });

  for (const what of ["tools/list_changed", "resources/updated", "anything"]) {
    it(`is its holder's if it is ${what}`, async () => {
      assert.deepEqual(await heardBy(`notifications/${what}`), [`client notifications/${what}`]);
    });
  }

  it("is nobody's when its holder has gone", async () => {
    const { made, pool, call, heard } = open();
    const alice = makeCaller({ tell: () => heard.push("told") });
    await done(call(alice), made, 1);
    pool.left(alice);
    made[1]?.heard.onNotification("notifications/resources/updated", EMPTY_OBJECT);
    assert.deepEqual(heard, []);
    await pool.close();
  });
});

describe("the list of tools", () => {
  const [echo, ask, late] = ["echo", "ask", "late"].map((name) => makeTool(name)) as [
    ToolDefinition,
    ToolDefinition,
    ToolDefinition,
  ];
  const tools = (client: Declared | undefined): readonly ToolDefinition[] => (client ? [echo, ask] : [echo]);

  it("has what is shown only to clients that can be asked, found by one look as such a client", async () => {
    const { pool, made } = open({ tools });
    assert.deepEqual(await pool.listTools(never()), [echo, ask]);
    assert.deepEqual([made.length, made[1]?.closes], [2, 1]);
    assert.deepEqual(await pool.listTools(never()), [echo, ask]);
    assert.equal(made.length, 2);
  });

  it("is not looked for where the same tools are known from the last time, or the era knows no such difference", async () => {
    for (const options of [
      { tools, known: ["echo"] },
      { tools, face: STATELESS },
      { tools, most: 0 },
    ]) {
      const { pool, made } = open(options);
      assert.deepEqual(await pool.listTools(never()), [echo]);
      await turn();
      assert.equal(made.length, 1);
    }
  });

  it("is looked for again where something is missing that was known from the last time", async () => {
    const { pool } = open({ tools, known: ["echo", "ask"] });
    assert.deepEqual(await pool.listTools(never()), [echo, ask]);
  });

  it("has what a client switched on for itself, until it leaves", async () => {
    const { pool, made, call, changes } = open({
      tools: (client) => (client ? [echo, late] : [echo]),
      known: ["echo"],
    });
    const alice = makeCaller();
    await done(call(alice), made, 1);
    await made[1]?.heard.onRequest(ASK, QUESTION).catch(() => {});
    made[1]?.heard.onToolsChanged();
    await turn();
    assert.deepEqual([await pool.listTools(never()), changes.length], [[echo, late], 1]);
    pool.left(alice);
    assert.deepEqual([await pool.listTools(never()), changes.length], [[echo], 2]);
  });
});

describe("a server by URL that has one place for a client", () => {
  it("keeps its plain connection, which is opened anew, and lends none", async () => {
    const { pool, made, call, clock } = open({ isolated: false });
    const alice = makeCaller();
    const first = call(alice);
    await turn();
    assert.deepEqual([made.length, made[0]?.running.map(({ method }) => method)], [2, ["tools/list"]]);
    await clock.advance(5_000);
    await clock.advance(1_000);
    for (let n = 0; n < 3; n++) await turn();
    assert.equal(made[0]?.running.shift()?.signal.aborted, true);
    assert.deepEqual([made[0]?.restarts, made[1]?.closes, made[0]?.running.length], [1, 1, 1]);
    const calls = [first, call(alice), call(makeCaller())];
    await turn();
    assert.equal(made.length, 2);
    await finish(pool, made, calls);
  });

  it("is told from one that is slow for a moment, and answers on neither: that one is looked at again", async () => {
    let isSlow = true;
    const listTools = (): Promise<readonly ToolDefinition[]> => (isSlow ? new Promise(() => {}) : Promise.resolve([]));
    const { pool, made, call, clock } = open({ isolated: false, like: { listTools } });
    const calls = [call(makeCaller())];
    await turn();
    await clock.advance(5_000);
    await clock.advance(5_000);
    made[0]?.fail(new ZaguanError("CANCELLED"));
    for (let n = 0; n < 3; n++) await turn();
    assert.deepEqual([made[0]?.restarts, made[1]?.closes, made[1]?.running.length], [0, 0, 1]);
    isSlow = false;
    calls.push(call(makeCaller()));
    await turn();
    made[0]?.answer();
    await turn();
    assert.deepEqual([made.map(({ running }) => running.length), made[0]?.restarts], [[0, 1, 1], 0]);
    await finish(pool, made, calls);
  });

  it("is told from others by whether the plain one still answers, once", async () => {
    const { pool, made, call } = open({ isolated: false });
    const calls = [call(makeCaller())];
    await turn();
    made[0]?.answer();
    await turn();
    calls.push(call(makeCaller()));
    await turn();
    assert.deepEqual([made.map(({ running }) => running.length), made[0]?.restarts], [[0, 1, 1], 0]);
    await finish(pool, made, calls);
  });
});

describe("the end", () => {
  it("of a restart closes what is lent: its clients get others", async () => {
    const { pool, made, call } = open();
    const alice = makeCaller();
    await done(call(alice), made, 1);
    await pool.restart();
    assert.deepEqual([made[0]?.restarts, made[1]?.closes], [1, 1]);
    await done(call(alice), made, 2);
    await pool.close();
  });

  it("closes all connections, waits for them, and leaves no timer", async () => {
    const { pool, made, call, clock } = open();
    const calls = [call(stateless()), call(makeCaller())];
    await turn();
    const closing = pool.close();
    for (const one of made) one.fail(makeError("OUTCOME_UNKNOWN"));
    await Promise.allSettled([closing, ...calls]);
    await closing;
    assert.deepEqual(
      made.map(({ closes, isClosed }) => [closes, isClosed]),
      [1, 1, 1].map((times) => [times, true]),
    );
    assert.equal(clock.pending, 0);
  });
});

interface Options {
  readonly most?: number;
  readonly face?: ServerFace | undefined;
  readonly isolated?: boolean;
  readonly known?: readonly string[];
  readonly like?: Partial<Source>;
  /** How many of those that are lent cannot be opened. */
  readonly lentFails?: number;
  tools?(client: Declared | undefined): readonly ToolDefinition[];
}

/** One connection: what runs on it goes on until the test says otherwise. */
class Made {
  readonly heard: Unaddressed;
  readonly client: Declared | undefined;
  readonly source: Source;
  readonly running: (SourceRequest & PromiseWithResolvers<Payload>)[] = [];
  readonly told: string[] = [];
  closes = 0;
  restarts = 0;
  isClosed = false;
  #isUp: boolean;

  constructor(heard: Unaddressed, client: Declared | undefined, face: () => ServerFace | undefined, options: Options) {
    this.heard = heard;
    this.client = client;
    this.#isUp = client === undefined;
    this.source = makeSource("s", {
      notify: (method) => void this.told.push(method),
      request: (asked) => this.#begin(asked),
      restart: async () => void this.restarts++,
      close: () => this.#close(),
      currentFace: () => (this.#isUp ? { face: face() } : undefined),
      face: async () => {
        await Promise.resolve();
        this.#isUp = true;
        return face();
      },
      listTools: async () => options.tools?.(client) ?? [],
      ...options.like,
    });
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

function open(options: Options = {}) {
  const clock = new FakeClock();
  const made: Made[] = [];
  const heard: string[] = [];
  const changes: true[] = [];
  let failing = options.lentFails ?? 0;
  const face = "face" in options ? options.face : HANDSHAKE;
  const make = (said: Unaddressed, client?: Declared): Source => {
    const one = new Made(said, client, () => face, options);
    made.push(one);
    return client && failing-- > 0 ? { ...one.source, currentFace: () => undefined, face: refuse } : one.source;
  };
  const pool = new Pool({
    clock,
    make,
    most: options.most ?? 16,
    isolated: options.isolated ?? true,
    known: options.known,
    onNotification: (method) => heard.push(method),
    onToolsChanged: () => void changes.push(true),
  });
  const call = (caller: Caller | undefined): Promise<Payload> => pool.request(requestOf(caller));
  return { clock, made, pool, call, heard, changes };
}

async function refuse(): Promise<never> {
  throw makeError("SOURCE_UNAVAILABLE", { delivery: "not_sent" });
}

/** A client that may stay away for long in the middle of a call. */
function stateless(overrides: Partial<Caller> = {}): Caller {
  return makeCaller({ comesAgain: true, ...overrides });
}

function requestOf(caller: Caller | undefined, more: Partial<SourceRequest> = {}): SourceRequest {
  const common = { method: "tools/call", name: "lamp", args: EMPTY_OBJECT, language: "en", principal: ALICE } as const;
  return { ...common, signal: never(), caller, ...more };
}

function never(): AbortSignal {
  return new AbortController().signal;
}

function answering(name: string, asked: string[]): Caller {
  return makeCaller({
    request: async (method, params) => {
      asked.push(`${name} ${method} ${params.text}`);
      return Payload.ofValue(name);
    },
  });
}

function isUnknownMethod(error: ZaguanError): boolean {
  assert.deepEqual([error.code, error.details.relayed?.code], ["UNKNOWN_METHOD", -32601]);
  return true;
}

/** A request that one connection answers. */
async function done(request: Promise<Payload>, made: readonly Made[], at: number): Promise<void> {
  await turn();
  made[at]?.answer();
  assert.equal((await request).text, '"done"');
  await turn();
}

async function finish(
  pool: Pool,
  made: readonly Made[],
  calls: readonly Promise<Payload>[],
  closes = true,
): Promise<void> {
  for (const one of made) while (one.running.length > 0) one.answer();
  await Promise.all(calls);
  if (closes) await pool.close();
}
