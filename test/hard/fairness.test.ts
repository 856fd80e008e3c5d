/** One class of calls asks for more than there is, the others for a tenth each: none of them takes another's share. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PRIORITIES, type Priority } from "../../src/contract/rules.ts";
import { WEIGHTS } from "../../src/core/structures/fair-queue.ts";
import { served, unkind, withOverload } from "../support/overload/world.ts";
import { figure, sized } from "../support/scorecard.ts";

const ROW = 19;
const IS_LONG = sized(0, 1) === 1;
const WORK_MS = 200;
const SECONDS = sized(3, 60);
/** Of what the source can do. */
const ASKED: Readonly<Record<Priority, number>> = { HIGH: 1.2, MEDIUM: 0.1, LOW: 0.1, BULK: 0.1 };
/** The time of a call, where nobody says otherwise. */
const MOST_WAIT_MS = 60_000;

describe(`HIGH asks for 120 % of a source for ${SECONDS} s`, () => {
  it("and every class gets its share", () =>
    withOverload(1, WORK_MS, async ({ ask, stream, capacity }) => {
      const whole = await capacity(sized(0, 7));
      const streams = PRIORITIES.map((priority) => {
        return { ...stream("s0-work", { "x-priority": priority }), perSecond: whole * ASKED[priority] };
      });
      const outcomes = await ask(streams, SECONDS);
      const due = shares();
      const got = PRIORITIES.map((priority, place) => {
        return served(outcomes[place]).length / SECONDS / whole / due[priority];
      });
      for (const [place, priority] of PRIORITIES.entries())
        figure(ROW, `${priority}, of its share`, (got[place] ?? 0).toFixed(2));
      const jain =
        got.reduce((sum, one) => sum + one, 0) ** 2 / (got.length * got.reduce((sum, one) => sum + one ** 2, 0));
      const longest = Math.max(...outcomes.flatMap(served).map(({ ms }) => ms));
      figure(ROW, "Jain's index", jain.toFixed(3));
      figure(ROW, "longest wait of one who was served", `${Math.round(longest)} ms`);
      assert.equal(unkind(outcomes.flat()).length, 0);
      assert.ok(longest <= MOST_WAIT_MS);
      // On a busy machine the source does less than it did a moment before; nobody is starved all the same.
      for (const [place, priority] of PRIORITIES.entries())
        assert.ok((got[place] ?? 0) >= (IS_LONG ? 0.95 : 0.2), `${priority} got ${got[place]} of its share`);
      if (IS_LONG) assert.ok(jain >= 0.9, `${jain}`);
    }));
});

/** What each may have: who asks for less than the weights give leaves the rest to the others. */
function shares(): Readonly<Record<Priority, number>> {
  const due: Record<Priority, number> = { ...ASKED };
  let open = [...PRIORITIES];
  for (let rest = 1; ; ) {
    const weight = open.reduce((sum, priority) => sum + WEIGHTS[priority], 0);
    const content = open.filter((priority) => ASKED[priority] <= (rest * WEIGHTS[priority]) / weight);
    if (content.length === 0) {
      for (const priority of open) due[priority] = (rest * WEIGHTS[priority]) / weight;
      return due;
    }
    rest -= content.reduce((sum, priority) => sum + ASKED[priority], 0);
    open = open.filter((priority) => !content.includes(priority));
  }
}
