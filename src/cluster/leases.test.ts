/** The leases of one node over a table of owners in memory, whose answers the test hands over when it likes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OwnerTable } from "../../test/simulation/database.ts";
import type { OwnerRow } from "./lease-requests.ts";
import { type LeaseEffect, Leases } from "./leases.ts";

type Request = Extract<LeaseEffect, { do: "request" }>;

class Bench {
  now = 0;
  readonly table = new OwnerTable(() => this.now);
  readonly #nodes: BenchNode[] = [];

  node(name: string): BenchNode {
    const node = new BenchNode(this, name);
    this.#nodes.push(node);
    return node;
  }

  /** Time passes; statements of those that are connected are answered at once. */
  pass(ms: number): void {
    for (const end = this.now + ms; this.now < end; ) {
      this.now += 50;
      for (const node of this.#nodes) node.tick();
    }
  }
}

class BenchNode {
  readonly leases: Leases;
  readonly said: string[] = [];
  readonly deadlines: number[] = [];
  isConnected = true;
  isStopped = false;
  readonly #bench: Bench;
  readonly #name: string;
  readonly #requests: Request[] = [];

  constructor(bench: Bench, name: string) {
    this.#bench = bench;
    this.#name = name;
    this.leases = new Leases({ node: name, boot: `${name}1` }, (effect) => this.#take(effect));
  }

  tick(): void {
    if (this.isStopped) return;
    this.leases.tick(this.#bench.now);
    if (this.isConnected) for (const request of this.take()) this.answer(request);
  }

  /** The statements that nobody has executed so far. */
  take(): Request[] {
    return this.#requests.splice(0);
  }

  execute({ request }: Request): OwnerRow[] {
    return this.#bench.table.execute({ node: this.#name, boot: `${this.#name}1` }, request);
  }

  answer(request: Request, rows = this.execute(request)): void {
    this.leases.answered(request.id, rows, this.#bench.now);
  }

  want(key: string, force = false): void {
    this.leases.want(key, this.#bench.now, force);
  }

  isLive(key: string, epoch: number): boolean {
    return this.leases.isLive(key, epoch, this.#bench.now);
  }

  #take(effect: LeaseEffect): void {
    if (effect.do === "request") this.#requests.push(effect);
    else if (effect.do === "deadline") this.deadlines.push(effect.at);
    else if (effect.do !== "seen") this.said.push(`${effect.do} ${effect.key} ${effect.epoch}`);
  }
}

function two(): { bench: Bench; a: BenchNode; b: BenchNode } {
  const bench = new Bench();
  return { bench, a: bench.node("a"), b: bench.node("b") };
}

describe("a database that is away", () => {
  it("is known after two seconds without an answer, or when it was not reached twice in a row", () => {
    const bench = new Bench();
    const node = bench.node("a");
    node.isConnected = false;
    node.want("k");
    bench.pass(1_900);
    assert.equal(node.leases.isDatabaseAway(bench.now), false);
    bench.pass(200);
    assert.equal(node.leases.isDatabaseAway(bench.now), true);
    for (const request of node.take()) node.answer(request);
    assert.equal(node.leases.isDatabaseAway(bench.now), false);
    node.leases.requestFailed(1, bench.now);
    assert.equal(node.leases.isDatabaseAway(bench.now), false, "one connection may be lost");
    node.leases.requestFailed(2, bench.now);
    assert.equal(node.leases.isDatabaseAway(bench.now), true);
  });
});

describe("a database that is busy", () => {
  const SLOW_MS = 1_500;

  /** Passes time while statements that name rows take long, and the others overtake them on another connection. */
  function passBusily(bench: Bench, node: BenchNode, ms: number, end: (request: Request) => void): readonly number[] {
    const renewedAt: number[] = [];
    const running: { request: Request; until: number }[] = [];
    for (const stop = bench.now + ms; bench.now < stop; ) {
      bench.pass(50);
      for (const request of node.take()) {
        if (request.request.kind === "renew") renewedAt.push(bench.now);
        running.push({ request, until: bench.now + (request.request.keys.length > 0 ? SLOW_MS : 0) });
      }
      for (const done of running.filter(({ until }) => until <= bench.now)) {
        running.splice(running.indexOf(done), 1);
        end(done.request);
      }
    }
    return renewedAt;
  }

  it("is sent each renewal once, though it answers quickly where no row is named", () => {
    const bench = new Bench();
    const node = bench.node("a");
    node.isConnected = false;
    node.want("k");
    const renewedAt = passBusily(bench, node, 31_000, (request) => node.answer(request));
    assert.deepEqual(node.said, ["begin k 1"]);
    assert.ok(renewedAt.length >= 8 && renewedAt.length <= 10, renewedAt.join(" "));
  });

  it("is asked less often, too, once its statements have taken so long that they failed", () => {
    const bench = new Bench();
    const node = bench.node("a");
    node.isConnected = false;
    node.want("k");
    const fail = (request: Request): void => {
      if (request.request.keys.length === 0) node.answer(request);
      else node.leases.requestFailed(request.id, bench.now);
    };
    bench.pass(50);
    for (const request of node.take()) node.answer(request);
    const renewedAt = passBusily(bench, node, 8_400, fail);
    assert.ok(renewedAt.length <= 5, renewedAt.join(" "));
  });
});

describe("a lease", () => {
  it("begins when a free row was claimed, after the undertaker has its deadline", () => {
    const { bench, a } = two();
    a.want("k");
    bench.pass(50);
    assert.deepEqual(a.said, ["begin k 1"]);
    assert.deepEqual(a.deadlines, [50 + 10_000 - 700]);
    assert.ok(a.isLive("k", 1) && !a.isLive("k", 2) && !a.isLive("other", 1));
  });

  it("is kept by a renewal every three seconds, all keys in one statement", () => {
    const { bench, a } = two();
    a.want("k");
    a.want("l");
    bench.pass(3_000);
    a.isConnected = false;
    bench.pass(3_100);
    const kinds = a.take().map(({ request }) => `${request.kind} ${request.keys.length}`);
    assert.equal(kinds[0], "renew 2");
    a.isConnected = true;
    bench.pass(60_000);
    assert.deepEqual(a.said, ["begin k 1", "begin l 1"]);
  });

  it("moves the undertaker's deadline with every renewal, so that no process is killed under a live lease", () => {
    const { bench, a } = two();
    a.want("k");
    for (let second = 1; second <= 30; second++) {
      bench.pass(1_000);
      const last = a.deadlines.at(-1) ?? 0;
      assert.ok(a.isLive("k", 1) && last > bench.now, `${last} after ${second} s`);
    }
  });

  it("counts from when its claim was sent, however late the answer comes", () => {
    const { bench, a } = two();
    a.isConnected = false;
    a.want("k");
    bench.pass(50);
    const [claim] = a.take();
    assert.ok(claim);
    const rows = a.execute(claim);
    bench.pass(7_000);
    a.answer(claim, rows);
    assert.deepEqual(a.said, ["begin k 1"]);
    bench.pass(1_450);
    assert.ok(a.isLive("k", 1));
    bench.pass(50);
    assert.ok(!a.isLive("k", 1));
    assert.deepEqual(a.said, ["begin k 1", "end k 1"]);
  });

  it("is not begun by an answer that comes after its end", () => {
    const { bench, a } = two();
    a.isConnected = false;
    a.want("k");
    bench.pass(50);
    const [claim] = a.take();
    assert.ok(claim);
    const rows = a.execute(claim);
    a.isStopped = true;
    bench.pass(9_000);
    a.answer(claim, rows);
    assert.deepEqual(a.said, []);
  });

  it("is not prolonged by an answer that finds its time over: the undertaker may have been there", () => {
    const { bench, a } = two();
    a.want("k");
    bench.pass(3_000);
    a.isConnected = false;
    bench.pass(200);
    const [renewal] = a.take();
    assert.ok(renewal);
    const rows = a.execute(renewal);
    a.isStopped = true;
    bench.pass(9_000);
    a.answer(renewal, rows);
    assert.deepEqual(a.said, ["begin k 1", "end k 1"]);
  });

  it("ends before the database would give it to another, when renewals get no answer", () => {
    const { bench, a, b } = two();
    a.want("k");
    bench.pass(50);
    a.isConnected = false;
    b.want("k");
    bench.pass(8_500);
    assert.deepEqual([a.said, b.said], [["begin k 1", "end k 1"], []]);
    bench.pass(1_700);
    assert.deepEqual(b.said, ["begin k 2"]);
  });

  it("that ran out is claimed again under a higher epoch, even where nobody else took it", () => {
    const { bench, a } = two();
    a.want("k");
    bench.pass(50);
    a.isConnected = false;
    bench.pass(9_000);
    a.isConnected = true;
    bench.pass(1_100);
    assert.deepEqual(a.said, ["begin k 1", "end k 1", "begin k 2"]);
  });
});

describe("a claim", () => {
  it("is refused while another holds the row, and comes again when its lease would end", () => {
    const { bench, a, b } = two();
    a.want("k");
    bench.pass(50);
    b.want("k");
    bench.pass(100);
    a.isStopped = true;
    bench.pass(10_100);
    assert.deepEqual(b.said, ["begin k 2"]);
  });

  it("is not put off by the late answer to an earlier one", () => {
    const { bench, a, b } = two();
    a.want("k");
    bench.pass(50);
    a.isStopped = true;
    b.isConnected = false;
    b.want("k");
    bench.pass(50);
    const [claim] = b.take();
    assert.ok(claim);
    const rows = b.execute(claim);
    b.isConnected = true;
    bench.pass(9_000);
    b.answer(claim, rows);
    bench.pass(1_100);
    assert.deepEqual(b.said, ["begin k 2"]);
  });

  it("whose answer was lost is found by the boot in the row, without another epoch", () => {
    const { bench, a } = two();
    a.isConnected = false;
    a.want("k");
    bench.pass(50);
    for (const claim of a.take()) a.execute(claim);
    a.isConnected = true;
    bench.pass(1_100);
    assert.deepEqual(a.said, ["begin k 1"]);
    assert.equal(bench.table.epochOf("k"), 1);
  });

  it("that is answered twice begins once", () => {
    const { bench, a } = two();
    a.isConnected = false;
    a.want("k");
    bench.pass(50);
    for (const claim of a.take()) {
      const rows = a.execute(claim);
      a.answer(claim, rows);
      a.answer(claim, rows);
    }
    assert.deepEqual(a.said, ["begin k 1"]);
  });

  it("that succeeds after the key is no longer wanted is given back", () => {
    const { bench, a, b } = two();
    a.isConnected = false;
    a.want("k");
    bench.pass(50);
    const [claim] = a.take();
    a.leases.unwant("k");
    assert.ok(claim);
    a.answer(claim);
    a.isConnected = true;
    bench.pass(50);
    b.want("k");
    bench.pass(50);
    assert.deepEqual([a.said, b.said], [["freed k 1"], ["begin k 2"]]);
  });
});

describe("letting go", () => {
  it("is not undone by the late answer to a claim from before", () => {
    const { bench, a, b } = two();
    a.isConnected = false;
    a.want("k");
    bench.pass(50);
    bench.pass(1_000);
    const [first, second] = a.take();
    assert.ok(first && second);
    const rows = a.execute(first);
    a.answer(second);
    a.leases.release("k", "b");
    a.leases.stopped("k", 1, bench.now);
    a.isConnected = true;
    bench.pass(50);
    b.want("k");
    bench.pass(50);
    a.want("k");
    a.answer(first, rows);
    assert.deepEqual([a.said, b.said], [["begin k 1", "stop k 1", "freed k 1"], ["begin k 2"]]);
  });

  it("waits until the children are dead, and tells when the row is free", () => {
    const { bench, a, b } = two();
    a.want("k");
    bench.pass(50);
    a.leases.release("k", "b");
    assert.ok(!a.isLive("k", 1), "no new work");
    bench.pass(12_000);
    b.want("k");
    bench.pass(50);
    assert.deepEqual([a.said, b.said], [["begin k 1", "stop k 1"], []]);
    a.leases.stopped("k", 1, bench.now);
    bench.pass(50);
    b.leases.becameFree("k", bench.now);
    bench.pass(50);
    assert.deepEqual([a.said.at(-1), b.said], ["freed k 1", ["begin k 2"]]);
    assert.ok(a.leases.isEmpty);
  });

  it("is safe where the release arrives after a newer claim of the same node", () => {
    const { bench, a } = two();
    a.want("k");
    bench.pass(50);
    a.leases.release("k", undefined);
    a.leases.stopped("k", 1, bench.now);
    a.isConnected = false;
    bench.pass(50);
    const [release] = a.take();
    a.want("k");
    bench.pass(50);
    const claim = a.take().find(({ request }) => request.kind === "claim");
    assert.ok(release && claim);
    a.answer(claim);
    a.answer(release);
    assert.deepEqual(a.said, ["begin k 1", "stop k 1", "begin k 2", "freed k 1"]);
    assert.ok(a.isLive("k", 2));
    assert.equal(a.execute(claim)[0]?.boot, "a1", "the row is still ours");
  });
});

describe("a device that dials", () => {
  it("takes its key from whoever holds it, and the old holder ends when it learns of it", () => {
    const { bench, a, b } = two();
    a.want("device", true);
    bench.pass(50);
    b.want("device", true);
    bench.pass(50);
    assert.deepEqual([a.said, b.said], [["begin device 1"], ["begin device 2"]]);
    a.leases.superseded("device", 2, bench.now);
    assert.deepEqual(a.said, ["begin device 1", "end device 1"]);
    bench.pass(20_000);
    assert.deepEqual(b.said, ["begin device 2"], "it is not taken back");
  });

  it("is noticed by the next renewal where nobody tells", () => {
    const { bench, a, b } = two();
    a.want("device", true);
    bench.pass(50);
    b.want("device", true);
    bench.pass(3_100);
    assert.deepEqual(a.said, ["begin device 1", "end device 1"]);
  });

  it("again at the same node begins anew", () => {
    const { bench, a } = two();
    a.want("device", true);
    bench.pass(50);
    a.want("device", true);
    bench.pass(50);
    assert.deepEqual(a.said, ["begin device 1", "end device 1", "begin device 2"]);
  });
});

it("where a key is held is looked up in one statement", () => {
  const rows: OwnerRow[] = [];
  const bench = new Bench();
  const requests: Request[] = [];
  const leases = new Leases({ node: "a", boot: "a1" }, (effect) => {
    if (effect.do === "request") requests.push(effect);
    else if (effect.do === "seen") rows.push(effect.row);
  });
  bench.table.execute(
    { node: "b", boot: "b1" },
    { kind: "claim", leaseMs: 10, keys: [{ key: "k", above: 0, force: false }] },
  );
  for (const key of ["k", "k", "never-claimed"]) leases.locate(key);
  leases.tick(0);
  assert.deepEqual(
    requests.map(({ request }) => request),
    [{ kind: "locate", keys: [{ key: "k" }, { key: "never-claimed" }] }],
  );
  for (const { id, request } of requests)
    leases.answered(id, bench.table.execute({ node: "a", boot: "a1" }, request), 1);
  assert.deepEqual(rows, [{ key: "k", node: "b", boot: "b1", epoch: 1, leftMs: 10 }]);
});

describe("a database that does not answer", () => {
  it("is noticed by its silence, and looked for until it answers, though nothing is held or wanted", () => {
    const { bench, a } = two();
    a.leases.locate("k");
    a.isConnected = false;
    bench.pass(3_000);
    assert.equal(a.leases.silentMs(bench.now), 2_950);
    const asked = a.take().map(({ request }) => `${request.kind} ${request.keys.length}`);
    assert.deepEqual(asked, ["locate 1", "locate 0", "locate 0"]);
    a.isConnected = true;
    bench.pass(1_000);
    assert.equal(a.leases.silentMs(bench.now), 0);
    bench.pass(5_000);
    a.isConnected = false;
    bench.pass(2_000);
    assert.deepEqual(a.take(), [], "it answers");
  });
});
