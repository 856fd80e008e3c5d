import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Figures, FiguresPoint } from "../../contract/call.ts";
import { mergedFigures, mergedPoint } from "./merged-figures.ts";

const QUEUE = { HIGH: 1, MEDIUM: 0, LOW: 2, BULK: 0 };

function aPoint(at: number, more: Partial<FiguresPoint> = {}): FiguresPoint {
  const latency = { p50Ms: 1, p95Ms: 2, p99Ms: 3 };
  const counts = { callsPerSecond: 1, requestsPerSecond: 2, errors: 3, cacheHits: 4, cacheMisses: 5 };
  return { at, ...counts, ...latency, queue: QUEUE, memoryBytes: 100, ...more };
}

function someFigures(...points: FiguresPoint[]): Figures {
  const totals = {
    calls: 1,
    failed: 2,
    cacheHits: 3,
    cacheMisses: 4,
    cacheEvictions: 5,
    retries: 6,
    internalErrors: 7,
  };
  return { points, totals, queue: QUEUE, inFlight: 8, uptimeSeconds: 9 };
}

describe("the figures of several nodes", () => {
  it("are sums, and of percentiles the highest", () => {
    const merged = mergedPoint([aPoint(0), aPoint(0, { p50Ms: 9, p99Ms: null })]);
    assert.deepEqual([merged.callsPerSecond, merged.requestsPerSecond, merged.errors], [2, 4, 6]);
    assert.deepEqual([merged.cacheHits, merged.cacheMisses, merged.memoryBytes], [8, 10, 200]);
    assert.deepEqual([merged.p50Ms, merged.p95Ms, merged.p99Ms], [9, 2, 3]);
    assert.deepEqual(merged.queue, { HIGH: 2, MEDIUM: 0, LOW: 4, BULK: 0 });
  });

  it("are not known where no node knows them", () => {
    const nothing = { p50Ms: null, p95Ms: null, p99Ms: null, queue: null, memoryBytes: null };
    const merged = mergedPoint([aPoint(0, nothing), aPoint(0, nothing)]);
    assert.deepEqual([merged.p50Ms, merged.p95Ms, merged.p99Ms, merged.queue, merged.memoryBytes], Array(5).fill(null));
  });

  it("belong together by their time, the oldest first", () => {
    const merged = mergedFigures(someFigures(aPoint(20), aPoint(30)), [someFigures(aPoint(10), aPoint(20))]);
    assert.deepEqual(
      merged.points.map(({ at, errors }) => [at, errors]),
      [
        [10, 3],
        [20, 6],
        [30, 3],
      ],
    );
    assert.deepEqual([merged.totals.calls, merged.totals.internalErrors, merged.inFlight], [2, 14, 16]);
    assert.deepEqual([merged.queue.LOW, merged.uptimeSeconds], [4, 9]);
  });
});
