import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SeriesPoint } from "../../../observe/statistics.ts";
import { type FiguresAnswer, hubNow, merged, paced, SLOT_MS, share, slotsOf, totalsNow } from "./hour.ts";

const point = (slot: number, more: Partial<SeriesPoint> = {}): SeriesPoint => ({
  at: slot * SLOT_MS,
  callsPerSecond: 0,
  requestsPerSecond: 0,
  errors: 0,
  p50Ms: null,
  p95Ms: null,
  p99Ms: null,
  queue: null,
  memoryBytes: 1,
  cacheHits: 0,
  cacheMisses: 0,
  ...more,
});
const slotsIn = (points: readonly SeriesPoint[]): number[] => points.map(({ at }) => at / SLOT_MS);

describe("the last hour", () => {
  it("takes a later word on the same ten seconds for the earlier", () => {
    const hour = merged([point(1), point(2)], [point(2, { errors: 3 }), point(3)]);
    assert.deepEqual(slotsIn(hour), [1, 2, 3]);
    assert.equal(hour[1]?.errors, 3);
  });

  it("is in order, whatever the order of what comes", () => {
    assert.deepEqual(slotsIn(merged([point(5)], [point(7), point(4)])), [4, 5, 7]);
  });

  it("forgets what is older than an hour", () => {
    const hour = merged(
      Array.from({ length: 361 }, (_, slot) => point(slot)),
      [point(361), point(362)],
    );
    assert.deepEqual([hour.length, hour[0]?.at, hour.at(-1)?.at], [361, 2 * SLOT_MS, 362 * SLOT_MS]);
  });

  it("is empty at first", () => assert.deepEqual(merged([], []), []));

  it("has a gap where nobody told anything", () => {
    const slots = slotsOf([point(1), point(4)]);
    assert.deepEqual(
      slots.map(({ at, point }) => [at / SLOT_MS, point !== null]),
      [
        [1, true],
        [2, false],
        [3, false],
        [4, true],
      ],
    );
  });

  it("has a gap where nobody measured", () => {
    const [asleep, awake] = slotsOf([
      point(1, { memoryBytes: null }),
      point(2, { memoryBytes: null, requestsPerSecond: 0.1 }),
    ]);
    assert.deepEqual([asleep?.point, awake?.point !== null], [null, true]);
  });
});

describe("how many in a second", () => {
  it("is as told where the ten seconds are over", () => assert.equal(paced(4, 0, 10_000), 4));
  it("is reckoned by what has passed where they are not", () => assert.equal(paced(4, 0, 5_000), 8));
  it("is not known of a moment", () => assert.equal(paced(4, 0, 2_000), null));
  it("is not known of what is still to come", () => assert.equal(paced(4, 60_000, 0), null));
});

describe("the hub's clock", () => {
  const started = "2030-01-01T00:00:00.000Z";
  const begun = Date.parse(started);
  it("is ours where both agree", () => assert.equal(hubNow(begun + 60_400, started, 60), begun + 60_400));
  it("is its own where they do not", () => assert.equal(hubNow(begun - 3_600_000, started, 60), begun + 60_000));
  it("is ours while it has told nothing", () => assert.equal(hubNow(7, undefined, undefined), 7));
});

/** Ten seconds in which so many calls came. */
const counted = (at: number, calls: number, errors = 0): SeriesPoint =>
  point(at / SLOT_MS, { callsPerSecond: calls / 10, errors, cacheHits: calls * 2 });
const answer: FiguresAnswer = {
  points: [counted(0, 50), counted(10_000, 7, 1)],
  totals: { calls: 57, failed: 1, cacheHits: 114, cacheMisses: 3 },
};

describe("what was counted since the start", () => {
  it("is as told while nothing has come since", () => {
    assert.deepEqual(totalsNow(answer, undefined), answer.totals);
    assert.deepEqual(totalsNow(answer, counted(10_000, 7, 1)), answer.totals);
  });

  it("grows with the ten seconds that are being filled", () => {
    assert.deepEqual(totalsNow(answer, counted(10_000, 9, 2)), {
      calls: 59,
      failed: 2,
      cacheHits: 118,
      cacheMisses: 3,
    });
  });

  it("grows with those that follow", () => {
    assert.equal(totalsNow(answer, counted(20_000, 3)).calls, 60);
  });

  it("never falls because of an older word", () => {
    assert.deepEqual(totalsNow(answer, counted(0, 60)), answer.totals);
    assert.equal(totalsNow(answer, counted(10_000, 2)).calls, 57);
  });
});

describe("a share", () => {
  it("is of a whole", () => assert.equal(share(1, 4), 0.25));
  it("is unknown of nothing", () => assert.equal(share(0, 0), null));
});
