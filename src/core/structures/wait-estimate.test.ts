/** How long a newcomer is told to wait. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WaitEstimate } from "./wait-estimate.ts";

describe("the estimate of waiting", () => {
  it("is nothing as long as nothing has finished, or nobody waits", () => {
    const estimate = new WaitEstimate();
    assert.equal(estimate.estimate(10, 1), 0);
    estimate.finished(100);
    assert.equal(estimate.estimate(0, 1), 0);
  });

  it("grows with those who wait and shrinks with those who work", () => {
    const estimate = new WaitEstimate();
    estimate.finished(100);
    assert.equal(estimate.estimate(10, 1), 1_000);
    assert.equal(estimate.estimate(10, 4), 250);
  });

  it("follows the latest calls", () => {
    const estimate = new WaitEstimate();
    estimate.finished(100);
    estimate.finished(200);
    assert.equal(estimate.estimate(1, 1), 120);
    for (let i = 0; i < 50; i++) estimate.finished(1_000);
    assert.equal(estimate.estimate(1, 1), 1_000);
  });

  it("ignores what is no duration", () => {
    const estimate = new WaitEstimate();
    estimate.finished(100);
    for (const odd of [Number.NaN, -5, Number.POSITIVE_INFINITY]) estimate.finished(odd);
    assert.equal(estimate.estimate(1, 1), 100);
  });
});
