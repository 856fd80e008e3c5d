/** What waits to be sent: bounded, and without large messages holding up small ones. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { type NextPart, Outbox } from "./outbox.ts";

/** A connection that confirms when told. */
class SlowWire {
  readonly published: string[] = [];
  readonly #waiting: (() => void)[] = [];
  isOver = false;

  publish(subject: string, _bytes: Buffer, reply?: string): void {
    if (this.isOver) throw new Error("closed connection");
    this.published.push(reply === undefined ? subject : `${subject}?${reply}`);
  }

  flush(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async confirm(count = Infinity): Promise<void> {
    for (const done of this.#waiting.splice(0, count)) done();
    await turn();
  }
}

/** A large message in parts of so many bytes. */
function parts(name: string, count: number, bytes: number): NextPart {
  let index = 0;
  return () => (index < count ? { subject: `${name}${++index}`, bytes: Buffer.alloc(bytes) } : undefined);
}

describe("small messages", () => {
  it("are written at once, and count until they are confirmed", async () => {
    const wire = new SlowWire();
    const outbox = new Outbox(wire, 200_000);
    for (const name of ["a", "b", "c"])
      assert.ok(outbox.put(name, Buffer.alloc(40_000), name === "c" ? "r" : undefined));
    assert.deepEqual(wire.published, ["a", "b", "c?r"]);
    assert.equal(outbox.backlog, 120_000);
    assert.ok(outbox.hasRoomFor(80_000) && !outbox.hasRoomFor(80_001));
    await wire.confirm();
    assert.equal(outbox.backlog, 40_000);
  });

  it("of a connection that has ended are not taken", () => {
    const wire = new SlowWire();
    const outbox = new Outbox(wire, 1_000);
    wire.isOver = true;
    assert.equal(outbox.put("a", Buffer.alloc(10)), false);
    assert.equal(outbox.backlog, 0);
  });
});

describe("large messages", () => {
  it("take turns, four parts at a time, and small ones overtake them", async () => {
    const wire = new SlowWire();
    const outbox = new Outbox(wire, 10_000_000);
    outbox.putWhole(600_000, parts("a", 6, 100_000));
    outbox.putWhole(300_000, parts("b", 3, 100_000));
    assert.deepEqual(wire.published, ["a1", "a2", "a3", "a4"]);
    outbox.put("small", Buffer.alloc(10));
    await wire.confirm(1);
    await wire.confirm();
    await wire.confirm();
    await wire.confirm();
    assert.deepEqual(wire.published, ["a1", "a2", "a3", "a4", "small", "a5", "b1", "a6", "b2", "b3"]);
    assert.equal(outbox.backlog, 0);
  });

  it("that wait count too, and are let go with their connection", async () => {
    const wire = new SlowWire();
    const outbox = new Outbox(wire, 1_000_000);
    outbox.putWhole(900_000, parts("a", 9, 100_000));
    assert.ok(!outbox.hasRoomFor(100_001));
    wire.isOver = true;
    await wire.confirm();
    assert.equal(wire.published.length, 4);
    assert.equal(outbox.backlog, 0);
  });
});
