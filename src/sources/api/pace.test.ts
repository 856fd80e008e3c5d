import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { fc } from "../../../test/support/seed.ts";
import { Pace, retryAfterMs } from "./pace.ts";

describe("Retry-After", () => {
  it("is in seconds, or a date, or nothing", () => {
    assert.equal(retryAfterMs("120"), 120_000);
    assert.equal(retryAfterMs("Wed, 21 Oct 2015 07:28:10 GMT", Date.UTC(2015, 9, 21, 7, 28)), 10_000);
    assert.equal(retryAfterMs("Wed, 21 Oct 2015 07:28:10 GMT"), 0);
    for (const value of [undefined, "", "soon", "-5x"]) assert.equal(retryAfterMs(value), undefined);
  });

  it("is believed for a day", () => {
    assert.equal(retryAfterMs("999999999999"), 86_400_000);
  });
});

describe("a pace", () => {
  it("lets no more calls through in any minute, whenever they come", async () => {
    const waits = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(waits, fc.integer({ min: 1, max: 5 }), async (gaps, most) => {
        const clock = new FakeClock();
        const pace = new Pace(clock, most);
        const made: number[] = [];
        for (const gap of gaps) {
          await clock.advance(gap);
          if (took(pace)) made.push(clock.now());
        }
        for (const at of made) assert.ok(made.filter((other) => other >= at && other < at + 60_000).length <= most);
      }),
      { numRuns: 50 },
    );
  });

  it("that nobody set is none", () => {
    const pace = new Pace(new FakeClock(), undefined);
    for (let i = 0; i < 1_000; i++) assert.ok(took(pace));
  });
});

function took(pace: Pace): boolean {
  try {
    pace.take();
    return true;
  } catch {
    return false;
  }
}
