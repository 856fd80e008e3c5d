/** What the soak takes for growth of memory: what goes on, and not one step. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { growthOf, type Held, steadyGrowthOf } from "./support/soak/held.ts";

const residentMb = (held: Held): number => held.residentMb;

/** An hour, a sample every ten seconds. */
function hour(memoryAt: (minute: number) => number): Held[] {
  return Array.from({ length: 361 }, (_, n) => ({ at: n * 10, residentMb: memoryAt(n / 6) }) as Held);
}

describe("growth of memory in a soak", () => {
  it("is what goes on for the whole time, by both ways to reckon it", () => {
    const leaking = hour((minute) => 200 + minute * 0.25 + Math.sin(minute * 9) * 3);
    for (const growth of [steadyGrowthOf, growthOf]) assert.ok(Math.abs(growth(leaking, 0, residentMb) - 15) < 0.5);
  });

  it("is seen in stairs, each of which looks flat", () => {
    const stairs = hour((minute) => 200 + Math.floor(minute / 12) * 4);
    assert.ok(steadyGrowthOf(stairs, 0, residentMb) > 14);
  });

  it("is not one step, which a straight line takes for it", () => {
    const step = hour((minute) => (minute < 15 ? 193 : 209) + Math.sin(minute * 9));
    const [steady, line] = [steadyGrowthOf(step, 0, residentMb), growthOf(step, 0, residentMb)];
    assert.ok(line > 16 && steady < line / 3, `${steady} of ${line}`);
  });

  it("looks only at what comes after the given second", () => {
    const early = hour((minute) => 100 + Math.min(minute, 30) * 3);
    assert.equal(steadyGrowthOf(early, 1_800, residentMb), 0);
  });
});
