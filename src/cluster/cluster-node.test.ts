/** Nodes put together over a bus and a database that never fail; what happens when they do is `npm run simulate`'s affair. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OwnerTable } from "../../test/simulation/database.ts";
import { type ClusterEffect, ClusterNode } from "./cluster-node.ts";
import type { Owner, Peer } from "./peer.ts";
import { slotOf } from "./placement.ts";

const KEYS = Array.from({ length: 12 }, (_, number) => `key-${number}`);

class Bench {
  now = 0;
  readonly nodes: BenchNode[];
  /** Nodes whose messages are lost, in both directions. */
  readonly cutOff = new Set<BenchNode>();
  /** Who has what needs no lease. */
  readonly unleased = new Map<string, Owner>();
  readonly #table = new OwnerTable(() => this.now);

  constructor(...names: readonly string[]) {
    this.nodes = names.map((name) => new BenchNode(this, name));
    this.pass(2_500);
  }

  pass(ms: number): this {
    for (const end = this.now + ms; this.now < end; ) {
      this.now += 50;
      for (const node of this.nodes) if (node.isUp) node.do(node.cluster.tick(this.now, 0));
    }
    return this;
  }

  deliver(from: BenchNode, effect: ClusterEffect): void {
    if (effect.do === "request" && !from.reachesDatabase) return;
    if (effect.do === "request") {
      const rows = this.#table.execute(from.self, effect.request);
      from.do(from.cluster.answered(effect.id, rows, this.now));
    } else if (effect.do === "send" || effect.do === "cast")
      for (const node of this.nodes) {
        const isMeant = effect.do === "cast" ? node !== from : node.self.boot === effect.to.boot;
        const isCut = node !== from && (this.cutOff.has(node) || this.cutOff.has(from));
        if (isMeant && node.isUp && !isCut) node.do(node.cluster.received(from.self, effect.message, this.now));
      }
  }

  holderOf(key: string): BenchNode {
    const holders = this.nodes.filter(({ isUp, held }) => isUp && held.has(key));
    assert.equal(holders.length, 1, `${key} is held by ${holders.length}`);
    return holders[0] as BenchNode;
  }
}

class BenchNode {
  readonly self: Peer;
  readonly cluster: ClusterNode;
  readonly held = new Map<string, number>();
  readonly told: ClusterEffect[] = [];
  /** What runs here, until the test ends it. */
  readonly running: number[] = [];
  isUp = true;
  reachesDatabase = true;
  readonly #bench: Bench;

  constructor(bench: Bench, node: string) {
    this.#bench = bench;
    this.self = { node, boot: `${node}1` };
    const index = {
      inSlot: (slot: number) => KEYS.filter((key) => slotOf(key) === slot),
      pinned: () => [],
      pinsOf: () => undefined,
      has: (key: string) => KEYS.includes(key),
    };
    this.cluster = new ClusterNode({ self: this.self, index, unleased: (key) => bench.unleased.get(key) });
  }

  do(effects: readonly ClusterEffect[]): void {
    for (const effect of effects) this.#do(effect);
  }

