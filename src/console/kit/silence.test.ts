/** That nothing was heard for too long is noticed, and only that. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { Silence } from "./silence.ts";

beforeEach(() => mock.timers.enable({ apis: ["setInterval", "Date"] }));
afterEach(() => mock.timers.reset());

describe("silence", () => {
  it("is noticed when it has lasted", () => {
    const silence = new Silence(20_000);
    mock.timers.tick(19_000);
    assert.equal(silence.signal.aborted, false);
    mock.timers.tick(5_000);
    assert.equal(silence.signal.aborted, true);
  });

  it("begins anew with every word", () => {
    const silence = new Silence(20_000);
    for (let word = 0; word < 10; word++) {
      mock.timers.tick(15_000);
      silence.heard();
    }
    assert.equal(silence.signal.aborted, false);
    mock.timers.tick(25_000);
    assert.equal(silence.signal.aborted, true);
  });

  it("is nobody's business afterwards", () => {
    const silence = new Silence(20_000);
    silence.end();
    mock.timers.tick(100_000);
    assert.equal(silence.signal.aborted, false);
  });
});
