import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeCaller } from "../../test/support/make-call.ts";
import { Payload } from "../protocol/json/payload.ts";
import type { Caller } from "./call.ts";
import { Callers, type Waiting } from "./callers.ts";

const { signal } = new AbortController();
let calls = 0;
const waiting = (caller: Caller | undefined, more: Partial<Waiting> = {}): Waiting => {
  const own = { id: ++calls, place: -1, leave: () => {} };
  return {
    ...own,
    source: "s",
    caller,
    principalId: "key:alice",
    signal,
    mayAsk: true,
    onNotification: undefined,
    ...more,
  };
};

describe("whom a source can ask", () => {
  it("is the one who waits for it, for as long as it waits", () => {
    const callers = new Callers();
    const alice = makeCaller();
    const calls = [waiting(alice), waiting(alice)];
    for (const call of calls) callers.enter(call);
    assert.equal(callers.only("s")?.caller, alice);
    assert.equal(callers.only("other"), undefined);
    for (const call of calls) callers.leave(call);
    assert.equal(callers.only("s"), undefined);
  });

  it("is nobody while several wait, whether they can be asked or not", () => {
    const callers = new Callers();
    const alice = makeCaller();
    callers.enter(waiting(alice));
    for (const other of [makeCaller(), undefined]) {
      const call = waiting(other);
      callers.enter(call);
      assert.equal(callers.only("s"), undefined);
      callers.leave(call);
      assert.equal(callers.only("s")?.caller, alice);
    }
  });

  it("is not kept from being asked by requests in which nothing is asked", () => {
    const callers = new Callers();
    const alice = makeCaller();
    callers.enter(waiting(alice));
    callers.enter(waiting(undefined, { mayAsk: false }));
    assert.equal(callers.only("s")?.caller, alice);
  });

  it("is, while nobody waits, the only one who stays with it, until it leaves", () => {
    const callers = new Callers();
    const alice = makeCaller();
    const leave = callers.join("s", alice, "key:alice");
    const found = callers.only("s");
    assert.equal(found?.caller, alice);
    const leaveToo = callers.join("s", makeCaller(), "key:bob");
    assert.equal(callers.only("s"), undefined);
    leaveToo();
    leave();
    assert.equal(found?.signal.aborted, true);
    assert.equal(callers.only("s"), undefined);
  });
});

describe("a call that was given up a moment ago", () => {
  it("keeps others from being asked what may be about it, for half a minute", () => {
    let now = 0;
    const callers = new Callers(() => now);
    const gone = new AbortController();
    const [alice, bob] = [makeCaller(), makeCaller()];
    const call = waiting(bob, { signal: gone.signal, principalId: "key:bob" });
    callers.enter(call);
    gone.abort();
    callers.leave(call);
    callers.enter(waiting(alice));
    assert.equal(callers.only("s"), undefined);
    now = 30_000;
    assert.equal(callers.only("s")?.caller, alice);
  });

  it("does not keep the same principal from being asked", () => {
    const callers = new Callers();
    const gone = new AbortController();
    const alice = makeCaller();
    const call = waiting(makeCaller(), { signal: gone.signal });
    callers.enter(call);
    gone.abort();
    callers.leave(call);
    callers.enter(waiting(alice));
    assert.equal(callers.only("s")?.caller, alice);
  });
});

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
