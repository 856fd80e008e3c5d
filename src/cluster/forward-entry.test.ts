/** A call at the node that its client has called, message by message. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type EntryEffect, ForwardEntry } from "./forward-entry.ts";
import type { ToEntry, ToOwner } from "./messages.ts";
import type { Owner, Peer } from "./peer.ts";

const A: Owner = { node: "a", boot: "a1", epoch: 1 };
const B: Owner = { node: "b", boot: "b1", epoch: 2 };

class Bench {
  now = 0;
  owner: Owner | undefined = A;
  obstacle: string | undefined;
  readonly dead = new Set<string>();
  readonly effects: EntryEffect[] = [];
  readonly entry: ForwardEntry = new ForwardEntry(
    {
      ownerOf: () => this.owner,
      learn: (_key, owner) => {
        this.owner = owner;
      },
      isAlive: ({ boot }) => !this.dead.has(boot),
      obstacle: () => this.obstacle,
    },
    (effect) => this.effects.push(effect),
  );

  /** A call of "k" with ten seconds. */
  call(): this {
    this.entry.start({ call: "c", key: "k", leftMs: 10_000, body: "{}" }, this.now);
    return this;
  }

  /** A call that its owner was told to run. */
  going(): this {
    this.call().hear(A, { kind: "ready", call: "c", attempt: 1, token: 7 });
    this.effects.length = 0;
    return this;
  }

  hear(from: Peer, message: ToEntry): this {
    this.entry.received(from, message, this.now);
    return this;
  }

  pass(ms: number): this {
    for (const end = this.now + ms; this.now < end; ) {
      this.now += 50;
      this.entry.tick(this.now);
    }
    return this;
  }

  gone(peer: Peer): this {
    this.dead.add(peer.boot);
    this.entry.gone(peer, this.now);
    return this;
  }

  /** What was sent since this was asked last: to whom, what, and which attempt. */
  sent(): string[] {
    return this.effects.splice(0).flatMap((effect) => {
      if (effect.do === "send") return `${effect.to.node} ${shortly(effect.message)}`;
      if (effect.do !== "ended") return effect.do;
      const { outcome } = effect;
      return outcome.kind === "result" ? `result ${outcome.text}` : `${outcome.code} ${outcome.delivery}`;
    });
  }
}

function shortly(message: ToOwner): string {
  const number = "attempt" in message ? ` ${message.attempt}` : "";
  return `${message.kind}${number}${message.kind === "taken" ? ` ${message.parts}` : ""}`;
}

const RESULT: ToEntry = { kind: "end", call: "c", token: 7, outcome: { kind: "result", text: "42" } };

describe("a forwarded call", () => {
  it("is offered, told to go when the owner is ready, and ends with the owner's answer", () => {
    const bench = new Bench().call();
    assert.deepEqual(bench.sent(), ["a offer 1"]);
    bench.hear(A, { kind: "ready", call: "c", attempt: 1, token: 7 });
    assert.deepEqual(bench.sent(), ["a go 1"]);
    bench.hear(A, RESULT);
    assert.deepEqual(bench.sent(), ["a taken all", "result 42"]);
    assert.equal(bench.entry.size, 0);
  });

  it("says go once, however often the owner is ready", () => {
    const bench = new Bench().going();
    bench.hear(A, { kind: "ready", call: "c", attempt: 1, token: 7 });
    bench.hear(A, { kind: "ready", call: "c", attempt: 1, token: 8 });
    assert.deepEqual(bench.sent(), ["a cancel 1"]);
  });

  it("waits where nobody holds the source, and asks the database now and then", () => {
    const bench = new Bench();
    bench.owner = undefined;
    bench.call();
    assert.deepEqual(bench.sent(), ["locate"]);
    bench.pass(2_000);
    assert.ok(bench.sent().length < 10);
    bench.owner = B;
    bench.entry.located("k", bench.now);
    assert.deepEqual(bench.sent(), ["b offer 1"]);
  });

  it("waits no longer where its source is removed, whether the owner's refusal comes before that or after", () => {
    const refuse = (bench: Bench): void => {
      bench.owner = undefined;
      bench.hear(A, { kind: "no", call: "c", attempt: 1, token: undefined, owner: undefined });
    };
    const remove = (bench: Bench): void => bench.entry.removed("k");
    for (const steps of [
      [refuse, remove],
      [remove, refuse],
    ]) {
      const bench = new Bench().call();
      for (const step of steps) step(bench);
      assert.equal(bench.sent().at(-1), "SOURCE_UNAVAILABLE not_sent");
      assert.equal(bench.entry.size, 0);
    }
  });

  it("goes on where its source is removed while it runs", () => {
    const bench = new Bench().going();
    bench.entry.removed("k");
    bench.hear(A, RESULT);
    assert.deepEqual(bench.sent(), ["a taken all", "result 42"]);
  });

  it("waits for nobody who cannot be found or reached, and says that it may be tried again", () => {
    const bench = new Bench();
    bench.obstacle = "no bus";
    bench.call();
    assert.deepEqual(bench.sent(), ["a offer 1"], "whoever is known and alive is asked");
    bench.gone(A);
    const [ended] = bench.effects;
    const text = JSON.stringify({ params: { source: "k", reason: "no bus" }, retryAfterMs: 1_000 });
    const outcome = { kind: "error", code: "SOURCE_UNAVAILABLE", delivery: "not_sent", text };
    assert.deepEqual(ended, { do: "ended", call: "c", outcome });
    assert.equal(bench.entry.size, 0);
  });

  it("ends where its owner is known and out of reach, unless it was told to go", () => {
    const bench = new Bench();
    bench.owner = undefined;
    bench.call().sent();
    bench.entry.unreachable("k", "cut off");
    assert.deepEqual(bench.sent(), ["SOURCE_UNAVAILABLE not_sent"]);
    const other = new Bench().going();
    other.entry.unreachable("k", "cut off");
    assert.deepEqual(other.sent(), []);
  });

  it("goes to the owner that another names", () => {
    const bench = new Bench().call();
    bench.sent();
    bench.hear(A, { kind: "no", call: "c", attempt: 1, owner: B });
    assert.deepEqual(bench.sent(), ["b offer 2"]);
  });

  it("asks one that refused again only after a wait", () => {
    const bench = new Bench().call();
    bench.sent();
    bench.hear(A, { kind: "no", call: "c", attempt: 1 });
    assert.deepEqual(bench.sent(), ["locate"]);
    bench.pass(50);
    assert.deepEqual(bench.sent(), ["a offer 2"]);
  });

  it("that the owner's queue refuses ends with that error", () => {
    const error = { kind: "error", code: "NO_CAPACITY", delivery: "not_sent" } as const;
    const bench = new Bench().call().hear(A, { kind: "no", call: "c", attempt: 1, error });
    assert.equal(bench.sent().at(-1), "NO_CAPACITY not_sent");
  });
});

