import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Backoff } from "./backoff.ts";

describe("backoff", () => {
  const almostOne = (): number => 0.999999;

  it("doubles its ceiling from the base up to the cap and stays there", () => {
    const backoff = new Backoff(almostOne, 500, 30_000);
    const waits = Array.from({ length: 9 }, () => backoff.next());
    assert.deepEqual(waits, [499, 999, 1999, 3999, 7999, 15_999, 29_999, 29_999, 29_999]);
  });

  it("spreads over the whole range below the ceiling", () => {
    const draws = [0, 0.5, 0.25];
    const backoff = new Backoff(() => draws.shift() ?? 0, 500, 30_000);
    assert.deepEqual([backoff.next(), backoff.next(), backoff.next()], [0, 500, 500]);
  });

  it("starts again at the base after a reset", () => {
    const backoff = new Backoff(almostOne, 500, 30_000);
    backoff.next();
    backoff.next();
    backoff.reset();
    assert.equal(backoff.next(), 499);
  });

  it("still has a number to give after a very long time", () => {
    const backoff = new Backoff(almostOne, 500, 30_000);
    for (let i = 0; i < 5000; i++) backoff.next();
    assert.equal(backoff.next(), 29_999);
  });
});