  call(key: string, call = "c"): void {
    this.do(this.cluster.call({ call, key, leftMs: 20_000, body: "{}" }, this.#bench.now));
  }

  outcomes(): string[] {
    return this.told.flatMap((effect) => {
      if (effect.do !== "ended") return [];
      return effect.outcome.kind === "result" ? effect.outcome.text : effect.outcome.delivery;
    });
  }

  finish(text: string): void {
    for (const ref of this.running.splice(0))
      this.do(this.cluster.finished(ref, { kind: "result", text }, this.#bench.now));
  }

  #do(effect: ClusterEffect): void {
    const { now } = this.#bench;
    this.told.push(effect);
    if (effect.do === "begin") this.held.set(effect.key, effect.epoch);
    else if (effect.do === "end") this.held.delete(effect.key);
    else if (effect.do === "stop") {
      this.held.delete(effect.key);
      this.do(this.cluster.stopped(effect.key, effect.epoch, now));
    } else if (effect.do === "enqueue") this.do(this.cluster.turn(effect.ref, now));
    else if (effect.do === "execute") this.running.push(effect.ref);
    else this.#bench.deliver(this, effect);
  }
}

describe("nodes of a cluster", () => {
  it("share the keys among them, each held once", () => {
    const bench = new Bench("a", "b", "c");
    for (const key of KEYS) bench.holderOf(key);
    for (const { held } of bench.nodes) assert.ok(held.size > 0);
  });

  it("forward a call to whoever holds its source, with what is said and asked on the way", () => {
    const bench = new Bench("a", "b");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    const [key = ""] = b.held.keys();
    assert.equal(a.cluster.epochOf(key, bench.now), undefined);
    a.call(key);
    bench.pass(50);
    const [ref = 0] = b.running;
    b.do(b.cluster.note(ref, "progress", "half", bench.now));
    const { question, effects } = b.cluster.ask(ref, "sure?", bench.now);
    b.do(effects);
    a.do(a.cluster.answer("c", question, "yes", bench.now));
    assert.ok(b.told.some((effect) => effect.do === "answer" && effect.text === "yes"));
    b.finish("done");
    assert.deepEqual(a.outcomes(), ["done"]);
    assert.ok(a.told.some((effect) => effect.do === "progress" && effect.text === "half"));
  });

  it("forward a call to whoever has what needs no lease, and to nobody else", () => {
    const bench = new Bench("a", "b");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    bench.unleased.set("socket", { ...b.self, epoch: 1 });
    a.call("socket", "runs");
    bench.pass(50);
    b.finish("done");
    assert.deepEqual([a.outcomes(), a.cluster.isLive("socket", 1, bench.now)], [["done"], false]);
    bench.unleased.delete("socket");
    assert.equal(b.cluster.isLive("socket", 1, bench.now), false);
  });

  it("do not wait for an owner while all of them leave", () => {
    const bench = new Bench("a", "b");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    const [key = ""] = b.held.keys();
    for (const node of bench.nodes) node.do(node.cluster.leave(bench.now, true));
    bench.pass(300);
    b.do(b.cluster.leave(bench.now));
    bench.pass(300);
    a.call(key, "late");
    bench.pass(1_000);
    assert.deepEqual(a.outcomes(), ["not_sent"]);
  });

  it("take over what a dead node held when its lease has ended, and tell at once what became unknown", () => {
    const bench = new Bench("a", "b");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    const [key = ""] = b.held.keys();
    a.call(key, "runs");
    bench.pass(50);
    assert.equal(b.running.length, 1);
    b.isUp = false;
    a.call(key, "waits");
    bench.pass(1_100);
    assert.deepEqual(a.outcomes(), ["unknown"]);
    bench.pass(11_000);
    assert.equal(a.held.get(key), 2);
    a.finish("done");
    assert.deepEqual(a.outcomes(), ["unknown", "done"]);
  });

  it("hand everything over in order when one leaves: what runs is finished, what comes meanwhile waits for the heir", () => {
    const bench = new Bench("a", "b");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    const [key = ""] = b.held.keys();
    a.call(key, "runs");
    bench.pass(50);
    b.do(b.cluster.leave(bench.now));
    bench.pass(300);
    a.call(key, "waits");
    bench.pass(1_000);
    assert.deepEqual([...b.held.keys()], [key], "it is in use");
    assert.ok(!b.cluster.isEmpty);
    b.finish("done");
    bench.pass(1_000);
    assert.ok(b.cluster.isEmpty);
    assert.equal(a.held.size, KEYS.length);
    a.finish("done by the heir");
    assert.deepEqual(a.outcomes(), ["done", "done by the heir"]);
    b.do(b.cluster.bye());
    assert.ok(a.told.some((effect) => effect.do === "gone" && effect.why === "left"));
  });

  it("hand over what one holds that drains, which is still a node, and give it back afterwards", () => {
    const bench = new Bench("a", "b");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    b.cluster.drain(true);
    bench.pass(1_500);
    assert.deepEqual([a.held.size, b.held.size, b.cluster.weight], [KEYS.length, 0, 0]);
    b.call(KEYS[0] ?? "");
    bench.pass(50);
    a.finish("done");
    assert.deepEqual(b.outcomes(), ["done"]);
    b.cluster.drain(false);
    bench.pass(40_000);
    assert.ok(b.held.size > 0 && a.held.size + b.held.size === KEYS.length, `${a.held.size} and ${b.held.size}`);
  });

  it("leave after they were drained", () => {
    const bench = new Bench("a", "b");
    const [, b] = bench.nodes as [BenchNode, BenchNode];
    b.cluster.drain(true);
    bench.pass(1_500);
    b.do(b.cluster.dialled("device", bench.now));
    bench.pass(50);
    b.do(b.cluster.leave(bench.now));
    b.cluster.drain(false);
    bench.pass(1_000);
    assert.ok(b.cluster.isEmpty);
  });

  it("take over nothing while they have lost the bus themselves", () => {
    const bench = new Bench("a", "b");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    const before = a.held.size;
    a.cluster.connected(false, bench.now);
    b.isUp = false;
    bench.pass(15_000);
    assert.equal(a.held.size, before);
    a.cluster.connected(true, bench.now);
    bench.pass(1_000);
    assert.equal(a.held.size, KEYS.length);
  });

  it("take over what a node holds that does not reach the database, though it is alive, and give it its share again later", () => {
    const bench = new Bench("a", "b");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    const before = b.held.size;
    b.reachesDatabase = false;
    bench.pass(12_000);
    assert.deepEqual([a.held.size, b.held.size], [KEYS.length, 0]);
    b.reachesDatabase = true;
    bench.pass(10_000);
    assert.deepEqual([a.held.size, b.held.size], [KEYS.length - before, before]);
  });

  it("hold what they held after all of them did not reach the database, wherever each was first back", () => {
    const bench = new Bench("a", "b", "c");
    const before = bench.nodes.map(({ held }) => [...held.keys()].sort());
    for (const node of bench.nodes) node.reachesDatabase = false;
    bench.pass(20_000);
    for (const { held } of bench.nodes) assert.equal(held.size, 0);
    for (const node of bench.nodes) {
      node.reachesDatabase = true;
      bench.pass(300);
    }
    bench.pass(2_500);
    assert.deepEqual(
      bench.nodes.map(({ held }) => [...held.keys()].sort()),
      before,
    );
  });

  it("do not take themselves for cut off because they stood still", () => {
    const bench = new Bench("a", "b");
    const [, b] = bench.nodes as [BenchNode, BenchNode];
    b.reachesDatabase = false;
    bench.pass(3_500);
    bench.now += 5_000;
    b.do(b.cluster.tick(bench.now, 0));
    assert.equal(b.cluster.weight, 1);
    b.do(b.cluster.tick(bench.now + 50, 0));
    assert.equal(b.cluster.weight, 0, "still nothing");
  });

  it("keep what nobody else can hold as long as clients may call them", () => {
    const bench = new Bench("a", "b");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    b.do(b.cluster.leave(bench.now, true));
    bench.pass(1_000);
    assert.equal(a.held.size, KEYS.length);
    a.do(a.cluster.leave(bench.now, true));
    bench.pass(1_000);
    assert.equal(a.held.size, KEYS.length, "the last one");
    a.do(a.cluster.leave(bench.now));
    bench.pass(1_000);
    assert.ok(a.cluster.isEmpty);
  });

  it("say of a call for what another holds that it was not sent, as soon as the bus is away", () => {
    const bench = new Bench("a", "b");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    const [key = ""] = b.held.keys();
    bench.cutOff.add(b);
    a.cluster.connected(false, bench.now);
    a.call(key, "soon");
    bench.pass(400);
    assert.deepEqual(a.outcomes(), [], "a connection that is back at once was never away");
    bench.pass(1_200);
    a.call(key, "late");
    assert.deepEqual(a.outcomes(), ["not_sent", "not_sent"]);
    const [own = ""] = a.held.keys();
    a.call(own, "own");
    bench.pass(50);
    assert.equal(a.running.length, 1, "what it holds itself is served");
    bench.cutOff.clear();
    a.cluster.connected(true, bench.now);
    a.call(key, "back");
    bench.pass(500);
    assert.equal(b.running.length, 1);
  });

  it("know what the others hold as soon as they have come", () => {
    const bench = new Bench("a", "b");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    bench.cutOff.add(b);
    bench.pass(2_000);
    bench.cutOff.clear();
    bench.pass(500);
    for (const key of b.held.keys()) assert.equal(a.cluster.ownerOf(key)?.boot, "b1");
  });

  it("say the same where nobody is known to hold it and the database is away, but not of what is known", () => {
    const bench = new Bench("a", "b");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    const [key = ""] = b.held.keys();
    a.call(key, "before");
    bench.pass(50);
    b.finish("done");
    for (const node of bench.nodes) node.reachesDatabase = false;
    a.call(key, "known");
    bench.pass(3_000);
    assert.deepEqual([b.running.length, a.outcomes()], [1, ["done"]]);
    bench.pass(7_000);
    assert.equal(b.held.size, 0, "its leases have ended");
    a.call(key, "unknown");
    bench.pass(2_600);
    assert.deepEqual(a.outcomes(), ["done", "unknown", "not_sent"]);
    for (const node of bench.nodes) node.reachesDatabase = true;
    bench.pass(4_000);
    bench.holderOf(key);
    a.call(key, "back");
    bench.pass(100);
    assert.equal(a.outcomes().length, 3);
  });

  it("do not wait for a holder that renews its lease but is not heard, and do for one that is dead", () => {
    const bench = new Bench("a", "b", "c");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    const [key = ""] = b.held.keys();
    bench.cutOff.add(b);
    bench.pass(6_000);
    a.call(key, "vain");
    bench.pass(600);
    assert.deepEqual(a.outcomes(), ["not_sent"]);
    b.isUp = false;
    bench.pass(4_000);
    a.call(key, "waits");
    bench.pass(8_000);
    for (const node of bench.nodes) node.finish("done");
    assert.deepEqual(a.outcomes(), ["not_sent", "done"]);
  });

  it("know whose a device is by where it dialled last", () => {
    const bench = new Bench("a", "b");
    const [a, b] = bench.nodes as [BenchNode, BenchNode];
    a.do(a.cluster.dialled("device", bench.now));
    bench.pass(50);
    assert.equal(a.held.get("device"), 1);
    b.do(b.cluster.dialled("device", bench.now));
    bench.pass(50);
    assert.deepEqual([a.held.get("device"), b.held.get("device")], [undefined, 2]);
    b.do(b.cluster.hungUp("device", bench.now));
    bench.pass(20_000);
    assert.deepEqual([a.held.has("device"), b.held.has("device")], [false, false]);
  });

  it("begin a source that is added and end one that is removed", () => {
    const bench = new Bench("a");
    const [a] = bench.nodes as [BenchNode];
    KEYS.push("added");
    a.do(a.cluster.sourceChanged("added", true, bench.now));
    bench.pass(50);
    assert.ok(a.held.has("added"));
    KEYS.pop();
    a.do(a.cluster.sourceChanged("added", false, bench.now));
    bench.pass(50);
    assert.ok(!a.held.has("added") && a.held.size === KEYS.length);
  });
});
