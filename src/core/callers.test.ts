import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Caller } from "./call.ts";
import { Callers } from "./callers.ts";

const { signal } = new AbortController();
const caller = (): Caller => ({ canBeAsked: true, request: () => Promise.reject(new Error("unused")) });

describe("whom a source can ask", () => {
  it("is the one who waits for it, for as long as it waits", () => {
    const callers = new Callers();
    const alice = caller();
    const leave = [callers.enter("s", alice, signal), callers.enter("s", alice, signal)];
    assert.equal(callers.only("s")?.caller, alice);
    assert.equal(callers.only("other"), undefined);
    for (const each of leave) each();
    assert.equal(callers.only("s"), undefined);
  });

  it("is nobody while several wait, whether they can be asked or not", () => {
    const callers = new Callers();
    const alice = caller();
    callers.enter("s", alice, signal);
    for (const other of [caller(), undefined]) {
      const leave = callers.enter("s", other, signal);
      assert.equal(callers.only("s"), undefined);
      leave();
      assert.equal(callers.only("s")?.caller, alice);
    }
  });
});
