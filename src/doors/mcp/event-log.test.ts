import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { collectGarbage } from "../../../test/support/garbage.ts";
import { EventLog, Shelf } from "./event-log.ts";

const ROOM = { messages: 100, bytes: 1_000 };

function kept(log: EventLog): number[] {
  return log.after(0).map(({ number }) => number);
}

function keepAll(log: EventLog, texts: readonly string[]): EventLog {
  for (const [index, text] of texts.entries()) log.keep(index + 1, text);
  return log;
}

describe("the log of a stream", () => {
  it("gives what came after a number, in order and as it was said", () => {
    const log = keepAll(new EventLog(ROOM, []), ["a", "b", "c"]);
    assert.deepEqual(
      log.after(1).map(({ number, text }) => [number, text]),
      [
        [2, "b"],
        [3, "c"],
      ],
    );
    assert.deepEqual(log.after(3), []);
  });

  it("drops its oldest when there are too many, or too many bytes", () => {
    assert.deepEqual(kept(keepAll(new EventLog({ ...ROOM, messages: 2 }, []), ["a", "b", "c"])), [2, 3]);
    assert.deepEqual(kept(keepAll(new EventLog({ ...ROOM, bytes: 6 }, []), ["aaa", "ñ", "ñ", "ñ"])), [2, 3, 4]);
  });

  it("keeps the newest however large it is, and nothing else beside it", () => {
    const log = keepAll(new EventLog({ ...ROOM, bytes: 10 }, []), ["a", "b", "x".repeat(50)]);
    assert.deepEqual(kept(log), [3]);
    log.keep(4, "c");
    assert.deepEqual(kept(log), [4]);
  });

  it("keeps nothing once it is closed", () => {
    const shelf = new Shelf(ROOM);
    const log = keepAll(new EventLog(ROOM, [shelf]), ["a", "b"]);
    log.close();
    log.keep(3, "c");
    assert.deepEqual([log.size, shelf.bytes], [0, 0]);
  });
});

describe("a shelf of logs", () => {
  it("lets the log give way that has been silent longest", () => {
    const shelf = new Shelf({ messages: 3, bytes: 1_000 });
    const logs = Array.from({ length: 3 }, () => new EventLog(ROOM, [shelf]));
    const [early, late, newest] = logs;
    early?.keep(1, "a");
    late?.keep(1, "b");
    early?.keep(2, "c");
    newest?.keep(1, "d");
    assert.deepEqual(logs.map(kept), [[1, 2], [], [1]]);
    newest?.keep(2, "e");
    assert.deepEqual(logs.map(kept), [[2], [], [1, 2]]);
  });

  it("counts bytes too, and keeps at least the newest of all", () => {
    const shelf = new Shelf({ messages: 100, bytes: 10 });
    const [one, other] = [new EventLog(ROOM, [shelf]), new EventLog(ROOM, [shelf])];
    one.keep(1, "x".repeat(9));
    other.keep(1, "y".repeat(500));
    assert.deepEqual([kept(one), kept(other), shelf.bytes], [[], [1], 500]);
    one.keep(2, "z");
    assert.deepEqual([kept(one), kept(other), shelf.bytes], [[2], [], 1]);
  });

  it("still bounds a log that had to drop something by its own limit", () => {
    const shelf = new Shelf({ messages: 2, bytes: 1_000 });
    const [one, other] = [new EventLog({ ...ROOM, messages: 1 }, [shelf]), new EventLog(ROOM, [shelf])];
    one.keep(1, "a");
    one.keep(2, "b");
    other.keep(1, "c");
    other.keep(2, "d");
    assert.deepEqual([kept(one), kept(other)], [[], [1, 2]]);
  });

  it("holds no log that keeps nothing any more", async () => {
    const shelf = new Shelf({ messages: 1, bytes: 1_000 });
    const logs = new Map([["last", new EventLog(ROOM, [shelf])]]);
    const gone = new WeakRef(new EventLog(ROOM, [shelf]));
    gone.deref()?.keep(1, "a");
    logs.get("last")?.keep(1, "b");
    // What was looked at in this turn is kept until its end.
    await turn();
    collectGarbage();
    assert.equal(gone.deref(), undefined);
    assert.equal(logs.get("last")?.size, 1);
  });

  it("stands on a larger one, which bounds many of them together", () => {
    const door = new Shelf({ messages: 3, bytes: 1_000 });
    const logs = Array.from({ length: 5 }, () => new EventLog(ROOM, [new Shelf(ROOM), door]));
    for (const log of logs) log.keep(1, "a");
    assert.deepEqual(
      logs.map(({ size }) => size),
      [0, 0, 1, 1, 1],
    );
    for (const log of logs) log.close();
    assert.equal(door.bytes, 0);
  });
});
