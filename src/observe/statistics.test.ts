/** The hub in numbers: each follows what happens, by a clock that the test moves. */
import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { aCacheOf, callEnded } from "../../test/support/monitored.ts";
import { Statistics } from "./statistics.ts";

const MORNING = Date.parse("2026-03-01T08:00:00Z");
const DAY = 86_400_000;

function open(): { statistics: Statistics; clock: { now: number } } {
  const clock = { now: MORNING };
  return { statistics: new Statistics({ now: () => clock.now, memoryBytes: () => 123 }), clock };
}

describe("before anything happened", () => {
  it("there is nothing to tell", () => {
    const { cache, ...snapshot } = open().statistics.snapshot();
    assert.deepEqual(snapshot, {
      callsPerSecond: 0,
      requestsPerSecond: 0,
      averageMs: 0,
      p95Ms: 0,
      errorRate: 0,
      averageQueuedMs: 0,
      completedToday: 0,
      evictionsToday: 0,
      hitRate: 0,
    });
    assert.deepEqual(cache, { entries: 0, maxEntries: 0, bytes: 0, maxBytes: 0 });
  });
});

describe("calls", () => {
  it("make a rate, an average, a percentile and a share of failures", () => {
    const { statistics, clock } = open();
    for (let call = 0; call < 90; call++) statistics.take(callEnded({ ms: 10 }));
    for (let call = 0; call < 10; call++) statistics.take(callEnded({ ms: 1_000, error: "SOURCE_ERROR" }));
    clock.now += 50_000;
    const { callsPerSecond, averageMs, p95Ms, errorRate, completedToday } = statistics.snapshot();
    assert.deepEqual([callsPerSecond, averageMs, errorRate, completedToday], [2, 109, 0.1, 90]);
    assert.ok(p95Ms >= 1_000 * (15 / 16) && p95Ms <= 1_000 * (17 / 16), `${p95Ms}`);
  });

  it("are forgotten after five minutes, but not today", () => {
    const { statistics, clock } = open();
    statistics.take(callEnded({ ms: 10 }));
    clock.now += 400_000;
    const { callsPerSecond, averageMs, p95Ms, completedToday } = statistics.snapshot();
    assert.deepEqual([callsPerSecond, averageMs, p95Ms, completedToday], [0, 0, 0, 1]);
    clock.now += DAY;
    assert.equal(statistics.snapshot().completedToday, 0);
  });

  it("are counted by source and by how they ended", () => {
    const { statistics } = open();
    statistics.take(callEnded({ call: { source: "tv" } }));
    statistics.take(callEnded({ call: { source: "tv" }, error: "RATE_LIMITED" }));
    statistics.take(callEnded({ call: { source: "lamp" } }));
    assert.deepEqual(statistics.calls.entries(), [
      { name: "tv", column: "ok", count: 1 },
      { name: "tv", column: "RATE_LIMITED", count: 1 },
      { name: "lamp", column: "ok", count: 1 },
    ]);
  });

  it("that are only beginning count for nothing yet", () => {
    const { statistics } = open();
    const ended = callEnded();
    if (ended.type === "call-ended") statistics.take({ type: "call-started", call: ended.call });
    assert.equal(statistics.snapshot().callsPerSecond, 0);
    assert.deepEqual(statistics.calls.entries(), []);
  });
});

describe("waiting", () => {
  it("is averaged over those who came to a queue", () => {
    const { statistics } = open();
    statistics.take(callEnded({ queuedMs: 30 }));
    statistics.take(callEnded({ queuedMs: 0 }));
    statistics.take(callEnded({ attempts: 0, cached: true }));
    statistics.take(callEnded({ attempts: 0, error: "INVALID_ARGUMENT" }));
    assert.equal(statistics.snapshot().averageQueuedMs, 15);
  });

  it("counts for those who gave up, too", () => {
    const { statistics } = open();
    statistics.take(callEnded({ attempts: 0, ms: 5_000, error: "QUEUE_TIMEOUT", call: { priority: "BULK" } }));
    assert.equal(statistics.snapshot().averageQueuedMs, 5_000);
    assert.equal(statistics.queueDurations.BULK.sumSeconds, 5);
    assert.equal(statistics.queueDurations.HIGH.sumSeconds, 0);
  });
});

