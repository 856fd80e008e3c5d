import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { makeSource, makeTool, watch } from "../../test/support/make-call.ts";
import type { Source } from "../sources/source.ts";
import type { ToolDefinition } from "./call.ts";
import { Discovery } from "./discovery.ts";

describe("asking sources for their tools", () => {
  it("hands on what they offer", async () => {
    const { discovery, learned } = open();
    await discovery.discover(makeSource("a", { listTools: async () => [makeTool("x")] }));
    assert.deepEqual(learned, ["a: x"]);
  });

  it("asks four at a time, and the next as soon as one has answered", async () => {
    const { discovery } = open();
    const sources = ["a", "b", "c", "d", "e", "f"].map(slowSource);
    for (const { source } of sources) void discovery.discover(source);
    await turn();
    assert.deepEqual(
      sources.map(({ asked }) => asked.length),
      [1, 1, 1, 1, 0, 0],
    );
    sources[2]?.answer();
    await turn();
    assert.deepEqual(
      sources.map(({ asked }) => asked.length),
      [1, 1, 1, 1, 1, 0],
    );
  });

  it("does not let four that never answer keep the next from being asked", async () => {
    const { discovery, clock } = open();
    const sources = ["a", "b", "c", "d", "e"].map((name) => slowSource(name));
    for (const { source } of sources) void discovery.discover(source);
    await clock.advance(900);
    assert.equal(sources[4]?.asked.length, 0);
    await clock.advance(200);
    assert.equal(sources[4]?.asked.length, 1);
    assert.ok(discovery.isAsking("a"), "those before go on");
  });

  it("asks a source that changed meanwhile once more, not twice at a time", async () => {
    const { discovery, learned, clock } = open();
    const slow = slowSource("a");
    const both = Promise.all([discovery.discover(slow.source), discovery.discover(slow.source)]);
    await turn();
    assert.equal(slow.asked.length, 1);
    slow.answer("old");
    await clock.advance(249);
    assert.equal(slow.asked.length, 1, "a source that always changes must not keep us busy");
    await clock.advance(1);
    assert.equal(slow.asked.length, 2);
    slow.answer("new");
    await both;
    assert.deepEqual(learned, ["a: old", "a: new"]);
    assert.equal(discovery.isAsking("a"), false);
  });

  it("asks ever more rarely a source that announces a change whenever it is asked, and lists do not wait for its end", async () => {
    const { discovery, clock } = open();
    const askedAt: number[] = [];
    const source: Source = makeSource("a", {
      listTools: async () => {
        askedAt.push(clock.now());
        void discovery.discover(source);
        return [makeTool("x")];
      },
    });
    void discovery.discover(source, true);
    const list = watch(discovery.settled(60_000));
    await clock.advance(0);
    assert.equal(list.state, "done");
    for (let n = 0; n < 120; n++) await clock.advance(1_000);
    assert.deepEqual(askedAt.slice(0, 5), [0, 250, 750, 1_750, 3_750]);
    assert.equal(askedAt.length, 10);
    discovery.forget("a");
  });

  it("asks a source whose tools do change within a second, however often they do", async () => {
    const { discovery, clock } = open();
    const askedAt: number[] = [];
    const source: Source = makeSource("a", {
      listTools: async () => {
        askedAt.push(clock.now());
        void discovery.discover(source);
        return [makeTool(`x${askedAt.length}`)];
      },
    });
    void discovery.discover(source);
    for (let n = 0; n < 24; n++) await clock.advance(250);
    assert.deepEqual(askedAt, [0, 250, 750, 1_750, 2_750, 3_750, 4_750, 5_750]);
    discovery.forget("a");
  });

  it("a source that fails is none of the others' trouble, and can be asked again", async () => {
    const { discovery, learned, clock } = open();
    let tries = 0;
    const listTools = async () => {
      if (++tries === 1) throw new Error("not up yet");
      return [makeTool("x")];
    };
    const status = () => ({ state: "waiting", restarts: 1, log: [] }) as const;
    const source = makeSource("a", { listTools, status });
    await discovery.discover(source);
    void discovery.discover(source);
    await clock.advance(250);
    assert.deepEqual(learned, ["a: x"]);
  });

  it("a source that is up but does not say what it offers is asked three times, and again later", async () => {
    const { discovery, learned, clock } = open();
    const askedAt: number[] = [];
    const listTools = async () => {
      if (askedAt.push(clock.now()) <= 3) throw new Error("503");
      return [makeTool("x")];
    };
    void discovery.discover(makeSource("a", { listTools }));
    await clock.advance(5_000);
    assert.deepEqual([askedAt, learned], [[0, 500, 1_500], []]);
    await clock.advance(30_000);
    assert.deepEqual([askedAt.at(-1), learned, clock.pending], [31_500, ["a: x"], 0]);
  });

  it("gives up a source that takes for ever", async () => {
    const { discovery, clock } = open();
    const slow = slowSource("a");
    const asking = watch(discovery.discover(slow.source));
    await clock.advance(119_000);
    assert.equal(asking.state, "pending");
    await clock.advance(2_000);
    assert.equal(asking.state, "done");
    assert.equal(clock.pending, 0);
  });

  it("a source that takes the name of one being asked is asked itself", async () => {
    const { discovery, learned } = open();
    for (const name of ["a", "b", "c", "d"]) void discovery.discover(slowSource(name).source);
    const old = slowSource("x");
    void discovery.discover(old.source, true);
    discovery.forget("x");
    void discovery.discover(makeSource("x", { listTools: async () => [makeTool("fresh")] }), true);
    for (const name of ["a", "b"]) discovery.forget(name);
    await turn();
    await turn();
    assert.deepEqual(learned, ["x: fresh"]);
    assert.equal(discovery.isAsking("x"), false);
  });
});

