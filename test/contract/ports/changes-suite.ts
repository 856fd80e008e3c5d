/** What every implementation of the port `Changes` promises. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Change, Changes } from "../../../src/core/shared/changes.ts";

/** `arrived` resolves when what was published before has been told to everybody. */
export function describeChanges(name: string, open: () => { changes: Changes; arrived(): Promise<void> }): void {
  describe(`changes: ${name}`, () => {
    it("are told to everybody who watches, in order, also to whoever published them", async () => {
      const { changes, arrived } = open();
      const heard: [string, Change][] = [];
      for (const who of ["a", "b"]) changes.watch((change) => heard.push([who, change]));
      changes.publish("tools");
      changes.publish("keys");
      await arrived();
      const heardBy = (who: string) => heard.filter(([by]) => by === who).map(([, change]) => change);
      assert.deepEqual(
        [heardBy("a"), heardBy("b")],
        [
          ["tools", "keys"],
          ["tools", "keys"],
        ],
      );
    });

    it("are not told to whoever no longer watches, even if it leaves in the middle", async () => {
      const { changes, arrived } = open();
      const heard: string[] = [];
      const leave = changes.watch(() => {
        heard.push("once");
        leave();
      });
      changes.watch(() => heard.push("always"));
      changes.publish("links");
      changes.publish("links");
      await arrived();
      assert.deepEqual(heard.sort(), ["always", "always", "once"]);
    });
  });
}