describe("an owner that is gone", () => {
  it("before go costs nothing: the call is offered to the next", () => {
    const bench = new Bench().call();
    bench.sent();
    bench.gone(A);
    assert.deepEqual(bench.sent(), ["locate"]);
    bench.owner = B;
    bench.entry.located("k", bench.now);
    assert.deepEqual(bench.sent(), ["b offer 2"]);
  });

  it("is found by the bus for all calls that were offered to it, and for none that was told to go", () => {
    const bench = new Bench().going();
    for (const call of ["d", "e"]) bench.entry.start({ call, key: "k", leftMs: 10_000, body: "{}" }, bench.now);
    bench.sent();
    bench.entry.unheard("b", bench.now);
    assert.deepEqual(bench.sent(), []);
    bench.owner = B;
    bench.entry.unheard("a", bench.now);
    assert.deepEqual(bench.sent(), ["b offer 2", "b offer 2"]);
  });

  it("after go makes the outcome unknown, at once", () => {
    assert.deepEqual(new Bench().going().gone(A).sent(), ["OUTCOME_UNKNOWN unknown"]);
  });

  it("is no matter where the bus knows that go reached nobody", () => {
    const bench = new Bench().going();
    bench.dead.add("a1");
    bench.entry.undelivered({ kind: "go", call: "c", attempt: 1, token: 7, leftMs: 1 }, bench.now);
    bench.gone(A);
    bench.owner = B;
    bench.entry.located("k", bench.now);
    assert.deepEqual(bench.sent(), ["locate", "b offer 2"]);
  });
});

describe("a lost message", () => {
  it("is found by polling, less and less often", () => {
    const bench = new Bench().going().pass(9_000);
    const polls = bench.sent();
    assert.ok(polls.length >= 3 && polls.length <= 6 && polls.every((each) => each === "a poll 1"), polls.join());
  });

  it("that never reached the owner makes the call be offered again", () => {
    const bench = new Bench().call();
    bench.sent();
    bench.hear(A, { kind: "void", call: "c", attempt: 1 });
    assert.deepEqual(bench.sent(), ["a offer 2"]);
    bench.hear(A, { kind: "ready", call: "c", attempt: 2, token: 9 });
    bench.hear(A, { kind: "void", call: "c", attempt: 2, token: 9 });
    assert.deepEqual(bench.sent(), ["a go 2", "a offer 3"]);
  });

  it("about another reservation proves nothing once go was said", () => {
    const bench = new Bench().going();
    bench.hear(A, { kind: "void", call: "c", attempt: 1 });
    bench.hear(A, { kind: "void", call: "c", attempt: 1, token: 6 });
    bench.hear(A, { kind: "no", call: "c", attempt: 1, owner: B });
    assert.deepEqual(bench.sent(), []);
  });

  it("that comes after the end is told to be over", () => {
    const bench = new Bench().going().hear(A, RESULT);
    bench.sent();
    bench.hear(A, RESULT).hear(A, { kind: "ready", call: "c", attempt: 1, token: 8 });
    assert.deepEqual(bench.sent(), ["a taken all", "a cancel 1"]);
  });
});

