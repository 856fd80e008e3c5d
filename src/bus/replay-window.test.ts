/** The window of counters, held against a set that forgets nothing. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { ReplayWindow } from "./replay-window.ts";

const SIZE = 4_096;

describe("the window of counters", () => {
  it("knows each of the last 4,096, and takes all before for seen", () => {
    const window = new ReplayWindow();
    window.add(5_000);
    assert.deepEqual(
      [5_000, 4_999, 905, 904, 1, 5_001].map((n) => window.has(n)),
      [true, false, false, true, true, false],
    );
  });

  it("takes counters of 48 bits", () => {
    const window = new ReplayWindow();
    const last = 2 ** 48 - 1;
    window.add(last - 1);
    assert.deepEqual(
      [last - 2, last - 1, last].map((n) => window.has(n)),
      [false, true, false],
    );
  });

  it("never lets one through twice, whatever the order", () => {
    const near = fc.integer({ min: 1, max: 9_000 });
    const far = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(fc.array(fc.oneof(near, far), { maxLength: 200 }), (counters) => {
        const window = new ReplayWindow();
        const seen = new Set<number>();
        for (const counter of counters) {
          const highest = Math.max(0, ...seen);
          assert.equal(window.has(counter), seen.has(counter) || counter <= highest - SIZE, `${counter}`);
          if (window.has(counter)) continue;
          window.add(counter);
          seen.add(counter);
        }
      }),
    );
  });

  it("lets each through once where all come, a little out of order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1_000, maxLength: 1_000 }), (delays) => {
        const window = new ReplayWindow();
        const order = delays.map((delay, index) => ({ counter: index + 1, at: index + delay }));
        for (const { counter } of order.sort((one, other) => one.at - other.at)) {
          assert.ok(!window.has(counter));
          window.add(counter);
          assert.ok(window.has(counter));
        }
      }),
      { numRuns: 20 },
    );
  });
});
