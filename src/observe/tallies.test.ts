/** Counters by name, by duration and by day, and latencies on a logarithmic scale. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../test/support/seed.ts";
import {
  DailyTally,
  DurationTally,
  LATENCY_BUCKETS,
  latencyBucket,
  latencyIn,
  microsOf,
  NamedTally,
  percentile,
} from "./tallies.ts";

describe("a tally by name", () => {
  it("counts each name and column apart, and tells only what was counted", () => {
    const tally = new NamedTally(["ok", "failed"], 10, "other");
    tally.add("lamp", 0);
    tally.add("lamp", 0);
    tally.add("door", 1);
    assert.deepEqual(tally.entries(), [
      { name: "lamp", column: "ok", count: 2 },
      { name: "door", column: "failed", count: 1 },
    ]);
  });

  it("is bounded: names beyond share one, and lose nothing", () => {
    const tally = new NamedTally(["ok"], 1_000, "other");
    for (let name = 0; name < 5_000; name++) tally.add(`source ${name}`, 0);
    tally.add("source 7", 0);
    const entries = tally.entries();
    assert.equal(entries.length, 1_001);
    assert.equal(entries.find(({ name }) => name === "other")?.count, 4_000);
    assert.equal(entries.find(({ name }) => name === "source 7")?.count, 2);
  });
});

describe("a tally of durations", () => {
  it("counts within each bound all that stayed within it, the bound itself included", () => {
    const tally = new DurationTally([0.1, 0.5, 1]);
    for (const ms of [1, 100, 100.001, 400, 1_000, 5_000]) tally.add(ms * 1_000);
    assert.deepEqual(tally.withinBounds(), [2, 4, 5, 6]);
    assert.ok(Math.abs(tally.sumSeconds - 6.601001) < 1e-9);
  });

  it("is empty at first", () => {
    const tally = new DurationTally([0.1]);
    assert.deepEqual([tally.withinBounds(), tally.sumSeconds], [[0, 0], 0]);
  });
});

describe("a tally of today", () => {
  const MIDNIGHT = Date.parse("2026-03-01T00:00:00Z") / 1_000;

  it("begins anew at midnight UTC, whether somebody adds or asks", () => {
    const tally = new DailyTally();
    tally.add(MIDNIGHT - 60, 3);
    tally.add(MIDNIGHT - 1, 2);
    assert.equal(tally.today(MIDNIGHT - 1), 5);
    assert.equal(tally.today(MIDNIGHT), 0);
    tally.add(MIDNIGHT + 1, 1);
    assert.equal(tally.today(MIDNIGHT + 2), 1);
  });
});

const PRECISION = 1 / 16;
const HALF_HOUR_MS = 0x7fff_ffff / 1_000;

describe("the scale of latencies", () => {
  it("gives back what was put in, within a sixteenth, from a hundredth of a millisecond to half an hour", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: HALF_HOUR_MS, noNaN: true }), (ms) => {
        const told = latencyIn(latencyBucket(microsOf(ms)));
        return Math.abs(told - ms) <= ms * PRECISION + 0.001;
      }),
    );
  });

  it("has no gaps, and grows", () => {
    for (let bucket = 1; bucket < LATENCY_BUCKETS; bucket++) {
      assert.ok(latencyIn(bucket) > latencyIn(bucket - 1));
      assert.equal(latencyBucket(Math.floor(latencyIn(bucket) * 1_000)), bucket);
    }
  });

  it("has a place for everything, even for what is no duration", () => {
    const odd = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, 1e-300];
    for (const ms of odd) {
      const bucket = latencyBucket(microsOf(ms));
      assert.ok(bucket >= 0 && bucket < LATENCY_BUCKETS, `${ms}`);
    }
    assert.equal(latencyBucket(microsOf(1e300)), LATENCY_BUCKETS - 1);
  });
});

describe("a percentile", () => {
  it("is nothing where there is nothing", () => assert.equal(percentile(countsOf([]), 0.95), 0));

  it("is the one there is", () => {
    for (const share of [0, 0.5, 1]) assertNear(percentile(countsOf([20]), share), 20);
  });

  it("is what that share of all stayed within", () => {
    const counts = countsOf(Array.from({ length: 1_000 }, (_, index) => index + 1));
    assertNear(percentile(counts, 0.5), 500);
    assertNear(percentile(counts, 0.95), 950);
    assertNear(percentile(counts, 0.99), 990);
  });

  it("is one of those there are, and the larger where it falls between two", () => {
    assertNear(percentile(countsOf([10, 20, 30]), 0.5), 20);
    assertNear(percentile(countsOf([10, 20, 30]), 0.95), 30);
  });

  it("does not hide a few that are slow, nor takes them for all", () => {
    const counts = countsOf([...Array.from({ length: 94 }, () => 2), ...Array.from({ length: 6 }, () => 3_000)]);
    assertNear(percentile(counts, 0.94), 2);
    assertNear(percentile(counts, 0.95), 3_000);
  });
});

function countsOf(latencies: readonly number[]): Uint32Array {
  const counts = new Uint32Array(LATENCY_BUCKETS);
  for (const ms of latencies) counts[latencyBucket(microsOf(ms))] = (counts[latencyBucket(microsOf(ms))] ?? 0) + 1;
  return counts;
}

function assertNear(told: number, ms: number): void {
  assert.ok(Math.abs(told - ms) <= ms * PRECISION, `${told} is not near ${ms}`);
}