describe("a first list", () => {
  it("does not wait where nothing is being asked for the first time", async () => {
    const { discovery, clock } = open();
    await discovery.settled(5_000);
    void discovery.discover(slowSource("known").source);
    await turn();
    const before = clock.pending;
    await discovery.settled(5_000);
    assert.equal(clock.pending, before);
  });

  it("waits until every new source has answered or failed", async () => {
    const { discovery, clock } = open();
    const [a, b] = [slowSource("a"), slowSource("b")];
    for (const { source } of [a, b]) void discovery.discover(source, true);
    const list = watch(discovery.settled(5_000));
    await turn();
    a.answer();
    await turn();
    assert.equal(list.state, "pending");
    for (const wait of [0, 500, 1_000]) {
      await clock.advance(wait);
      b.fail();
    }
    await clock.advance(0);
    assert.equal(list.state, "done");
    discovery.forget("b");
    assert.equal(clock.pending, 0);
  });

  it("waits only so long, and the next one not at all", async () => {
    const { discovery, clock } = open();
    void discovery.discover(slowSource("a").source, true);
    const list = watch(discovery.settled(5_000));
    await clock.advance(4_999);
    assert.equal(list.state, "pending");
    await clock.advance(1);
    assert.equal(list.state, "done");
    await discovery.settled(5_000);
  });

  it("does not wait for a source that was removed", async () => {
    const { discovery } = open();
    void discovery.discover(slowSource("a").source, true);
    discovery.forget("a");
    await discovery.settled(5_000);
  });
});

function open() {
  const clock = new FakeClock();
  const learned: string[] = [];
  const onTools = (source: Source, tools: readonly ToolDefinition[]): boolean => {
    const told = `${source.name}: ${tools.map(({ name }) => name).join(" ")}`;
    const isNew = !learned.includes(told);
    learned.push(told);
    return isNew;
  };
  return { discovery: new Discovery(clock, { onTools, onOffers: () => {}, onFailed: () => {} }), clock, learned };
}

/** Answers when it is told to, or gives up when it is given up. */
function slowSource(name: string) {
  const asked: AbortSignal[] = [];
  let current = Promise.withResolvers<readonly ToolDefinition[]>();
  const listTools = (signal: AbortSignal) => {
    asked.push(signal);
    const waiting = Promise.withResolvers<readonly ToolDefinition[]>();
    current = waiting;
    if (signal.aborted) waiting.reject(signal.reason);
    signal.addEventListener("abort", () => waiting.reject(signal.reason));
    return waiting.promise;
  };
  const answer = (...tools: string[]) => current.resolve(tools.map((tool) => makeTool(tool)));
  const fail = () => current.reject(new Error("no"));
  return { source: makeSource(name, { listTools }), asked, answer, fail };
}
