import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Outcome, Redial } from "./redial.ts";

const UNREACHED: Outcome = { reason: "connection refused", kind: "unreached", openMs: 0, isGreeted: false };

describe("the pause before the next dialling", () => {
  it("doubles up to a minute, and stays there", () => {
    const redial = new Redial(() => 0.999_999);
    const pauses = Array.from({ length: 10 }, () => redial.next(UNREACHED));
    assert.deepEqual(pauses, [999, 1_999, 3_999, 7_999, 15_999, 31_999, 59_999, 59_999, 59_999, 59_999]);
  });

  it("is anything from nothing up to that", () => {
    const dice = [0, 0.5, 0.25];
    const redial = new Redial(() => dice.shift() ?? 0);
    assert.deepEqual([redial.next(UNREACHED), redial.next(UNREACHED), redial.next(UNREACHED)], [0, 1_000, 1_000]);
  });

  for (const [what, outcome, isReset] of [
    ["a connection of half a minute, however it ended", { kind: "goodbye", openMs: 30_000 }, true],
    ["one that was cut after it had begun a conversation", { kind: "lost", openMs: 5, isGreeted: true }, true],
    ["one that was cut before", { kind: "lost", openMs: 5 }, false],
    ["one that we were sent away from after our first answers", { kind: "goodbye", openMs: 5, isGreeted: true }, false],
  ] as const) {
    it(`is short again after ${what}: ${isReset}`, () => {
      const redial = new Redial(() => 0.999_999);
      for (const _ of [1, 2, 3]) redial.next(UNREACHED);
      assert.equal(redial.next({ ...UNREACHED, ...outcome }), isReset ? 999 : 7_999);
    });
  }

  it("is a minute or two for one whose place was taken, however long it had it", () => {
    assert.equal(new Redial(() => 0).next({ ...UNREACHED, kind: "replaced" }), 60_000);
    assert.equal(new Redial(() => 0.5).next({ ...UNREACHED, kind: "replaced", openMs: 99_999 }), 90_000);
  });

  it("is as long as the far end asks for", () => {
    assert.equal(new Redial(() => 0).next({ ...UNREACHED, retryAfterMs: 5_000 }), 5_000);
  });
});
