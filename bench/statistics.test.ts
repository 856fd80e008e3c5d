/** The bench's statistics. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { growthOf, quantile, ratiosOf, spreadOf } from "./statistics.ts";

test("a quantile lies between its neighbours", () => {
  assert.equal(quantile([1, 2, 3, 4], 0.5), 2.5);
  assert.equal(quantile([1, 2, 3], 0.5), 2);
  assert.equal(quantile([7], 0.99), 7);
  assert.ok(Number.isNaN(quantile([], 0.5)));
});

test("the spread of several rounds is their middle and their ends, in any order", () => {
  assert.deepEqual(spreadOf([3, 1, 2]), { median: 2, min: 1, max: 3 });
});

test("ratios are taken round by round, so that a slow machine does not look like a slow subject", () => {
  assert.deepEqual(ratiosOf([50, 5, 100], [100, 10, 200]), { median: 0.5, min: 0.5, max: 0.5 });
});

test("a round that one of both lacks is left out of the ratios", () => {
  assert.deepEqual(ratiosOf([50, 60], [100]), { median: 0.5, min: 0.5, max: 0.5 });
  assert.deepEqual(ratiosOf([50, 60], [100, 0]), { median: 0.5, min: 0.5, max: 0.5 });
});

test("growth is that of the straight line through all values, as a share of their mean", () => {
  assert.equal(growthOf([5, 5, 5]), 0);
  assert.ok(Math.abs(growthOf([9, 10, 11]) - 0.2) < 1e-9);
  assert.ok(growthOf([10, 9, 8]) < 0);
  assert.ok(Math.abs(growthOf([10, 12, 10, 12, 10])) < 0.01);
  assert.equal(growthOf([1]), 0);
});
