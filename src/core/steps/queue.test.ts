import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ALICE, BOB, makeCall, makeContext, makeSource, makeTool, watch } from "../../../test/support/make-call.ts";
import { makeError } from "../../../test/support/make-error.ts";
import { DEFAULT_LIMITS } from "../../contract/limits.ts";
import { PRIORITIES } from "../../contract/rules.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { Call } from "../call.ts";
import { queue } from "./queue.ts";

describe("the queue of a source", () => {
  it("lets as many run as the source takes at once, and the next when one is done", async () => {
    const { enter, running, finish } = open({ concurrency: 2 });
    for (const name of ["a", "b", "c"]) enter(name);
    assert.deepEqual(running, ["a", "b"]);
    await finish("a");
    assert.deepEqual(running, ["b", "c"]);
  });

  it("goes on after a call that failed", async () => {
    const { enter, running, finish } = open();
    const failed = enter("a");
    enter("b");
    await finish("a", makeError("SOURCE_ERROR"));
    assert.deepEqual([failed.state, running], ["failed", ["b"]]);
  });

  it("keeps one source's crowd out of another's way", () => {
    const { enter, running } = open();
    enter("a");
    enter("b");
    enter("c", { source: "tv" });
    assert.deepEqual(running, ["a", "c"]);
  });

  it("serves the classes 8:4:2:1 and starves none", async () => {
    const { enter, running, finish } = open({ queueLength: 100 });
    enter("first");
    for (const priority of [...PRIORITIES].reverse())
      for (let n = 0; n < 15; n++) enter(`${priority}-${n}`, { priority });
    const served: Record<string, number> = {};
    for (let n = 0; n < 15; n++) {
      await finish(running[0] as string);
      const [kind = ""] = (running[0] as string).split("-");
      served[kind] = (served[kind] ?? 0) + 1;
    }
    assert.deepEqual(served, { HIGH: 8, MEDIUM: 4, LOW: 2, BULK: 1 });
  });

  it("lets principals of one class take turns", async () => {
    const { enter, running, finish } = open();
    enter("first");
    for (const name of ["a1", "a2", "a3"]) enter(name, { principal: ALICE });
    enter("b1", { principal: BOB });
    const order: string[] = [];
    for (let n = 0; n < 4; n++) {
      await finish(running[0] as string);
      order.push(running[0] as string);
    }
    assert.deepEqual(order, ["a1", "b1", "a2", "a3"]);
  });

  it("measures how long a call waited", async () => {
    const { enter, finish, context } = open();
    enter("a");
    const call = makeCall({ tool: makeTool("b") });
    enter("b", call);
    await context.clock.advance(1_234);
    await finish("a");
    assert.equal(call.trace.queuedMs, 1_234);
  });
});

describe("a call that waits", () => {
  it("is dropped when its caller leaves, and its place is free", async () => {
    const { enter, running, finish } = open({ queueLength: 1 });
    enter("a");
    const call = makeCall({ tool: makeTool("b") });
    const left = enter("b", call);
    const reason = new ZaguanError("CANCELLED");
    call.abort(reason);
    await turn();
    assert.equal(left.error, reason);
    enter("c");
    await finish("a");
    assert.deepEqual(running, ["c"]);
  });

  it("that has waited too long provably never ran", async () => {
    const { enter, context } = open();
    enter("a");
    const call = makeCall({ tool: makeTool("b") });
    const late = enter("b", call);
    await context.clock.advance(5_000);
    call.abort(makeError("DEADLINE_EXCEEDED", { delivery: "unknown" }));
    await turn();
    const error = late.error as ZaguanError;
    assert.deepEqual([error.code, error.delivery], ["QUEUE_TIMEOUT", "not_sent"]);
    assert.deepEqual(error.details.params, { source: "house", seconds: 5 });
  });

  it("whose caller has left before does not even wait", async () => {
    const { enter, running, finish } = open();
    enter("a");
    const call = makeCall({ tool: makeTool("b") });
    call.abort(new ZaguanError("CANCELLED"));
    const left = enter("b", call);
    await finish("a");
    assert.deepEqual([left.state, running], ["failed", []]);
  });
});

describe("a full queue", () => {
  it("refuses the next with its length and an estimate from how long calls took", async () => {
    const { enter, finish, context } = open({ queueLength: 2 });
    enter("a");
    await context.clock.advance(4_000);
    await finish("a");
    for (const name of ["b", "c", "d"]) enter(name);
    const refused = enter("e");
    await turn();
    const error = refused.error as ZaguanError;
    assert.deepEqual([error.code, error.delivery], ["NO_CAPACITY", "not_sent"]);
    assert.deepEqual(error.details.data, { queue_size: 2, estimated_wait_ms: 8_000 });
    assert.equal(error.details.retryAfterMs, 9_000);
    assert.deepEqual(error.details.params, { source: "house", waiting: 2, seconds: 8 });
  });

  it("says at least a second while nothing is known", async () => {
    const { enter } = open({ queueLength: 0 });
    enter("a");
    const refused = enter("b");
    await turn();
    assert.equal((refused.error as ZaguanError).details.retryAfterMs, 1_125);
  });
});

/** Calls by the names of their tools: who runs, in which order, and a way to let each end. */
function open({ concurrency = 1, queueLength = 10 } = {}) {
  const sources = { house: makeSource("house", { concurrency }), tv: makeSource("tv") };
  const context = makeContext({
    limits: () => ({ ...DEFAULT_LIMITS, queueLength }),
    attached: (name) => ({ source: sources[name as "tv"], policy: { repeatable: [], cacheSeconds: {} } }),
  });
  const step = queue(context);
  const running: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<Payload>>();
  const next = (call: Call) => {
    running.push(call.name);
    const end = Promise.withResolvers<Payload>();
    ends.set(call.name, end);
    return end.promise;
  };
  const enter = (name: string, overrides: Partial<Call> = {}) =>
    watch(step(makeCall({ tool: makeTool(name), ...overrides }), next));
  const finish = async (name: string, error?: ZaguanError) => {
    running.splice(running.indexOf(name), 1);
    if (error) ends.get(name)?.reject(error);
    else ends.get(name)?.resolve(Payload.ofText("{}"));
    await turn();
  };
  return { enter, running, finish, context };
}
