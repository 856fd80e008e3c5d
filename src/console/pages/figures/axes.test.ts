import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lonelyOf, thin, timeRange, valueRange } from "./axes.ts";

describe("the shape of a picture", () => {
  it("is at least five minutes wide", () => {
    assert.deepEqual(timeRange(1_000, 1_010), [710, 1_010]);
    assert.deepEqual(timeRange(1_000, 4_600), [1_000, 4_600]);
  });

  it("begins at nought and has air above", () => {
    assert.deepEqual(valueRange(100, "ms"), [0, 110.00000000000001]);
    assert.deepEqual(valueRange(0, "count"), [0, 4]);
    assert.deepEqual(valueRange(null, "perSecond"), [0, 1]);
  });

  it("shows a point where no line leads to it", () => {
    assert.deepEqual(lonelyOf([1, null, 2, 3, null, 4]), [0, 5]);
    assert.deepEqual(lonelyOf([null, 0, undefined]), [1]);
    assert.deepEqual(lonelyOf([]), []);
  });

  it("knows how to thin a colour", () => {
    assert.equal(thin("rgb(156, 63, 34)"), "rgba(156, 63, 34, 0.14)");
    assert.equal(thin("red"), "red");
  });
});
