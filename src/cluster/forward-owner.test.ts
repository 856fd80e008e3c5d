/** An offered call at the node that holds its source, message by message. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ForwardOwner, type OwnerEffect } from "./forward-owner.ts";
import type { Outcome, ToEntry, ToOwner } from "./messages.ts";
import { PART_LENGTH } from "./parts.ts";
import type { Peer } from "./peer.ts";

const ENTRY: Peer = { node: "e", boot: "e1" };
const RESULT: Outcome = { kind: "result", text: "42" };

class Bench {
  now = 0;
  liveEpoch = 1;
  readonly effects: OwnerEffect[] = [];
  readonly owner: ForwardOwner = new ForwardOwner(
    {
      isLive: (_key, epoch) => epoch === this.liveEpoch,
      ownerOf: () => ({ node: "next", boot: "n1", epoch: this.liveEpoch }),
    },
    (effect) => this.effects.push(effect),
  );

  hear(message: ToOwner, from = ENTRY): this {
    this.owner.received(from, message, this.now);
    return this;
  }

  offer(attempt = 1, call = "c"): this {
    return this.hear({ kind: "offer", call, attempt, key: "k", epoch: 1, leftMs: 10_000, body: "{}" });
  }

  go(token = 1): this {
    return this.hear({ kind: "go", call: "c", attempt: 1, token, leftMs: 10_000 });
  }

  poll(token?: number, have = 0): this {
    return this.hear({ kind: "poll", call: "c", attempt: 1, token, have, leftMs: 9_000 });
  }

  turn(ref = 1): this {
    this.owner.turn(ref, this.now);
    return this;
  }

  /** A call that runs under token 1. */
  running(): this {
    this.offer().turn().go();
    this.effects.length = 0;
    return this;
  }

  finish(outcome = RESULT): this {
    this.owner.finished(1, outcome, this.now);
    return this;
  }

  pass(ms: number): this {
    for (const end = this.now + ms; this.now < end; ) {
      this.now += 50;
      this.owner.tick(this.now);
    }
    return this;
  }

  did(): string[] {
    return this.effects.splice(0).map((effect) => {
      if (effect.do === "send") return `→ ${shortly(effect.message)}`;
      return "ref" in effect ? `${effect.do} ${effect.ref}` : effect.do;
    });
  }
}

function shortly(message: ToEntry): string {
  if (message.kind === "end" && message.outcome.kind === "error") return `end ${message.outcome.delivery}`;
  if (message.kind === "part") return `part ${message.index}`;
  return message.kind;
}

describe("an offered call", () => {
  it("is queued, announced when its turn comes, and runs only when told to go", () => {
    const bench = new Bench().offer();
    assert.deepEqual(bench.did(), ["enqueue 1"]);
    assert.deepEqual(bench.turn().did(), ["→ ready"]);
    assert.deepEqual(bench.go().did(), ["execute 1"]);
    assert.deepEqual(bench.finish().did(), ["→ end"]);
    bench.hear({ kind: "taken", call: "c", token: 1, parts: "all" });
    assert.equal(bench.owner.size, 0);
  });

  it("runs once, however often it is offered and told to go", () => {
    const bench = new Bench().running().offer().go().go();
    assert.deepEqual(bench.did(), []);
    bench.finish().did();
    assert.deepEqual(bench.offer().go().did(), []);
  });

  it("is refused under an epoch that is over, with the owner that is known", () => {
    const bench = new Bench();
    bench.liveEpoch = 2;
    bench.offer();
    const [effect] = bench.effects;
    assert.ok(effect?.do === "send" && effect.message.kind === "no");
    assert.deepEqual(effect.message.owner, { node: "next", boot: "n1", epoch: 2 });
  });

  it("is refused at its turn, and at go, where the lease has ended meanwhile", () => {
    const early = new Bench().offer();
    early.did();
    early.liveEpoch = 2;
    assert.deepEqual(early.turn().did(), ["leave 1", "→ no"]);
    const late = new Bench().offer().turn();
    late.did();
    late.liveEpoch = 2;
    assert.deepEqual(late.go().did(), ["leave 1", "→ no"]);
  });

  it("gives its slot to the next where go does not come, and a go that comes later starts nothing", () => {
    const bench = new Bench().offer().turn();
    bench.did();
    assert.deepEqual(bench.pass(1_000).did(), ["leave 1", "→ void"]);
    assert.deepEqual(bench.go().did(), ["→ void"]);
  });

  it("that was reserved anew is not started by the go of an earlier reservation", () => {
    const bench = new Bench().offer().turn().pass(1_000).offer().turn(2);
    bench.did();
    assert.deepEqual(bench.go(1).did(), ["→ void"]);
    assert.deepEqual(bench.go(2).did(), ["execute 2"]);
  });

  it("with a higher attempt takes the place of the earlier one", () => {
    const bench = new Bench().offer(1);
    bench.did();
    assert.deepEqual(bench.offer(2).did(), ["leave 1", "enqueue 2"]);
    assert.deepEqual(bench.offer(1).did(), []);
  });

  it("that the queue does not take is refused for good", () => {
    const bench = new Bench().offer();
    bench.did();
    bench.owner.refused(1, { kind: "error", code: "NO_CAPACITY", delivery: "not_sent" });
    assert.deepEqual(bench.did(), ["leave 1", "→ no"]);
  });

  it("that is cancelled leaves the queue, or is given up at the source", () => {
    const cancel: ToOwner = { kind: "cancel", call: "c", attempt: 1 };
    const waiting = new Bench().offer();
    waiting.did();
    assert.deepEqual(waiting.hear(cancel).did(), ["leave 1"]);
    assert.deepEqual(
      new Bench()
        .running()
        .hear({ ...cancel, token: 1 })
        .did(),
      ["abort 1"],
    );
  });
});

