import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeCaller } from "../../test/support/make-call.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { Caller } from "./call.ts";
import { Callers, type Waiting } from "./callers.ts";

let calls = 0;
const waiting = (caller: Caller | undefined, more: Partial<Waiting> = {}): Waiting => {
  const own = { id: ++calls, place: -1, leave: () => {} };
  return {
    ...own,
    source: "s",
    caller,
    principalId: "key:alice",
    onNotification: undefined,
    ...more,
  };
};

describe("what a source says without naming a request", () => {
  const heard = (callers: Callers): boolean => callers.tellWaiting("s", "notifications/message", Payload.ofText("{}"));

  it("is told to each client that waits, once", () => {
    const callers = new Callers();
    const told: string[] = [];
    const alice = makeCaller();
    for (const name of ["first", "second"]) callers.enter(waiting(alice, { onNotification: () => told.push(name) }));
    callers.enter(waiting(undefined, { onNotification: () => told.push("other") }));
    assert.equal(heard(callers), true);
    assert.deepEqual(told, ["second", "other"]);
  });

  it("is told to nobody while several principals wait, and left to others while nobody does", () => {
    const callers = new Callers();
    assert.equal(heard(callers), false);
    const onNotification = (): void => assert.fail("told");
    callers.enter(waiting(makeCaller(), { onNotification }));
    callers.enter(waiting(makeCaller(), { onNotification, principalId: "key:bob" }));
    assert.equal(heard(callers), true);
  });
});

describe("a source that is gone for good", () => {
  it("leaves the calls that are still on their way to it where they can be counted and ended", () => {
    const callers = new Callers();
    const last = waiting(makeCaller());
    callers.enter(last);
    callers.forget("s");
    assert.deepEqual([callers.waiting, callers.allWaiting()], [1, [last]]);
    callers.leave(last);
    callers.forget("s");
    assert.equal(callers.waiting, 0);
  });
});
