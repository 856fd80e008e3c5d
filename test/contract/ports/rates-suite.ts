/** What every implementation of the port `Rates` promises, however many processes share it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Rates } from "../../../src/core/shared/rates.ts";

/** `open` makes one with this limit, read at every call. */
export function describeRates(name: string, open: (callsPerMinute: () => number) => Rates): void {
  describe(`rates: ${name}`, () => {
    it("let everything pass where there is no limit", () => {
      const rates = open(() => 0);
      for (let n = 0; n < 1_000; n++) assert.equal(rates.take("ann", 0), 0);
    });

    it("let a burst of a quarter minute pass and tell how long to wait, which is enough", () => {
      const rates = open(() => 60);
      for (let n = 0; n < 15; n++) assert.equal(rates.take("ann", 1_000), 0);
      const waitMs = rates.take("ann", 1_000);
      assert.ok(waitMs > 0 && waitMs <= 1_000, `${waitMs}`);
      assert.equal(rates.take("ann", 1_000 + waitMs), 0);
    });

    it("count each principal apart", () => {
      const rates = open(() => 1);
      assert.equal(rates.take("ann", 0), 0);
      assert.notEqual(rates.take("ann", 0), 0);
      assert.equal(rates.take("bob", 0), 0);
    });

    it("follow a limit that changes", () => {
      let perMinute = 1;
      const rates = open(() => perMinute);
      rates.take("ann", 0);
      assert.notEqual(rates.take("ann", 0), 0);
      perMinute = 0;
      assert.equal(rates.take("ann", 0), 0);
    });
  });
}
