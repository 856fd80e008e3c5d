/** Who is served when: between classes by weight, between principals by turns, within a principal by arrival. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { PRIORITIES, type Priority } from "../../contract/rules.ts";
import { FairQueue, type Ticket, WEIGHTS } from "./fair-queue.ts";

interface Job {
  readonly id: number;
  readonly priority: Priority;
  readonly principal: string;
}

const ROUND = 15;
const priority = fc.constantFrom(...PRIORITIES);
const principal = fc.constantFrom("ann", "bob", "__proto__", "constructor");
type Step = { do: "push"; priority: Priority; principal: string } | { do: "shift" } | { do: "remove"; which: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("push" as const), priority, principal }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("shift" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), which: fc.nat() }) },
);
const steps = fc.array(step, { maxLength: 200 });

/** Plays the steps, and notes what went in, came out and was taken back. */
function play(queue: FairQueue<Job>, script: readonly Step[]) {
  const tickets: Ticket<Job>[] = [];
  const served: Job[] = [];
  const removed: Job[] = [];
  for (const one of script) {
    if (one.do === "push") {
      const job = { id: tickets.length, priority: one.priority, principal: one.principal };
      const ticket = queue.push(job, one.priority, one.principal);
      if (ticket) tickets.push(ticket);
    } else if (one.do === "shift") {
      const job = queue.shift();
      if (job) served.push(job);
    } else {
      const ticket = tickets[one.which % Math.max(1, tickets.length)];
      if (ticket && queue.remove(ticket)) removed.push(ticket.item);
    }
  }
  return { tickets, served, removed };
}

function drain<T>(queue: FairQueue<T>): T[] {
  const out: T[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) out.push(item);
  return out;
}