describe("the deadline", () => {
  it("of a call that was not told to go proves that it did not run", () => {
    assert.equal(new Bench().call().pass(10_000).sent().at(-1), "QUEUE_TIMEOUT not_sent");
    const bench = new Bench();
    bench.owner = undefined;
    assert.equal(bench.call().pass(10_000).sent().at(-1), "DEADLINE_EXCEEDED not_sent");
  });

  it("of a call that was leaves the outcome unknown, and the owner is told", () => {
    assert.deepEqual(new Bench().going().pass(10_000).sent().slice(-2), ["a cancel 1", "DEADLINE_EXCEEDED unknown"]);
  });

  it("moves when the caller allows more, and the owner hears of it", () => {
    const bench = new Bench().going();
    bench.entry.extend("c", 60_000, bench.now);
    assert.deepEqual(bench.sent(), ["a poll 1"]);
    bench.pass(59_000);
    assert.equal(bench.entry.size, 1);
  });
});

it("a call that is taken back ends at once, and its owner is told", () => {
  const waiting = new Bench().call();
  waiting.sent();
  waiting.entry.cancel("c");
  assert.deepEqual(waiting.sent(), ["a cancel 1", "CANCELLED not_sent"]);
  const going = new Bench().going();
  going.entry.cancel("c");
  assert.deepEqual(going.sent(), ["a cancel 1", "CANCELLED unknown"]);
});

describe("what the source says meanwhile", () => {
  it("reaches the client in order, each once", () => {
    const bench = new Bench().going();
    for (const count of [1, 2, 2, 1, 3]) bench.hear(A, { kind: "progress", call: "c", token: 7, count, text: "" });
    assert.deepEqual(bench.sent(), ["progress", "progress", "progress"]);
  });

  it("as a question is asked once, and its answer sent again where it was lost", () => {
    const bench = new Bench().going();
    const ask: ToEntry = { kind: "ask", call: "c", token: 7, question: 1, text: "sure?" };
    bench.hear(A, ask).hear(A, ask);
    assert.deepEqual(bench.sent(), ["ask"]);
    bench.entry.answer("c", 1, "yes");
    bench.hear(A, ask);
    assert.deepEqual(bench.sent(), ["a answer", "a answer"]);
  });

  it("as a question is asked, however many were answered before", () => {
    const bench = new Bench().going();
    for (let question = 1; question <= 200; question++) {
      bench.hear(A, { kind: "ask", call: "c", token: 7, question, text: "sure?" });
      assert.deepEqual(bench.sent(), ["ask"], `question ${question}`);
      if (question > 1) bench.entry.answer("c", question, "yes");
      bench.sent();
    }
    bench.entry.answer("c", 1, "yes");
    assert.deepEqual(bench.sent(), ["a answer"], "one that waited all the time is still known");
  });

  it("as a question that was taken back is withdrawn, and not asked where it comes later", () => {
    const bench = new Bench().going();
    const about = (kind: "ask" | "withdraw", question: number): ToEntry =>
      kind === "ask" ? { kind, call: "c", token: 7, question, text: "sure?" } : { kind, call: "c", token: 7, question };
    bench.hear(A, about("ask", 1)).hear(A, about("withdraw", 1));
    assert.deepEqual(bench.sent(), ["ask", "withdraw"]);
    bench.entry.answer("c", 1, "cancelled");
    bench.hear(A, about("withdraw", 1));
    assert.deepEqual(bench.sent(), ["a answer", "a answer"]);
    bench.hear(A, about("withdraw", 2)).hear(A, about("ask", 2));
    assert.deepEqual(bench.sent(), ["a answer", "a answer"]);
  });

  it("of another reservation is not for this client", () => {
    const bench = new Bench().going();
    bench.hear(A, { kind: "ask", call: "c", token: 6, question: 1, text: "sure?" });
    bench.hear(B, { kind: "progress", call: "c", token: 7, count: 1, text: "" });
    assert.deepEqual(bench.sent(), []);
  });
});

it("a large answer is put together of its parts, and a part that is missing is asked for", () => {
  const bench = new Bench().going();
  const part = (index: number, text: string) =>
    bench.hear(A, { kind: "part", call: "c", token: 7, index, of: 2, text });
  part(1, "b");
  bench.hear(A, { kind: "end", call: "c", token: 7, outcome: { kind: "in-parts", of: 2 } });
  assert.deepEqual(bench.sent(), ["a taken 0", "a poll 1"]);
  part(0, "a");
  bench.hear(A, { kind: "end", call: "c", token: 7, outcome: { kind: "in-parts", of: 2 } });
  assert.deepEqual(bench.sent(), ["a taken 2", "a taken all", "result ab"]);
});
