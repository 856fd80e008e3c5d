/** What every implementation of the port `SuspendedCalls` promises. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SuspendedCalls } from "../../../src/core/shared/suspended-calls.ts";

/** `openTwo` makes those of two doors. */
export function describeSuspendedCalls(
  name: string,
  openTwo: () => readonly [SuspendedCalls<object>, SuspendedCalls<object>],
): void {
  const open = (): SuspendedCalls<object> => openTwo()[0];
  describe(`suspended calls: ${name}`, () => {
    it("are found by their state, once, and only with the proof they were put with", () => {
      const calls = open();
      const call = {};
      const state = calls.put(call, "ann", "proof");
      assert.equal(calls.take(state, "another"), undefined);
      assert.equal(calls.take(`${state}x`, "proof"), undefined);
      assert.equal(calls.take(state, "proof"), call);
      assert.equal(calls.take(state, "proof"), undefined);
      assert.equal(calls.size, 0);
    });

    it("have states that cannot be guessed, and that are told from those of sources", () => {
      const calls = open();
      const states = Array.from({ length: 100 }, () => calls.put({}, "ann", ""));
      assert.equal(new Set(states).size, 100);
      assert.ok(
        states.every((state) => calls.isOurs(state) && Buffer.from(state.slice(-32), "base64url").length === 24),
      );
      assert.deepEqual([calls.isOurs("zaguan."), calls.isOurs("eyJhIjoxfQ")], [false, false]);
    });

    it("of another door are ours, too, and are not found there", () => {
      const [one, other] = openTwo();
      const state = one.put({}, "ann", "proof");
      assert.deepEqual([other.isOurs(state), other.take(state, "proof")], [true, undefined]);
    });

    it("are counted, in all and of each principal", () => {
      const calls = open();
      const [first] = [calls.put({}, "ann", ""), calls.put({}, "ann", ""), calls.put({}, "bob", "")];
      assert.deepEqual([calls.size, calls.countOf("ann"), calls.countOf("bob"), calls.countOf("eve")], [3, 2, 1, 0]);
      calls.drop(first);
      calls.drop(first);
      assert.deepEqual([calls.size, calls.countOf("ann"), [...calls.held()].length], [2, 1, 2]);
      assert.equal(calls.take(first, ""), undefined);
    });
  });
}
