/** The last hour in slots of ten seconds, by a clock that the test moves. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Rolling } from "./rolling.ts";

const START = 1_700_000_000;
const HOUR = 3_600;
const QUIET = { HIGH: 0, MEDIUM: 0, LOW: 0, BULK: 0 };

describe("a stretch of time", () => {
  it("sums up what happened in it, and knows how long it was", () => {
    const rolling = new Rolling(START);
    rolling.call(START, 1_000, false);
    rolling.call(START + 9, 3_000, true);
    rolling.call(START + 25, 2_000, false);
    rolling.queued(START + 25, 700);
    rolling.request(START + 25);
    const { latencies, ...sum } = rolling.over(START + 50, 30);
    assert.deepEqual(sum, {
      seconds: 50,
      calls: 3,
      failed: 1,
      callMicros: 6_000,
      queued: 1,
      queuedMicros: 700,
      requests: 1,
    });
    assert.equal(
      latencies.reduce((total, count) => total + count),
      3,
    );
  });

  it("forgets what is older", () => {
    const rolling = new Rolling(START);
    rolling.call(START, 1_000, false);
    rolling.call(START + 200, 1_000, false);
    assert.equal(rolling.over(START + 300, 30).calls, 2);
    assert.equal(rolling.over(START + 310, 30).calls, 1);
    assert.equal(rolling.over(START + 510, 30).calls, 0);
  });

  it("is never shorter than a second, nor longer than we run", () => {
    const rolling = new Rolling(START);
    assert.equal(rolling.over(START, 30).seconds, 1);
    assert.equal(rolling.over(START + 120, 30).seconds, 120);
    assert.equal(rolling.over(START + HOUR, 30).seconds, 300);
  });

  it("does not take what was an hour ago for what is now", () => {
    const rolling = new Rolling(START);
    for (let second = 0; second < 2 * HOUR + 100; second += 10) rolling.call(START + second, 1_000, false);
    assert.equal(rolling.over(START + 2 * HOUR + 90, 30).calls, 31);
    const afterASleep = START + 5 * HOUR;
    assert.equal(rolling.over(afterASleep, 30).calls, 0);
    rolling.call(afterASleep, 1_000, false);
    assert.equal(rolling.over(afterASleep, 30).calls, 1);
  });

  it("goes on where the clock was set back", () => {
    const rolling = new Rolling(START);
    rolling.call(START + 100, 1_000, false);
    rolling.call(START + 20, 1_000, false);
    rolling.call(START + 20, 1_000, false);
    assert.equal(rolling.over(START + 20, 30).calls, 2);
  });
});

describe("the series of the last hour", () => {
  it("has a point for every whole ten seconds that we ran, the oldest first", () => {
    const rolling = new Rolling(START);
    assert.deepEqual(rolling.series(START + 9), []);
    const points = rolling.series(START + 35);
    assert.deepEqual(
      points.map(({ at }) => at / 1_000 - START),
      [0, 10, 20],
    );
  });

  it("has an hour of them, and no more", () => {
    const points = new Rolling(START).series(START + 5 * HOUR);
    assert.equal(points.length, 360);
    assert.equal(points[0]?.at, (START + 4 * HOUR) * 1_000);
    assert.equal(points.at(-1)?.at, (START + 5 * HOUR - 10) * 1_000);
  });

  it("tells throughput, latencies, errors, the queue and memory of each", () => {
    const rolling = new Rolling(START);
    for (let call = 0; call < 20; call++) rolling.call(START + 3, call < 19 ? 10_000 : 500_000, call === 0);
    for (let request = 0; request < 30; request++) rolling.request(START + 4);
    for (const isHit of [true, true, true, false]) rolling.cached(START + 4, isHit);
    rolling.sample(START + 5, { ...QUIET, HIGH: 3 }, 1_000);
    rolling.sample(START + 9, { ...QUIET, HIGH: 1, BULK: 2 }, 2_000);
    const [point] = rolling.series(START + 10);
    const { p50Ms, p95Ms, p99Ms, ...rest } = point ?? assert.fail();
    assert.deepEqual(rest, {
      at: START * 1_000,
      callsPerSecond: 2,
      requestsPerSecond: 3,
      errors: 1,
      memoryBytes: 2_000,
      queue: { ...QUIET, HIGH: 3, BULK: 2 },
      cacheHits: 3,
      cacheMisses: 1,
    });
    assert.deepEqual(rolling.current(START + 9), point, "also while it is being filled");
    assert.ok(p50Ms && p95Ms && p99Ms && p50Ms > 9 && p50Ms < 11 && p95Ms === p50Ms);
    assert.ok(p99Ms > 460 && p99Ms < 540, `${p99Ms}`);
  });

  it("does not invent what nobody saw", () => {
    const rolling = new Rolling(START);
    rolling.request(START + 12);
    const [nothing, noCalls] = rolling.series(START + 20);
    const unknown = { p50Ms: null, p95Ms: null, p99Ms: null, queue: null, memoryBytes: null };
    const none = { callsPerSecond: 0, requestsPerSecond: 0, errors: 0, cacheHits: 0, cacheMisses: 0 };
    assert.deepEqual(nothing, {
      at: START * 1_000,
      ...none,
      ...unknown,
    });
    assert.deepEqual(noCalls, { ...nothing, at: (START + 10) * 1_000, requestsPerSecond: 0.1 });
  });
});
