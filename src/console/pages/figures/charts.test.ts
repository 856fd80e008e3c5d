import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SeriesPoint } from "../../../observe/statistics.ts";
import { CHARTS, type ChartSpec, columnsOf, lastKnown } from "./charts.ts";
import { SLOT_MS } from "./hour.ts";

const POINT: SeriesPoint = {
  at: 0,
  callsPerSecond: 2,
  requestsPerSecond: 3,
  errors: 4,
  p50Ms: 5,
  p95Ms: 6,
  p99Ms: 7,
  queue: { HIGH: 1, MEDIUM: 2, LOW: 3, BULK: 4 },
  memoryBytes: 8,
  cacheHits: 90,
  cacheMisses: 10,
};
const LATER = 100_000;
const chart = (name: string): ChartSpec => CHARTS.find((one) => one.name === name) ?? assert.fail(name);
const valuesOf = (name: string, point: SeriesPoint = POINT, now = LATER): (number | null)[] =>
  columnsOf(chart(name), [{ at: point.at, point }], now)
    .slice(1)
    .map(([value]) => value ?? null);

describe("the pictures", () => {
  const expected: Readonly<Record<string, readonly (number | null)[]>> = {
    throughput: [2, 3],
    latency: [5, 6, 7],
    queue: [1, 2, 3, 4],
    cache: [9, 1],
    errors: [4],
    memory: [8],
  };
  for (const { name } of CHARTS)
    it(`${name} shows its numbers`, () => assert.deepEqual(valuesOf(name), expected[name]));

  it("have a gap where nothing is known", () => {
    const blind = { ...POINT, queue: null, memoryBytes: null, p50Ms: null, p95Ms: null, p99Ms: null };
    assert.deepEqual(valuesOf("queue", blind), [null, null, null, null]);
    assert.deepEqual(valuesOf("memory", blind), [null]);
    assert.deepEqual(valuesOf("latency", blind), [null, null, null]);
    assert.deepEqual(columnsOf(chart("errors"), [{ at: SLOT_MS, point: null }], LATER), [[10], [null]]);
  });

  it("reckon rates of the ten seconds that are being filled by what has passed", () => {
    assert.deepEqual(valuesOf("throughput", POINT, 5_000), [4, 6]);
    assert.deepEqual(valuesOf("cache", POINT, 1_000), [null, null]);
    assert.deepEqual(valuesOf("errors", POINT, 1_000), [4]);
  });

  it("tell lines apart by their dashes, not by their colour alone", () => {
    for (const { series, name } of CHARTS) {
      assert.equal(new Set(series.map(({ dash }) => dash.join())).size, series.length, name);
      assert.equal(new Set(series.map(({ colour }) => colour)).size, series.length, name);
    }
  });

  it("know what was known last", () => {
    assert.equal(
      lastKnown([
        [1, 2, 3],
        [1, null, null],
        [null, 5, null],
      ]),
      1,
    );
    assert.equal(lastKnown([[1], [null]]), -1);
  });
});
