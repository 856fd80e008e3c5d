/** Latencies on a logarithmic scale. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { LATENCY_BUCKETS, latencyBucket, latencyIn, microsOf, percentile } from "./latency.ts";

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
