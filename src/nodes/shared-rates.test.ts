/** One limit over several nodes, told a second at a time. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SharedRates, type UsageReport } from "./shared-rates.ts";

const PER_MINUTE = 600;
const BURST = PER_MINUTE / 4;
const STEP_MS = 5;

class Bench {
  now = 0;
  readonly nodes: SharedRates[];
  isConnected = true;
  readonly #onTheWay: { readonly at: number; readonly from: number; readonly used: UsageReport }[] = [];

  constructor(count: number, perMinute = PER_MINUTE) {
    this.nodes = Array.from(
      { length: count },
      (_, index) =>
        new SharedRates({
          clock: { now: () => this.now },
          perMinute: () => perMinute,
          isConnected: () => this.isConnected,
          nodes: () => count,
          send: (used) => this.#onTheWay.push({ at: this.now + STEP_MS, from: index, used }),
        }),
    );
  }

  /** So many calls a second come in, at each of these nodes in turn; gives how many were let in. */
  pass(seconds: number, perSecond: number, nodes: readonly SharedRates[] = this.nodes): number {
    let [letIn, due, turn] = [0, 0, 0];
    for (const end = this.now + seconds * 1_000; this.now < end; ) {
      this.now += STEP_MS;
      this.#deliver();
      for (due += (perSecond * STEP_MS) / 1_000; due >= 1; due--)
        if (nodes[turn++ % nodes.length]?.take("ann", this.now) === 0) letIn++;
      this.#tick();
    }
    return letIn;
  }

  /** Each tells once a second, but not all at the same moment. */
  #tick(): void {
    const apart = Math.floor(1_000 / STEP_MS / this.nodes.length) * STEP_MS;
    for (const [index, node] of this.nodes.entries()) if (this.now % 1_000 === index * apart) node.tick();
  }

  #deliver(): void {
    while (this.#onTheWay[0] && this.#onTheWay[0].at <= this.now) {
      const { from, used } = this.#onTheWay.shift() as { from: number; used: UsageReport };
      for (const [index, node] of this.nodes.entries()) if (index !== from) node.received(used);
    }
  }
}

describe("a limit over three nodes", () => {
  // docs/cluster.md tells these figures.
  it("lets a client at ten times its limit, spread over all, have hardly more in a minute than at one node alone", () => {
    const inAMinute = (nodes: number, perMinute: number): number => new Bench(nodes, perMinute).pass(60, perMinute / 6);
    assert.deepEqual([inAMinute(1, 600), inAMinute(1, 60)], [749, 74]);
    assert.ok(inAMinute(3, 600) <= 1.01 * 749, `${inAMinute(3, 600)}`);
    assert.ok(inAMinute(3, 60) <= 74 + 3, `${inAMinute(3, 60)}`);
  });

  it("holds in every later minute", () => {
    const bench = new Bench(3);
    bench.pass(60, 100);
    for (let minute = 0; minute < 5; minute++) {
      const letIn = bench.pass(60, 100);
      assert.ok(letIn <= 1.01 * PER_MINUTE && letIn >= 0.99 * PER_MINUTE, `${letIn}`);
    }
  });

  it("gives a burst at every node at most, before they have told each other", () => {
    const bench = new Bench(3);
    let letIn = 0;
    for (let call = 0; call < 1_000; call++) for (const node of bench.nodes) if (node.take("ann", 0) === 0) letIn++;
    assert.equal(letIn, 3 * BURST);
  });

  it("refuses nothing to a client that stays below it, at one node or at several", () => {
    const one = new Bench(3);
    assert.equal(one.pass(120, 10, one.nodes.slice(0, 1)), 1_200);
    const all = new Bench(3);
    assert.equal(all.pass(120, 10), 1_200);
  });

  it("counts each principal apart", () => {
    const bench = new Bench(2);
    bench.pass(5, 100);
    assert.equal(bench.nodes[0]?.take("bob", bench.now), 0);
  });
});

describe("a node that does not hear the others", () => {
  it("gives the share that a client had there", () => {
    const bench = new Bench(3);
    const [first, second] = bench.nodes as [SharedRates, SharedRates];
    // Two of three calls come in at the first.
    bench.pass(60, 9, [first, first, second]);
    bench.isConnected = false;
    const shares = [first, second].map((node) => bench.pass(600, 50, [node]) / 10 / PER_MINUTE);
    for (const [index, wanted] of [2 / 3, 1 / 3].entries())
      assert.ok(Math.abs((shares[index] as number) - wanted) < 0.05, `${shares}`);
  });

  it("gives an equal part to one that it does not know, and the whole where it was alone", () => {
    for (const count of [1, 4]) {
      const bench = new Bench(count);
      bench.pass(2, 0);
      bench.isConnected = false;
      const letIn = bench.pass(60, 100, bench.nodes.slice(0, 1));
      assert.ok(Math.abs(letIn - (PER_MINUTE + BURST) / count) <= 2, `${count}: ${letIn}`);
    }
  });
});
