import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeCall, makeContext, watch } from "../../../test/support/make-call.ts";
import { makeError } from "../../../test/support/make-error.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { Call } from "../call.ts";
import { deadline } from "./deadline.ts";

describe("the deadline", () => {
  it("leaves an answer in time alone, and no timer behind", async () => {
    const context = makeContext();
    const answer = Payload.ofText("{}");
    assert.equal(await deadline(context)(makeCall(), async () => answer), answer);
    await assert.rejects(deadline(context)(makeCall(), () => Promise.reject(new ZaguanError("CANCELLED"))));
    assert.equal(context.clock.pending, 0);
  });

  it("tells those below when the time is over", async () => {
    const context = makeContext();
    const call = makeCall();
    const outcome = watch(deadline(context)(call, untilAborted));
    await context.clock.advance(29_999);
    assert.deepEqual([outcome.state, call.signal.aborted], ["pending", false]);
    await context.clock.advance(1);
    assert.equal(call.signal.aborted, true);
    const error = outcome.error as ZaguanError;
    assert.deepEqual([error.code, error.delivery], ["DEADLINE_EXCEEDED", "unknown"]);
    assert.deepEqual(error.details.params, { source: "house", seconds: 30 });
    assert.equal(context.clock.pending, 0);
  });

  it("lets those below say more precisely what happened", async () => {
    const context = makeContext();
    const precise = makeError("QUEUE_TIMEOUT", { delivery: "not_sent" });
    const outcome = watch(deadline(context)(makeCall(), (call) => untilAborted(call, precise)));
    await context.clock.advance(30_000);
    assert.equal(outcome.error, precise);
  });

  it("does not wait long for a source that ignores the end", async () => {
    const context = makeContext();
    const outcome = watch(deadline(context)(makeCall(), () => new Promise(() => {})));
    await context.clock.advance(30_000);
    assert.equal(outcome.state, "pending");
    await context.clock.advance(1_000);
    assert.equal((outcome.error as ZaguanError).code, "DEADLINE_EXCEEDED");
  });

  it("counts from when the call began, not from when it came here", async () => {
    const context = makeContext();
    await context.clock.advance(29_000);
    const outcome = watch(deadline(context)(makeCall(), untilAborted));
    await context.clock.advance(1_000);
    assert.equal(outcome.state, "failed");
  });
});

/** Rejects as soon as the call is ended, with the reason or a better one. */
function untilAborted(call: Call, error?: unknown): Promise<Payload> {
  return new Promise((_, reject) => {
    call.signal.addEventListener("abort", () => reject(error ?? call.signal.reason));
  });
}