describe("caches", () => {
  it("have a rate of what was found", () => {
    const { statistics } = open();
    statistics.cacheMiss();
    assert.equal(statistics.snapshot().hitRate, 0);
    statistics.cacheHit();
    statistics.take(callEnded({ cached: true, attempts: 0 }));
    statistics.cacheHit();
    assert.equal(statistics.snapshot().hitRate, 0.75);
  });

  it("have what was found and what was not in the curve of the last hour", () => {
    const { statistics, clock } = open();
    statistics.cacheMiss();
    statistics.cacheMiss();
    statistics.cacheHit();
    const counted = ({ cacheHits, cacheMisses }: { cacheHits: number; cacheMisses: number }) => [
      cacheHits,
      cacheMisses,
    ];
    assert.deepEqual(counted(statistics.current()), [1, 2]);
    clock.now += 10_000;
    assert.deepEqual(statistics.series().map(counted), [[1, 2]]);
    assert.deepEqual(counted(statistics.current()), [0, 0]);
  });

  it("are asked how full they are, and what had to go today", () => {
    const { statistics, clock } = open();
    statistics.watch({ queue: () => ({ HIGH: 0, MEDIUM: 0, LOW: 0, BULK: 0 }), cache: () => aCacheOf(5) });
    statistics.evicted(3);
    const { cache, evictionsToday } = statistics.snapshot();
    assert.deepEqual([cache, evictionsToday], [aCacheOf(5), 3]);
    clock.now += DAY;
    assert.equal(statistics.snapshot().evictionsToday, 0);
    assert.equal(statistics.cacheEvictions, 3);
    statistics.close();
  });
});

describe("answers", () => {
  it("are counted by method, endpoint, status and duration", () => {
    const { statistics } = open();
    statistics.answered("POST", "/mcp", 200, 250);
    statistics.answered("POST", "/mcp", 503, 1);
    statistics.answered("PROPFIND", "unknown", 404, 1);
    assert.deepEqual(statistics.requests.entries(), [
      { name: "/mcp", column: "POST", count: 2 },
      { name: "unknown", column: "other", count: 1 },
    ]);
    assert.deepEqual([statistics.responses[200], statistics.responses[503], statistics.responses[404]], [1, 1, 1]);
    assert.equal(statistics.requestDurations.sumSeconds, 0.252);
    assert.equal(statistics.snapshot().requestsPerSecond, 3);
  });

  it("with a status that there is not do no harm", () => {
    const { statistics } = open();
    statistics.answered("GET", "/", 99_999, 1);
    assert.equal(statistics.responses[0], 1);
  });
});

describe("sources", () => {
  it("that fell silent are known until they are heard of again", () => {
    const { statistics } = open();
    statistics.take({ type: "source-silent", source: "tv", isSilent: true });
    assert.deepEqual([statistics.isSilent("tv"), statistics.isSilent("lamp")], [true, false]);
    statistics.take({ type: "source-silent", source: "tv", isSilent: false });
    assert.equal(statistics.isSilent("tv"), false);
    statistics.take({ type: "source-silent", source: "tv", isSilent: true });
    statistics.take({ type: "source-state", source: "tv", state: "ready", restarts: 1 });
    assert.equal(statistics.isSilent("tv"), false);
  });
});

describe("watching", () => {
  it("looks by itself every few seconds, until it is closed", () => {
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      const { statistics, clock } = open();
      const waiting = { HIGH: 1, MEDIUM: 0, LOW: 0, BULK: 0 };
      let looks = 0;
      const queue = () => {
        looks++;
        return waiting;
      };
      statistics.watch({ queue, cache: () => aCacheOf(0) });
      for (let tick = 0; tick < 4; tick++) {
        clock.now += 5_000;
        mock.timers.tick(5_000);
      }
      assert.equal(looks, 5);
      const points = statistics.series();
      assert.deepEqual(
        points.map((point) => [point.queue, point.memoryBytes]),
        [
          [waiting, 123],
          [waiting, 123],
        ],
      );
      statistics.close();
      mock.timers.tick(60_000);
      assert.equal(looks, 5);
    } finally {
      mock.timers.reset();
    }
  });
});