function fill(queue: FairQueue<string>, name: Priority, count: number, who = "ann"): void {
  for (let i = 0; i < count; i++) queue.push(name, name, who);
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

describe("the fair queue", () => {
  it("serves everything that went in and was not taken back, exactly once", () => {
    fc.assert(
      fc.property(steps, (script) => {
        const queue = new FairQueue<Job>(1_000);
        const { tickets, served, removed } = play(queue, script);
        const out = [...served, ...removed, ...drain(queue)].map((job) => job.id).sort((a, b) => a - b);
        assert.deepEqual(
          out,
          tickets.map((ticket) => ticket.item.id),
        );
        assert.equal(queue.size, 0);
      }),
    );
  });

  it("never holds more than its capacity, and counts right", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 20 }), (script, capacity) => {
        const queue = new FairQueue<Job>(capacity);
        for (const one of script) {
          const before = queue.size;
          if (one.do === "push") {
            const ticket = queue.push({ id: 0, priority: one.priority, principal: "x" }, one.priority, "x");
            assert.equal(ticket !== undefined, before < capacity);
          } else if (one.do === "shift") queue.shift();
          assert.ok(queue.size <= capacity);
          assert.equal(
            PRIORITIES.reduce((sum, name) => sum + queue.sizeOf(name), 0),
            queue.size,
          );
        }
      }),
    );
  });

  it("keeps the order of each principal inside a class", () => {
    fc.assert(
      fc.property(steps, (script) => {
        const queue = new FairQueue<Job>(1_000);
        const { served } = play(queue, script);
        const last = new Map<string, number>();
        for (const job of [...served, ...drain(queue)]) {
          const lane = `${job.priority} ${job.principal}`;
          assert.ok(job.id > (last.get(lane) ?? -1), lane);
          last.set(lane, job.id);
        }
      }),
    );
  });

  it("foretells exactly how many go before, if nobody joins or leaves", () => {
    fc.assert(
      fc.property(steps, (script) => {
        const queue = new FairQueue<Job>(1_000);
        const { tickets } = play(queue, script);
        const foretold = new Map(tickets.map((ticket) => [ticket.item.id, queue.positionOf(ticket)]));
        const order = drain(queue).map((job) => job.id);
        for (const [id, position] of foretold) assert.equal(position, order.indexOf(id));
      }),
    );
  });

  it("shares 8 : 4 : 2 : 1 while all classes wait", () => {
    const queue = new FairQueue<string>(10_000);
    for (const name of PRIORITIES) fill(queue, name, 200);
    for (let round = 0; round < 20; round++) {
      const served = Array.from({ length: ROUND }, () => queue.shift() as string);
      assert.deepEqual(tally(served), WEIGHTS);
    }
  });

  it("shares by weight between whichever classes wait", () => {
    fc.assert(
      fc.property(fc.uniqueArray(priority, { minLength: 2 }), (names) => {
        const queue = new FairQueue<string>(10_000);
        for (const name of names) fill(queue, name, 400);
        const counts = tally(Array.from({ length: 300 }, () => queue.shift() as string));
        const total = names.reduce((sum, name) => sum + WEIGHTS[name], 0);
        for (const name of names) {
          assert.ok(Math.abs((counts[name] ?? 0) - (300 * WEIGHTS[name]) / total) <= WEIGHTS[name], `${name}`);
        }
      }),
    );
  });

  it("starves no class, whatever else arrives", () => {
    fc.assert(
      fc.property(fc.array(priority, { minLength: 300, maxLength: 300 }), priority, (arrivals, waiting) => {
        const queue = new FairQueue<string>(10_000);
        fill(queue, "HIGH", 50);
        for (const name of arrivals.slice(0, 100)) queue.push(name, name, "bob");
        queue.push("me", waiting, "cat");
        let served = 0;
        for (let item = queue.shift(); item !== "me"; item = queue.shift()) {
          queue.push("HIGH", "HIGH", "bob");
          if (item === waiting) queue.push(waiting, waiting, "bob");
          served++;
        }
        // Three principals take turns in the class, so its third turn is cat's at the latest.
        assert.ok(served <= 4 * ROUND, `${served} went first`);
      }),
    );
  });

  it("gives an idle class no credit", () => {
    const queue = new FairQueue<string>(10_000);
    fill(queue, "MEDIUM", 1_000);
    for (let i = 0; i < 500; i++) queue.shift();
    fill(queue, "HIGH", 500);
    const counts = tally(Array.from({ length: 120 }, () => queue.shift() as string));
    assert.ok(Math.abs((counts["HIGH"] ?? 0) - 80) <= 8, JSON.stringify(counts));
  });

  it("gives every class its share where one floods, also what asks for hardly more than that", () => {
    const queue = new FairQueue<Priority>(10_000);
    // As at a source that takes 64 calls at once, 320 in a second.
    const welcome = { burst: 100, spare: 16 };
    const asked: Partial<Record<Priority, number>> = { HIGH: 1.2, MEDIUM: 0.1, LOW: 0.1, BULK: 0.1 };
    const served: Record<string, number> = {};
    for (let turn = 0; turn < 60 * 320; turn++) {
      for (const name of PRIORITIES) {
        const rate = asked[name] ?? 0;
        const arrives = Math.floor((turn + 1) * rate) - Math.floor(turn * rate);
        const isLong = queue.size > 64;
        for (let one = 0; one < arrives; one++)
          if (!isLong || queue.admits(name, "ann", turn / 0.32, welcome)) queue.push(name, name, "ann");
      }
      const next = queue.shift();
      if (next) served[next] = (served[next] ?? 0) + 1;
    }
    // Two ask for less than their share; the rest is shared 8 : 1.
    const ratio = (served["BULK"] ?? 0) / ((served["HIGH"] ?? 0) / 8);
    assert.ok(ratio > 0.98 && ratio < 1.02, `${ratio}: ${JSON.stringify(served)}`);
  });

  it("serves the higher class first where both have just come", () => {
    const queue = new FairQueue<string>(10);
    for (const name of [...PRIORITIES].reverse()) fill(queue, name, 1);
    assert.deepEqual(drain(queue), [...PRIORITIES]);
  });

  it("lets principals take turns, however much one of them has asked for", () => {
    const queue = new FairQueue<string>(100);
    for (let i = 0; i < 5; i++) queue.push(`ann${i}`, "MEDIUM", "ann");
    queue.push("bob0", "MEDIUM", "bob");
    queue.push("cat0", "MEDIUM", "cat");
    queue.push("bob1", "MEDIUM", "bob");
    assert.deepEqual(drain(queue), ["ann0", "bob0", "cat0", "ann1", "bob1", "ann2", "ann3", "ann4"]);
  });

  it("takes back each ticket once, and only its own", () => {
    const queue = new FairQueue<string>(10);
    const other = new FairQueue<string>(10);
    const ticket = queue.push("a", "LOW", "ann") as Ticket<string>;
    assert.equal(other.remove(ticket), false);
    assert.equal(other.positionOf(ticket), -1);
    assert.equal(queue.remove(ticket), true);
    assert.equal(queue.remove(ticket), false);
    assert.equal(queue.positionOf(ticket), -1);
    assert.equal(queue.shift(), undefined);
  });

  it("does not mistake a served principal's old ticket for its new one", () => {
    const queue = new FairQueue<string>(10);
    const old = queue.push("old", "LOW", "ann") as Ticket<string>;
    queue.shift();
    queue.push("new", "LOW", "ann");
    assert.equal(queue.remove(old), false);
    assert.equal(queue.shift(), "new");
  });

  it("has room again for every one taken back", () => {
    const queue = new FairQueue<number>(2);
    for (let i = 0; i < 10_000; i++) {
      const ticket = queue.push(i, "BULK", `principal ${i}`);
      assert.ok(ticket && queue.remove(ticket));
    }
    assert.equal(queue.size, 0);
    assert.equal(queue.sizeOf("BULK"), 0);
  });
});
