import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ALICE, BOB, makeCall, makeContext } from "../../../test/support/make-call.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { Principal } from "../call.ts";
import { LocalRates } from "../shared/rates.ts";
import { rateLimit } from "./rate-limit.ts";

describe("the rate limit", () => {
  it("is none by default", async () => {
    const { call } = open(0);
    for (let n = 0; n < 1_000; n++) assert.equal(await call(), "passed");
  });

  it("lets a burst of a quarter minute pass, refuses the next and tells when to come back", async () => {
    const { call } = open(60);
    for (let n = 0; n < 15; n++) assert.equal(await call(), "passed");
    const refusal = await call();
    assert.ok(refusal instanceof ZaguanError);
    assert.deepEqual([refusal.code, refusal.delivery], ["RATE_LIMITED", "not_sent"]);
    assert.deepEqual([refusal.details.params, refusal.details.retryAfterMs], [{ seconds: 1 }, 1_000]);
  });

  it("serves who waits as long as it was told", async () => {
    const { call, context } = open(7);
    while ((await call()) === "passed");
    const refusal = (await call()) as ZaguanError;
    await context.clock.advance(refusal.details.retryAfterMs ?? 0);
    assert.equal(await call(), "passed");
  });

  it("counts each principal apart", async () => {
    const { call } = open(1);
    assert.equal(await call(ALICE), "passed");
    assert.notEqual(await call(ALICE), "passed");
    assert.equal(await call(BOB), "passed");
  });

  it("counts an agent with whoever acts as it, and by itself where it comes with its own key", async () => {
    const { call } = open(1);
    const agent: Principal = { id: "agent:ana", kind: "agent", name: "ana" };
    assert.equal(await call({ ...agent, account: ALICE.id }), "passed");
    assert.notEqual(await call(ALICE), "passed");
    assert.notEqual(await call({ ...agent, id: "agent:bea", account: ALICE.id }), "passed");
    assert.equal(await call(agent), "passed");
  });

  it("follows the configuration from one call to the next", async () => {
    const { call, settings } = open(1);
    await call();
    assert.notEqual(await call(), "passed");
    settings.callsPerMinute = 0;
    assert.equal(await call(), "passed");
  });
});

function open(callsPerMinute: number) {
  const settings = { callsPerMinute };
  const context = makeContext({ rates: new LocalRates(() => settings.callsPerMinute) });
  const step = rateLimit(context);
  const passed = Payload.ofValue("passed");
  const call = (principal: Principal = ALICE): Promise<unknown> =>
    step(makeCall({ principal }), async () => passed).then(
      ({ value }) => value,
      (error) => error,
    );
  return { call, context, settings };
}
