import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { collectGarbage } from "../../../test/support/garbage.ts";
import { LocalReplayLogs, type ReplayLog } from "./replay-log.ts";

const ROOM = { messages: 100, bytes: 1_000 };

/** Logs whose limits are these, and no others. */
function logsWith(limits: Partial<ConstructorParameters<typeof LocalReplayLogs>[0]>): LocalReplayLogs {
  return new LocalReplayLogs({ stream: ROOM, session: ROOM, all: ROOM, ...limits });
}

function logOf(logs: LocalReplayLogs): ReplayLog {
  return logs.ofSession().open("s");
}

function kept(log: ReplayLog): number[] {
  return log.after(0).map(({ number }) => number);
}

function keepAll(log: ReplayLog, texts: readonly string[]): ReplayLog {
  for (const [index, text] of texts.entries()) log.keep(index + 1, text);
  return log;
}

describe("the log of a stream", () => {
  it("drops its oldest when there are too many, or too many bytes", () => {
    const few = logOf(logsWith({ stream: { ...ROOM, messages: 2 } }));
    assert.deepEqual(kept(keepAll(few, ["a", "b", "c"])), [2, 3]);
    const short = logOf(logsWith({ stream: { ...ROOM, bytes: 6 } }));
    assert.deepEqual(kept(keepAll(short, ["aaa", "ñ", "ñ", "ñ"])), [2, 3, 4]);
  });

  it("keeps the newest however large it is, and nothing else beside it", () => {
    const log = keepAll(logOf(logsWith({ stream: { ...ROOM, bytes: 10 } })), ["a", "b", "x".repeat(50)]);
    assert.deepEqual(kept(log), [3]);
    log.keep(4, "c");
    assert.deepEqual(kept(log), [4]);
  });

  it("takes no room once it is closed", () => {
    const logs = logsWith({});
    const log = keepAll(logOf(logs), ["a", "b"]);
    log.close();
    log.keep(3, "c");
    assert.deepEqual([log.size, logs.bytes], [0, 0]);
  });
});

describe("logs that share a limit", () => {
  it("let the one give way that has been silent longest", () => {
    const session = logsWith({ session: { messages: 3, bytes: 1_000 } }).ofSession();
    const logs = ["a", "b", "c"].map((name) => session.open(name));
    const [early, late, newest] = logs;
    early?.keep(1, "a");
    late?.keep(1, "b");
    early?.keep(2, "c");
    newest?.keep(1, "d");
    assert.deepEqual(logs.map(kept), [[1, 2], [], [1]]);
    newest?.keep(2, "e");
    assert.deepEqual(logs.map(kept), [[2], [], [1, 2]]);
  });

  it("count bytes too, and keep at least the newest of all", () => {
    const logs = logsWith({ all: { messages: 100, bytes: 10 } });
    const [one, other] = [logOf(logs), logOf(logs)];
    one.keep(1, "x".repeat(9));
    other.keep(1, "y".repeat(500));
    assert.deepEqual([kept(one), kept(other), logs.bytes], [[], [1], 500]);
    one.keep(2, "z");
    assert.deepEqual([kept(one), kept(other), logs.bytes], [[2], [], 1]);
  });

  it("still bound one that had to drop something by its own limit", () => {
    const session = logsWith({ stream: { ...ROOM, messages: 2 }, session: { messages: 3, bytes: 1_000 } }).ofSession();
    const [one, other] = [session.open("a"), session.open("b")];
    keepAll(one, ["a", "b", "c"]);
    keepAll(other, ["d", "e"]);
    assert.deepEqual([kept(one), kept(other)], [[3], [1, 2]]);
  });

  it("hold none that keeps nothing any more", async () => {
    const logs = logsWith({ all: { messages: 1, bytes: 1_000 } });
    const held = new Map([["last", logOf(logs)]]);
    const gone = new WeakRef(logOf(logs));
    gone.deref()?.keep(1, "a");
    held.get("last")?.keep(1, "b");
    // What was looked at in this turn is kept until its end.
    await turn();
    collectGarbage();
    assert.equal(gone.deref(), undefined);
    assert.equal(held.get("last")?.size, 1);
  });

  it("are bounded over all sessions together", () => {
    const logs = logsWith({ all: { messages: 3, bytes: 1_000 } });
    const ofFive = Array.from({ length: 5 }, () => logOf(logs));
    for (const log of ofFive) log.keep(1, "a");
    assert.deepEqual(
      ofFive.map(({ size }) => size),
      [0, 0, 1, 1, 1],
    );
    for (const log of ofFive) log.close();
    assert.equal(logs.bytes, 0);
  });
});
