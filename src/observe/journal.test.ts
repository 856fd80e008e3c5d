/** The last calls: a row of every one, the way of those that are followed, and no secret in any. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeCall } from "../../test/support/make-call.ts";
import type { Call, CallTrace } from "../core/call.ts";
import type { ErrorCode } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import { CallJournal } from "./journal.ts";

interface Made {
  readonly journal: CallJournal;
  readonly clock: { now: number };
  start(id: number, more?: Partial<Call>): Call;
  end(call: Call, more?: { ms?: number; error?: ErrorCode; cached?: boolean }): void;
}

function open(): Made {
  const clock = { now: 1_000 };
  const journal = new CallJournal(() => clock.now);
  return {
    journal,
    clock,
    start: (id, more = {}) => {
      const trace: CallTrace = { queuedMs: 0, attempts: 1, cached: false };
      const call = makeCall({ id, startedAt: clock.now, deadlineAt: clock.now + 30_000, trace, ...more });
      journal.take({ type: "call-started", call });
      return call;
    },
    end: (call, { ms = 1, error, cached = false } = {}) => {
      journal.take({ type: "call-ended", call, ms, attempts: call.trace.attempts, cached, error });
    },
  };
}

describe("a call that ended", () => {
  it("leaves a row with all that was known of it", () => {
    const { journal, start, end } = open();
    const before = Date.now();
    const call = start(7, { door: "http", priority: "HIGH", language: "fr", args: Payload.ofText('{"on":true}') });
    call.trace.queuedMs = 12;
    end(call, { ms: 40, cached: true });
    const { startedAt, way, ...row } = journal.find(7) ?? assert.fail("no row");
    assert.deepEqual(row, {
      place: 0,
      id: 7,
      door: "http",
      principal: call.principal,
      tool: "lamp",
      source: "house",
      method: "tools/call",
      language: "fr",
      priority: "HIGH",
      queuedMs: 12,
      ms: 40,
      deadlineMs: 30_000,
      outcome: "ok",
      cached: true,
      attempts: 1,
    });
    assert.ok(startedAt >= before - 40 && startedAt <= Date.now() - 40, "by the time of day, not by the hub's clock");
    assert.deepEqual(way?.args, { on: true });
  });

  it("tells well, failed by the tool's own word, and failed apart", () => {
    const { journal, start, end } = open();
    end(start(1));
    const failed = start(2);
    failed.trace.toolFailed = true;
    end(failed);
    end(start(3), { error: "SOURCE_ERROR" });
    assert.deepEqual(
      journal.since(0, 10).map(({ outcome }) => outcome),
      ["SOURCE_ERROR", "tool-failed", "ok"],
    );
  });

  it("is kept under a short name, whatever its caller asked for", () => {
    const { journal, start, end } = open();
    const method = `${"x".repeat(199)}${"\u{1f3e0}".repeat(1_000_000)}`;
    end(start(1, { method, name: method, tool: undefined }));
    end(start(2, { method: "resources/read", name: "resources/read", tool: undefined }));
    const { tool, method: kept } = journal.find(1) ?? assert.fail("no row");
    assert.ok(tool.length <= 201 && tool.isWellFormed() && kept === tool, tool);
    assert.deepEqual([journal.find(2)?.tool, journal.find(2)?.method], ["resources/read", "resources/read"]);
  });

  it("has waited all its time if it gave up in the queue", () => {
    const { journal, start, end } = open();
    end(start(1), { ms: 5_000, error: "QUEUE_TIMEOUT" });
    assert.equal(journal.find(1)?.queuedMs, 5_000);
  });
});

describe("the list", () => {
  it("is the newest first, of those that ended after so many had", () => {
    const { journal, start, end } = open();
    for (let id = 1; id <= 5; id++) end(start(id));
    const ids = (ended: number, limit = 10): number[] => journal.since(ended, limit).map(({ id }) => id);
    assert.deepEqual([ids(0), ids(3), ids(5), ids(0, 2)], [[5, 4, 3, 2, 1], [5, 4], [], [5, 4]]);
    assert.equal(journal.ended, 5);
  });

  it("is in the order in which they ended, not in which they began", () => {
    const { journal, start, end } = open();
    const [slow, fast] = [start(1), start(2)];
    end(fast);
    end(slow);
    assert.deepEqual(
      journal.since(0, 10).map(({ id, place }) => [id, place]),
      [
        [1, 1],
        [2, 0],
      ],
    );
  });

  it("forgets all but the last thousand", () => {
    const { journal, start, end } = open();
    for (let id = 1; id <= 1_200; id++) end(start(id));
    const kept = journal.since(0, 10_000);
    assert.deepEqual([kept.length, kept[0]?.id, kept.at(-1)?.id, journal.ended], [1_000, 1_200, 201, 1_200]);
    assert.equal(journal.find(200), undefined);
    assert.equal(journal.find(201)?.id, 201);
  });
});

describe("a call's way", () => {
  it("is when it came to each step, and when it was tried again", () => {
    const { journal, clock, start, end } = open();
    const call = start(1);
    call.trace.entered?.push(1_000, 1_001.5, 1_010);
    clock.now = 1_020;
    journal.take({ type: "call-retried", call, attempt: 1, delayMs: 100 });
    clock.now = 1_150;
    journal.take({ type: "call-retried", call, attempt: 2, delayMs: 200 });
    const expected = {
      fixed: [],
      enteredMs: [0, 1.5, 10],
      retries: [
        { attempt: 1, atMs: 20, delayMs: 100 },
        { attempt: 2, atMs: 150, delayMs: 200 },
      ],
    };
    const { args, ...way } = journal.wayOf(call) ?? assert.fail("it is not followed");
    assert.deepEqual([way, args], [expected, {}], "while it is under way");
    end(call, { ms: 400 });
    const { args: _, ...ended } = journal.find(1)?.way ?? assert.fail("nothing is kept");
    assert.deepEqual(ended, expected, "when it has ended");
  });

  it("is also told of a call that goes on for several callers", () => {
    const { journal, clock, start, end } = open();
    const call = start(1);
    clock.now = 1_020;
    journal.take({ type: "call-retried", call: { ...call }, attempt: 2, delayMs: 100 });
    end(call);
    assert.deepEqual(journal.find(1)?.way?.retries, [{ attempt: 2, atMs: 20, delayMs: 100 }]);
  });

  it("is kept of fifty in a second, and of fifty more in the next", () => {
    const { journal, clock, start, end } = open();
    clock.now = 2_000;
    for (let id = 1; id <= 60; id++) end(start(id));
    clock.now = 3_000;
    for (let id = 61; id <= 120; id++) end(start(id));
    const followed = journal.since(0, 1_000).filter(({ way }) => way);
    assert.deepEqual(
      followed.map(({ id }) => id).reverse(),
      [...Array(50).keys()].flatMap((index) => [index + 1]).concat([...Array(50).keys()].map((index) => index + 61)),
    );
    assert.equal(journal.since(0, 1_000).length, 120, "every one leaves a row all the same");
  });

  it("is not told of a retry that nobody followed", () => {
    const { journal, start } = open();
    for (let id = 1; id <= 50; id++) start(id);
    const call = start(51);
    journal.take({ type: "call-retried", call, attempt: 1, delayMs: 1 });
    assert.equal(journal.wayOf(call), undefined);
  });
});

describe("its arguments", () => {
  const shown = (text: string): unknown => {
    const { journal, start, end } = open();
    end(start(1, { args: Payload.ofText(text) }));
    return journal.find(1)?.way?.args;
  };

  it("are kept without secrets", () => {
    assert.deepEqual(shown('{"user":"ana","password":"x","headers":{"X-A":"y"},"note":"Bearer abc.def"}'), {
      user: "ana",
      password: "[redacted]",
      headers: { "X-A": "[redacted]" },
      note: "Bearer [redacted]",
    });
  });

  it("are not kept where they are long", () => {
    const long = JSON.stringify({ text: "x".repeat(5_000) });
    assert.equal(shown(long), undefined);
  });

  it("are told apart by who gave them", () => {
    const { journal, start, end } = open();
    end(start(1, { args: Payload.ofText('{"name":"salon","on":true}'), fixed: { name: "salon" } }));
    assert.deepEqual(journal.find(1)?.way?.fixed, ["name"]);
  });

  it("may be no object", () => assert.deepEqual([shown("null"), shown("7")], [null, 7]));
});

describe("what happens beside calls", () => {
  it("leaves no trace", () => {
    const { journal } = open();
    journal.take({ type: "tools-changed", source: "house", count: 1 });
    assert.deepEqual([journal.ended, journal.since(0, 10)], [0, []]);
  });
});