describe("a poll", () => {
  it("of a call that never came is answered so", () => {
    assert.deepEqual(new Bench().poll().did(), ["→ void"]);
  });

  it("before go repeats that it is ready; after go it finds that go was lost, and makes sure that it stays so", () => {
    const bench = new Bench().offer().turn();
    bench.did();
    assert.deepEqual(bench.poll().did(), ["→ ready"]);
    assert.deepEqual(bench.poll(1).did(), ["leave 1", "→ void"]);
    assert.deepEqual(bench.go().did(), ["→ void"]);
  });

  it("fetches an answer that was lost", () => {
    const bench = new Bench().running().finish();
    bench.did();
    assert.deepEqual(bench.poll(1).did(), ["→ end"]);
  });

  it("of a call that ran and was forgotten is answered with unknown, never with void", () => {
    const bench = new Bench().running().finish().pass(16_000);
    bench.did();
    assert.equal(bench.owner.size, 0);
    assert.deepEqual(bench.poll(1).did(), ["→ end unknown"]);
  });
});

describe("an answer", () => {
  it("is sent again until it is taken, less and less often", () => {
    const times = new Bench().running().finish().pass(8_000).did();
    assert.ok(times.length >= 4 && times.length <= 7, times.join());
  });

  it("that is large goes in parts, four at a time, and then the end", () => {
    const bench = new Bench().running().finish({ kind: "result", text: "x".repeat(PART_LENGTH * 5) });
    assert.deepEqual(bench.did(), ["→ part 0", "→ part 1", "→ part 2", "→ part 3"]);
    bench.hear({ kind: "taken", call: "c", token: 1, parts: 2 });
    assert.deepEqual(bench.did(), ["→ part 4", "→ end"]);
    assert.deepEqual(bench.poll(1, 4).did(), ["→ part 4", "→ end"]);
  });
});

describe("a question", () => {
  it("reaches the entry, is repeated when that polls, and its answer reaches the source once", () => {
    const bench = new Bench().running();
    assert.equal(bench.owner.ask(1, "sure?"), 1);
    assert.deepEqual(bench.poll(1).did(), ["→ ask", "→ ask"]);
    const answer: ToOwner = { kind: "answer", call: "c", token: 1, question: 1, text: "yes" };
    assert.deepEqual(bench.hear(answer).hear(answer).did(), ["answer 1"]);
  });

  it("that the source takes back is withdrawn, again when the entry polls until that answers, and the answer is for nobody", () => {
    const bench = new Bench().running();
    bench.owner.ask(1, "sure?");
    bench.owner.withdraw(1, 1);
    assert.deepEqual(bench.poll(1).did(), ["→ ask", "→ withdraw", "→ withdraw"]);
    bench.hear({ kind: "answer", call: "c", token: 1, question: 1, text: "yes" });
    bench.owner.withdraw(1, 1);
    assert.deepEqual(bench.poll(1).did(), []);
  });

  it("of a call that is over is answered with nothing", () => {
    const bench = new Bench().running().finish();
    bench.did();
    bench.owner.ask(1, "sure?");
    assert.deepEqual(bench.effects, [{ do: "answer", ref: 1, question: 1, text: undefined }]);
  });

  it("more than sixteen at a time are not asked", () => {
    const bench = new Bench().running();
    for (let question = 0; question < 17; question++) bench.owner.ask(1, "sure?");
    assert.deepEqual(bench.did().slice(15), ["→ ask", "answer 1"]);
  });
});

describe("a lease that ends", () => {
  it("sends away what waits, and leaves unknown what runs", () => {
    const bench = new Bench().running().offer(1, "waits");
    bench.did();
    bench.owner.lost("k", bench.now);
    assert.deepEqual(bench.did(), ["abort 1", "→ end unknown", "leave 2", "→ no"]);
  });
});

describe("draining", () => {
  it("refuses what is new or waits, and is over when what runs has ended", () => {
    const bench = new Bench().running().offer(1, "waits");
    bench.did();
    bench.owner.drain("k");
    assert.deepEqual(bench.did(), ["leave 2", "→ no"]);
    assert.deepEqual(bench.offer(1, "new").did(), ["→ no"]);
    assert.ok(bench.finish().did().includes("drained"));
  });

  it("of a key that nobody uses is over at once", () => {
    const bench = new Bench();
    bench.owner.drain("k");
    assert.deepEqual(bench.did(), ["drained"]);
  });
});

describe("an entry that is gone", () => {
  it("gives up what waits; what runs goes on for a while, in case it was only silent", () => {
    const bench = new Bench().running().offer(1, "waits");
    bench.did();
    bench.owner.gone(ENTRY, false, bench.now);
    assert.deepEqual(bench.did(), ["leave 2"]);
    bench.owner.came(ENTRY);
    assert.deepEqual(bench.pass(9_000).finish().did(), ["→ end"]);
  });

  it("for good gives up everything, and what ran is not called void afterwards", () => {
    const bench = new Bench().running();
    bench.owner.gone(ENTRY, true, bench.now);
    assert.deepEqual(bench.did(), ["abort 1"]);
    assert.deepEqual(bench.poll(1).did(), ["→ end unknown"]);
  });
});

it("a call whose time is over is given up at the source, and told as unknown", () => {
  assert.deepEqual(new Bench().running().pass(10_000).did().slice(0, 2), ["abort 1", "→ end unknown"]);
  const waiting = new Bench().offer();
  waiting.did();
  assert.deepEqual(waiting.pass(10_000).did(), ["leave 1", "→ no"]);
});
