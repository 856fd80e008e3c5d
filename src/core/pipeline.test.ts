import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ALICE, makeCall, makeContext, makeSource, makeTool } from "../../test/support/make-call.ts";
import { makeError } from "../../test/support/make-error.ts";
import { DEFAULT_LIMITS } from "../contract/limits.ts";
import type { ZaguanError } from "../errors.ts";
import { Payload } from "../protocol/json/payload.ts";
import { buildPipeline, STEPS } from "./pipeline.ts";
import { authorize } from "./steps/authorize.ts";
import { cache } from "./steps/cache.ts";
import { deadline } from "./steps/deadline.ts";
import { dispatch } from "./steps/dispatch.ts";
import { queue } from "./steps/queue.ts";
import { rateLimit } from "./steps/rate-limit.ts";
import { retry } from "./steps/retry.ts";
import { validate } from "./steps/validate.ts";

describe("what happens to a call", () => {
  it("happens in this order", () => {
    assert.deepEqual(STEPS, [authorize, validate, rateLimit, cache, deadline, queue, retry, dispatch]);
  });

  it("ends at the source, with the source's own answer", async () => {
    const answer = Payload.ofText('{"content":[]}');
    const { context, asked } = around(async () => answer);
    assert.equal(await buildPipeline(context)(makeCall()), answer);
    assert.deepEqual(asked, ["lamp"]);
    assert.equal(context.clock.pending, 0);
  });

  it("a call that is not allowed costs nothing: not even a token of its rate", async () => {
    const { context, asked } = around(async () => Payload.ofText("{}"), 1);
    const run = buildPipeline(context);
    await assert.rejects(run(makeCall({ principal: { ...ALICE, allow: [] } })), { code: "UNKNOWN_TOOL" });
    await assert.rejects(run(makeCall({ tool: makeTool("lamp", { inputSchema: { required: ["on"] } }) })), {
      code: "INVALID_ARGUMENT",
    });
    await run(makeCall());
    await assert.rejects(run(makeCall()), { code: "RATE_LIMITED" });
    assert.deepEqual(asked, ["lamp"]);
  });

  it("waiting in the queue counts towards the deadline, and such a call never ran", async () => {
    const { context, asked } = around(() => new Promise(() => {}));
    const run = buildPipeline(context);
    const first = assert.rejects(run(makeCall()), { code: "DEADLINE_EXCEEDED" });
    const second = assert.rejects(run(makeCall({ deadlineAt: 5_000 })), (error: ZaguanError) => {
      assert.deepEqual([error.code, error.delivery], ["QUEUE_TIMEOUT", "not_sent"]);
      return true;
    });
    await context.clock.advance(5_000);
    await second;
    await context.clock.advance(30_000);
    await first;
    assert.equal(asked.length, 1);
  });

  it("trying again happens inside the slot: whoever waits goes on waiting", async () => {
    const order: string[] = [];
    const { context } = around(async (name) => {
      order.push(name);
      if (order.length === 1) throw makeError("SOURCE_UNAVAILABLE", { delivery: "not_sent" });
      return Payload.ofText("{}");
    });
    const run = buildPipeline(context);
    const both = Promise.all([run(makeCall()), run(makeCall({ tool: makeTool("alarm") }))]);
    await context.clock.advance(1_000);
    await both;
    assert.deepEqual(order, ["lamp", "lamp", "alarm"]);
  });
});

function around(answer: (name: string) => Promise<Payload>, callsPerMinute = 0) {
  const asked: string[] = [];
  const source = makeSource("house", {
    request: ({ name }) => {
      asked.push(name);
      return answer(name);
    },
  });
  const context = makeContext({
    limits: () => ({ ...DEFAULT_LIMITS, callsPerMinute }),
    attached: () => ({ source, policy: { repeatable: [], cacheSeconds: {} } }),
  });
  return { context, asked };
}
