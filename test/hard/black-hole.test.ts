/** One of ten sources takes calls and answers none: the others notice nothing, its own callers are soon told, and it is found again. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Outcome, quantileOf } from "../support/overload/open-load.ts";
import { refused, served, steadyP99, withOverload } from "../support/overload/world.ts";
import { figure, sized } from "../support/scorecard.ts";

const ROW = 20;
const IS_LONG = sized(0, 1) === 1;
const SOURCES = 10;
const WORK_MS = 50;
const SILENT_SECONDS = sized(7, 60);
/** What the callers of the silent one ask for, and wait in vain until it is known. */
const TIMEOUT_SECONDS = sized(1, 2);
const BACK_LIMIT_MS = 90_000;
/** Between two questions to a silent source, at first; then twice as long, and so on, each a fifth more or less. */
const FIRST_PAUSE_MS = 5_000;
const JITTER = 1.2 / 0.8;

describe(`one of ${SOURCES} sources is silent for ${SILENT_SECONDS} s`, () => {
  it("which costs the others nothing, and its callers only the time until it is known", () =>
    withOverload(SOURCES, WORK_MS, async ({ ask, mute, stream }) => {
      const names = Array.from({ length: SOURCES }, (_, place) => `s${place}-work`);
      // Only the callers of the silent one are impatient: a machine that stands still for a second is not to fail the others' calls.
      const headers = { "x-timeout": String(TIMEOUT_SECONDS) };
      const all = names.map((tool, place) => ({
        ...stream(tool, place === 0 ? headers : {}),
        perSecond: sized(10, 20),
      }));
      await ask(all, sized(1, 3));
      const before = othersOf(await ask(all, sized(1, 20)));
      await mute("s0", true);
      const during = await ask(all, SILENT_SECONDS);
      const asked = await mute("s0", false);
      const [own = []] = during;
      // One that is refused late is refused all the same: a machine may stand still for a moment.
      const isInVain = ({ ms, status }: Outcome): boolean => ms > TIMEOUT_SECONDS * 500 && status !== 503;
      const openedAt = Math.max(...own.filter(isInVain).map(({ at }) => at));
      const told = refused(own).filter(({ at }) => at > openedAt);
      const unmutedAt = performance.now();
      const isBack = async (): Promise<boolean> => served((await ask(all, 0.5))[0]).length > 0;
      while (!(await isBack())) assert.ok(performance.now() - unmutedAt < BACK_LIMIT_MS, "it was not found again");
      const backMs = performance.now() - unmutedAt;
      const probes = asked.filter((at) => at > openedAt);
      const pauses = probes.slice(1).map((at, place) => at - (probes[place] ?? 0));
      const failed = refused(othersOf(during)).length;
      const [usual, now] = [steadyP99(before), steadyP99(othersOf(during))];
      figure(ROW, "failures of the others", `${failed} of ${othersOf(during).length}`);
      figure(ROW, "the others' 99th percentile, of before", (now / usual).toFixed(2));
      figure(ROW, "its calls wait in vain until", `${(openedAt / 1_000).toFixed(1)} s`);
      figure(ROW, "then refused in (99th percentile)", `${steadyP99(told).toFixed(1)} ms (${told.length} calls)`);
      figure(
        ROW,
        "questions to it in that time",
        `${probes.length}, after ${pauses.map((ms) => (ms / 1_000).toFixed(1)).join(", ")} s`,
      );
      figure(ROW, "it is back after", `${(backMs / 1_000).toFixed(1)} s`);
      assert.equal(failed, 0);
      assert.ok(told.length > 0 && told.every(({ status }) => status === 503));
      assert.ok(probes.length <= 1 + (SILENT_SECONDS * 1_000) / FIRST_PAUSE_MS, `asked ${probes.length} times`);
      if (!IS_LONG) return;
      assert.ok(now / usual <= 1.1, `${now / usual}`);
      assert.ok(quantileOf(told, 0.99) < 50 && steadyP99(told) < 5, `${quantileOf(told, 0.99)}, ${steadyP99(told)} ms`);
      const nextPause = 2 * JITTER * Math.max(FIRST_PAUSE_MS, ...pauses);
      assert.ok(backMs <= nextPause + 1_000, `${backMs} ms, and the next question after ${nextPause} at the latest`);
    }));
});

function othersOf(outcomes: readonly Outcome[][]): Outcome[] {
  return outcomes.slice(1).flat();
}
