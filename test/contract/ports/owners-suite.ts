/** What every implementation of the port `Owners` promises. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Owners } from "../../../src/core/shared/owners.ts";

/** `open` makes those of as many processes as there may be, when each source has found its owner. */
export function describeOwners(name: string, open: (sources: readonly string[]) => Promise<readonly Owners[]>): void {
  describe(`owners: ${name}`, () => {
    it("hold every source once", async () => {
      const sources = ["house", "lamp", "door"];
      const processes = await open(sources);
      for (const source of sources) {
        assert.equal(processes.filter((owners) => owners.isOurs(source)).length, 1, source);
      }
    });

    it("can be watched, and left", async () => {
      for (const owners of await open([])) owners.watch(() => assert.fail("nothing has changed"))();
    });
  });
}
