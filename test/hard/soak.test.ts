/**
 * Mixed calls at every door while clients come and go: memory stops growing, and what was opened is given back. In its short
 * form a few seconds with every fault once; as a row of the scorecard ten minutes without any. `npm run soak` has both for as
 * long as one likes.
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { figure, sized } from "../support/scorecard.ts";
import { COMMON, RARE } from "../support/soak/callers.ts";
import { growthOf } from "../support/soak/held.ts";
import { BACK, NEAR, type SoakReport, soak } from "../support/soak/soak.ts";

const ROW = 7;
const IS_LONG = sized(0, 1) === 1;
const SECONDS = sized(10, 600);
const SETTLED_SECONDS = 180;

describe(`mixed calls at every door for ${SECONDS} s`, () => {
  let told: SoakReport;
  before(async () => {
    told = await soak({
      seconds: SECONDS,
      callsPerSecond: sized(100, 700),
      clients: sized(60, 300),
      boxes: sized(10, 50),
      faultEverySeconds: sized(0.5, 0),
      firstPauseSeconds: sized(5, 0),
    });
  });

  it("are all answered rightly", () => {
    figure(ROW, "calls, of them wrong", `${told.calls}, ${told.unexplained.length}`);
    figure(ROW, "clients that came and went", told.came);
    assert.deepEqual(told.unexplained, []);
    for (const { door } of [...COMMON, ...RARE]) assert.ok((told.doors[door] ?? 0) > 0, door);
    if (IS_LONG) assert.ok(told.calls >= 300_000, `${told.calls} calls`);
  });

  it("leave nothing behind when all have left", () => {
    figure(ROW, "heap in use: before, after a while, at the end, after", heapsOf(told));
    for (const what of BACK) {
      figure(ROW, `${what} before and after`, `${told.before[what]}, ${told.after[what]}`);
      assert.ok(told.after[what] - told.before[what] <= NEAR, what);
    }
  });

  it("stop taking more memory", { skip: IS_LONG ? false : "only as a row of the scorecard: takes minutes" }, () => {
    const grown = growthOf(told.samples, SETTLED_SECONDS, ({ residentMb }) => residentMb);
    const perTenMinutes = (grown * 600) / (SECONDS - SETTLED_SECONDS);
    figure(
      ROW,
      "growth in 10 min after the third",
      `${perTenMinutes.toFixed(1)} MB of ${told.samples.at(-1)?.residentMb}`,
    );
    assert.ok(perTenMinutes < 10, `${perTenMinutes} MB`);
  });
});

/** Of which nothing could be thrown away. */
function heapsOf({ before: none, first, last, after }: SoakReport): string {
  return `${[none, first, last, after].map(({ liveHeapMb }) => liveHeapMb).join(", ")} MB`;
}
