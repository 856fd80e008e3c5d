/** Messages between nodes over a real NATS: to one, to all, large ones, and those for somebody who is not there. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { parseSecrets } from "../../src/bus/cluster-secret.ts";
import type { BusOptions } from "../../src/bus/nats-bus.ts";
import { type NatsProcess, NO_NATS, openNode, startNats, type TestNode } from "../support/nats.ts";
import { until } from "../support/processes.ts";

const OLD = "hN4vR8kT2wZ6yB0mC5xL9qJ3dF7gS1pA";
const NEW = "Vb6nM0aS4dF8gH2jK7lP1oI5uY9tR3eW";

let nats: NatsProcess;
const open: TestNode[] = [];

async function join(node: string, more: Partial<BusOptions> = {}, servers = nats.url): Promise<TestNode> {
  const joined = await openNode(servers, node, more);
  open.push(joined);
  return joined;
}

function texts({ heard }: TestNode): string[] {
  return heard.map(({ message }) => message);
}

describe("nodes on one NATS", { skip: NO_NATS }, () => {
  before(async () => {
    nats = await startNats();
  });
  after(() => nats.stop());
  afterEach(async () => {
    for (const { bus } of open.splice(0)) await bus.close();
  });

  it("tell each other something, and answer whoever said it", async () => {
    const [a, b, c] = [await join("a"), await join("b"), await join("c")];
    b.bus.listen((from, message) => b.bus.send(from, `${message} back`));
    assert.ok(a.bus.send({ node: "b" }, '{"n":"ñ😀"}') > 0);
    await until("the answer is there", () => a.heard.length > 0);
    assert.deepEqual(a.heard, [{ from: { node: "b", boot: b.bus.boot }, message: '{"n":"ñ😀"} back' }]);
    assert.deepEqual([texts(b), texts(c)], [['{"n":"ñ😀"}'], []]);
  });

  it("tell all others something, and not themselves", async () => {
    const all = [await join("a"), await join("b"), await join("c")];
    for (const { bus } of all) bus.cast(`from ${bus.node}`);
    await until("all have heard it", () => all.every(({ heard }) => heard.length === 2));
    assert.deepEqual(texts(all[0] as TestNode).sort(), ["from b", "from c"]);
  });

  it("hear messages in the order in which one sender sent them", async () => {
    const [a, b] = [await join("a"), await join("b")];
    const sent = Array.from({ length: 2_000 }, (_, index) => `${index}`);
    for (const text of sent) a.bus.send({ node: "b" }, text);
    await until("all are there", () => b.heard.length === sent.length);
    assert.deepEqual(texts(b), sent);
  });

  it("do not hear another cluster, be it another prefix or another secret", async () => {
    const [a, other, stranger] = [
      await join("a"),
      await join("b", { prefix: "elsewhere" }),
      await join("c", { secrets: parseSecrets(OLD, "it") }),
    ];
    const b = await join("b");
    for (const to of ["b", "c"]) a.bus.send({ node: to }, "hello");
    a.bus.cast("all");
    await until("ours has heard both", () => b.heard.length === 2);
    await until("the stranger has refused both", () => stranger.bus.counts().refused.otherKey === 2);
    assert.deepEqual([texts(other), texts(stranger)], [[], []]);
  });

  it("change their secret one after the other, and hear each other all the time", async () => {
    const both = (first: string, second: string) => ({ secrets: parseSecrets(`${first}\n${second}`, "it") });
    const steps = [both(OLD, NEW), both(NEW, OLD), { secrets: parseSecrets(NEW, "it") }];
    let previous = [
      await join("a", { secrets: parseSecrets(OLD, "it") }),
      await join("b", { secrets: parseSecrets(OLD, "it") }),
    ];
    for (const [step, options] of steps.entries()) {
      for (const index of [0, 1]) {
        const left = previous[index] as TestNode;
        await left.bus.close();
        const joined = await join(left.bus.node, options);
        previous = previous.map((node) => (node === left ? joined : node));
        const [one, other] = previous as [TestNode, TestNode];
        one.bus.send({ node: "b" }, `${step}`);
        other.bus.send({ node: "a" }, `${step}`);
        await until("both have heard", () => [one, other].every((node) => texts(node).includes(`${step}`)));
        one.heard.length = other.heard.length = 0;
      }
    }
  });

  it("learn that nobody listened, of a message to one and not of one to all", async () => {
    const a = await join("a");
    const number = a.bus.send({ node: "nobody" }, "hello");
    a.bus.cast("hello");
    const large = a.bus.send({ node: "nobody" }, "x".repeat(3_000_000));
    await until("it was told of both", () => a.unheard.length === 2);
    assert.deepEqual(a.unheard, [
      { to: "nobody", number },
      { to: "nobody", number: large },
    ]);
    const b = await join("b");
    a.bus.send({ node: "b" }, "hello");
    await until("it was heard", () => b.heard.length === 1);
    assert.equal(a.unheard.length, 2);
  });

  it("do not send to themselves, to what is no node, or to what is no life", async () => {
    const a = await join("a");
    for (const to of [{ node: "a" }, { node: "*" }, { node: "b.c" }, { node: "" }, { node: "b", boot: "x" }]) {
      assert.equal(a.bus.send(to, "hello"), 0);
    }
    assert.deepEqual([a.bus.counts().dropped.noSuchNode, a.bus.counts().sent], [5, 0]);
  });

  it("do not take what was meant for an earlier life of theirs", async () => {
    const a = await join("a");
    const first = await join("b");
    const { node, boot } = first.bus;
    await first.bus.close();
    const second = await join("b");
    a.bus.send({ node, boot }, "for the first");
    a.bus.send({ node, boot: second.bus.boot }, "for the second");
    a.bus.send({ node }, "for any");
    await until("two were heard", () => second.heard.length === 2);
    assert.deepEqual(texts(second), ["for the second", "for any"]);
    assert.equal(second.bus.counts().refused.otherLife, 1);
  });

  it("notice another process with their name", async () => {
    const [one, other] = [await join("a"), await join("a")];
    one.bus.cast("here is a");
    await until("it is told", () => other.states.length > 0);
    assert.equal(other.bus.state().twin, one.bus.boot);
    assert.deepEqual([other.states[0]?.link, other.heard], ["connected", []]);
  });

  it("go on when a listener throws", async () => {
    const a = await join("a");
    const faults: unknown[] = [];
    const b = await join("b", { onFault: (cause) => faults.push(cause) });
    b.bus.listen(() => {
      throw new Error("a mistake");
    });
    for (const text of ["1", "2"]) a.bus.send({ node: "b" }, text);
    await until("both were heard", () => b.heard.length === 2 && faults.length === 2);
    assert.equal(b.bus.counts().faults, 2);
  });

  describe("with large messages", () => {
    const LARGE = JSON.stringify({ text: "ñ€😀".repeat(1_500_000) });

    it("take one of 16 MiB, and small ones do not wait for it", async () => {
      const [a, b] = [await join("a"), await join("b")];
      a.bus.send({ node: "b" }, LARGE);
      for (let index = 0; index < 5; index++) a.bus.send({ node: "b" }, `small ${index}`);
      await until("all are there", () => b.heard.length === 6);
      assert.deepEqual(texts(b).slice(0, 5), ["small 0", "small 1", "small 2", "small 3", "small 4"]);
      assert.ok(texts(b)[5] === LARGE, "it is not the same");
    });

    it("put several together at the same time, also where they go to all", async () => {
      const [a, b, c] = [await join("a"), await join("b"), await join("c")];
      const large = (name: string, size: number): string => name.repeat(size);
      for (const [from, name] of [
        [a, "a"],
        [b, "b"],
      ] as const) {
        for (const size of [2_000_000, 300_000, 1_000_000]) from.bus.cast(large(name, size));
      }
      await until("all are there", () => c.heard.length === 6);
      assert.deepEqual(
        texts(c)
          .map((text) => `${text[0]}${text.length}`)
          .sort(),
        ["a1000000", "a2000000", "a300000", "b1000000", "b2000000", "b300000"],
      );
    });

    it("refuse what is larger than allowed before anything is sent", async () => {
      const a = await join("a", { maxMessageBytes: 1_000_000 });
      const b = await join("b", { maxMessageBytes: 900_000 });
      assert.equal(a.bus.send({ node: "b" }, "x".repeat(1_000_001)), 0);
      assert.equal(a.bus.counts().dropped.tooLarge, 1);
      // A receiver that allows less passes over the parts.
      a.bus.send({ node: "b" }, "x".repeat(1_000_000));
      a.bus.send({ node: "b" }, "y".repeat(900_000));
      await until("the smaller one is there", () => b.heard.length === 1);
      assert.equal(texts(b)[0]?.[0], "y");
    });

    it("keep to what NATS takes at once", async () => {
      const small = await startNats({ lines: ["max_payload: 4096", "max_pending: 1000000"] });
      try {
        const [a, b] = [await join("a", {}, small.url), await join("b", {}, small.url)];
        const sent = [3_000, 4_000, 4_096, 5_000, 500_000].map((size) => "x".repeat(size));
        for (const text of sent) assert.ok(a.bus.send({ node: "b" }, text) > 0);
        await until("all are there", () => b.heard.length === sent.length);
        assert.deepEqual(
          texts(b)
            .map(({ length }) => length)
            .sort((x, y) => x - y),
          [3_000, 4_000, 4_096, 5_000, 500_000],
        );
        assert.deepEqual([a.states, b.states], [[], []]);
      } finally {
        for (const { bus } of open.splice(0)) await bus.close();
        await small.stop();
      }
    });
  });
});
