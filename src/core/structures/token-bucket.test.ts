/** The rate limit. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { TokenBuckets } from "./token-bucket.ts";

describe("token buckets", () => {
  it("let a burst through, then tell how long the next takes", () => {
    const buckets = new TokenBuckets(60, 3, 10);
    assert.deepEqual(
      [1, 2, 3, 4].map(() => buckets.take("ann", 5_000)),
      [0, 0, 0, 1_000],
    );
    assert.equal(buckets.take("ann", 5_400), 600);
  });

  it("let in whoever waited as long as told", () => {
    const rate = fc.integer({ min: 1, max: 10_000 });
    const pauses = fc.array(fc.double({ min: 0, max: 5_000, noNaN: true }), { maxLength: 50 });
    fc.assert(
      fc.property(rate, fc.integer({ min: 1, max: 20 }), pauses, (perMinute, burst, gaps) => {
        const buckets = new TokenBuckets(perMinute, burst, 10);
        let now = 12_345.678;
        for (const gap of gaps) {
          now += gap;
          const wait = buckets.take("ann", now);
          if (wait === 0) continue;
          now += wait;
          assert.equal(buckets.take("ann", now), 0);
        }
      }),
    );
  });

  it("never let more through than the burst and the rate allow, also where keys are forgotten", () => {
    const call = fc.record({ key: fc.constantFrom("a", "b", "c", "d", "e"), gap: fc.integer({ min: 0, max: 400 }) });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 300 }), fc.integer({ min: 1, max: 6 }), (calls, maxKeys) => {
        const buckets = new TokenBuckets(60, 4, maxKeys);
        const taken = new Map<string, number>();
        let now = 0;
        for (const { key, gap } of calls) {
          now += gap;
          if (buckets.take(key, now) === 0) taken.set(key, (taken.get(key) ?? 0) + 1);
          assert.ok(buckets.size <= maxKeys);
          assert.ok((taken.get(key) ?? 0) <= 4 + now / 1_000);
        }
      }),
    );
  });

  it("keep keys apart", () => {
    const buckets = new TokenBuckets(60, 1, 10);
    assert.equal(buckets.take("ann", 0), 0);
    assert.equal(buckets.take("bob", 0), 0);
    assert.notEqual(buckets.take("ann", 0), 0);
  });

  it("save up no more than the burst", () => {
    const buckets = new TokenBuckets(60, 2, 10);
    buckets.take("ann", 0);
    assert.deepEqual(
      [1, 2, 3].map(() => buckets.take("ann", 3_600_000)),
      [0, 0, 1_000],
    );
  });

  it("forget full buckets before others, and then cost nobody anything", () => {
    const buckets = new TokenBuckets(60, 2, 2);
    buckets.take("busy", 0);
    buckets.take("busy", 0);
    buckets.take("full", 0);
    // A second later "full" is full; "busy" was used less recently but still lacks one.
    assert.equal(buckets.take("new", 1_000), 0);
    assert.equal(buckets.take("new", 1_000), 0);
    assert.equal(buckets.take("busy", 1_000), 0);
    assert.equal(buckets.take("busy", 1_000), 1_000);
  });

  it("do not let a key profit from having been forgotten", () => {
    const buckets = new TokenBuckets(60, 3, 1);
    for (let i = 0; i < 3; i++) assert.equal(buckets.take("ann", 0), 0);
    assert.equal(buckets.take("bob", 1_500), 0);
    // One and a half have come back since; as a stranger she would have three.
    assert.equal(buckets.take("ann", 1_500), 0);
    assert.equal(buckets.take("ann", 1_500), 500);
  });

  it("are in debt for what was used elsewhere, for a minute at most", () => {
    const buckets = new TokenBuckets(60, 3, 10);
    buckets.charge("ann", 0, 5);
    assert.equal(buckets.take("ann", 0), 3_000);
    assert.equal(buckets.take("ann", 3_000), 0);
    buckets.charge("bob", 0, 1_000);
    assert.equal(buckets.take("bob", 0), 61_000);
  });

  it("give several tokens at once, or none", () => {
    const buckets = new TokenBuckets(60, 3, 10);
    assert.deepEqual([buckets.take("ann", 0, 2), buckets.take("ann", 0, 2), buckets.take("ann", 0)], [0, 1_000, 0]);
  });

  it("take a clock that goes back for one that stands still", () => {
    const buckets = new TokenBuckets(60, 1, 1);
    assert.equal(buckets.take("ann", 10_000), 0);
    assert.equal(buckets.take("ann", 9_000), 2_000);
  });
});
