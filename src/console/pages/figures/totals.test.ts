import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SeriesPoint } from "../../../observe/statistics.ts";
import { type FiguresAnswer, share, totalsNow } from "./totals.ts";

const point = (at: number, calls: number, errors = 0): SeriesPoint => ({
  at,
  callsPerSecond: calls / 10,
  requestsPerSecond: 0,
  errors,
  p50Ms: null,
  p95Ms: null,
  p99Ms: null,
  queue: null,
  memoryBytes: 1,
  cacheHits: calls * 2,
  cacheMisses: 0,
});
const answer: FiguresAnswer = {
  points: [point(0, 50), point(10_000, 7, 1)],
  totals: { calls: 57, failed: 1, cacheHits: 114, cacheMisses: 3 },
};

describe("what was counted since the start", () => {
  it("is as told while nothing has come since", () => {
    assert.deepEqual(totalsNow(answer, undefined), answer.totals);
    assert.deepEqual(totalsNow(answer, point(10_000, 7, 1)), answer.totals);
  });

  it("grows with the ten seconds that are being filled", () => {
    assert.deepEqual(totalsNow(answer, point(10_000, 9, 2)), { calls: 59, failed: 2, cacheHits: 118, cacheMisses: 3 });
  });

  it("grows with those that follow", () => {
    assert.equal(totalsNow(answer, point(20_000, 3)).calls, 60);
  });

  it("never falls because of an older word", () => {
    assert.deepEqual(totalsNow(answer, point(0, 60)), answer.totals);
    assert.equal(totalsNow(answer, point(10_000, 2)).calls, 57);
  });
});

describe("a share", () => {
  it("is of a whole", () => assert.equal(share(1, 4), 0.25));
  it("is unknown of nothing", () => assert.equal(share(0, 0), null));
});
