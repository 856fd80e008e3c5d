/** Ten times more is asked than a source can do, and then no more: who is served is served as usual, the rest is told at once. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { quantileOf, type Stream } from "../support/overload/open-load.ts";
import { refused, served, unkind, withOverload } from "../support/overload/world.ts";
import { figure, sized } from "../support/scorecard.ts";

const ROW = 18;
const IS_LONG = sized(0, 1) === 1;
const WORK_MS = 200;
const SECONDS = sized(2, 30);
/** In the short form a machine may stand still for seconds: what waited longer has run into its deadline. */
const UNDISTURBED_MS = sized(5_000, Number.POSITIVE_INFINITY);

describe(`ten times too much for ${SECONDS} s`, () => {
  it("costs those who are served little, and nobody waits to be refused", () =>
    withOverload(1, WORK_MS, async ({ ask, stream, capacity }) => {
      const peak = await capacity(sized(0, 7));
      const at = (share: number): Stream => ({ ...stream("s0-work"), perSecond: peak * share });
      // A hub that has just been started is still compiling what it does; that is not what is measured.
      await ask([at(10)], sized(0, 5));
      await sleep(sized(0, 3_000));
      const [normal = []] = await ask([at(0.8)], sized(1, 10));
      const [flood = []] = await ask([at(10)], SECONDS);
      const [after = []] = await ask([at(0.8)], sized(1, 5));
      const goodput = served(flood).length / SECONDS / peak;
      const usual = quantileOf(served(normal), 0.99);
      const slower = quantileOf(served(flood), 0.99) / usual;
      const toldMs = quantileOf(refused(flood), 0.99);
      figure(ROW, "goodput in the flood, of the peak", goodput.toFixed(2));
      figure(ROW, "99th percentile of those served, of the usual", slower.toFixed(2));
      figure(ROW, "refused ones answered in (99th percentile)", `${toldMs.toFixed(1)} ms`);
      figure(
        ROW,
        "refused otherwise than by 503 with Retry-After",
        `${unkind(flood).length} of ${refused(flood).length}`,
      );
      const backTo = quantileOf(served(after), 0.99) / usual;
      figure(ROW, "99th percentile in the 5 s behind it, of the usual", backTo.toFixed(2));
      const rude = unkind([...flood, ...after]).filter(({ ms }) => ms < UNDISTURBED_MS);
      assert.deepEqual(
        rude.map(({ status, ms }) => `${status} after ${ms.toFixed()} ms`),
        [],
      );
      for (const some of [served(flood), refused(flood), served(after)]) assert.ok(some.length > 0);
      if (!IS_LONG) return;
      assert.ok(goodput >= 0.85, `${goodput}`);
      assert.ok(slower <= 2, `${slower}`);
      assert.ok(toldMs < 50, `${toldMs} ms`);
      assert.ok(backTo <= 1.5, `${backTo}`);
    }));
});
