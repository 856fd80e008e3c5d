import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ALICE, BOB, makeCall, makeContext, makeSource, makeTool, watch } from "../../../test/support/make-call.ts";
import { makeError } from "../../../test/support/make-error.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { Call } from "../call.ts";
import { LocalAnswerCache } from "../shared/answer-cache.ts";
import { cache } from "./cache.ts";

describe("the cache", () => {
  it("keeps the answer for as long as policy says, and marks the call", async () => {
    const { read, context } = open();
    assert.equal(await read(), "answer 1");
    await context.clock.advance(59_999);
    const hit = makeCall();
    assert.equal(await read(hit), "answer 1");
    assert.equal(hit.trace.cached, true);
    await context.clock.advance(1);
    const miss = makeCall();
    assert.equal(await read(miss), "answer 2");
    assert.equal(miss.trace.cached, false);
  });

  it("keeps nothing of a tool that policy does not name", async () => {
    const { read } = open();
    for (const name of ["other", "constructor", "__proto__"]) {
      const tool = makeTool(name);
      assert.notEqual(await read(makeCall({ tool })), await read(makeCall({ tool })), name);
    }
  });

  const different: Readonly<Record<string, Partial<Call>>> = {
    principal: { principal: BOB },
    language: { language: "es" },
    arguments: { args: Payload.ofText('{"room":2}') },
    tool: { tool: makeTool("state2") },
  };
  for (const [what, change] of Object.entries(different)) {
    it(`never answers with what was asked by another ${what}`, async () => {
      const { read } = open();
      assert.equal(await read(makeCall({ principal: ALICE })), "answer 1");
      assert.equal(await read(makeCall(change)), "answer 2");
    });
  }

  it("gives nothing older than the caller accepts, and with 0 nothing kept at all", async () => {
    const { read, context } = open();
    await read();
    await context.clock.advance(10_000);
    assert.equal(await read(makeCall({ freshness: { maxAgeSeconds: 11 } })), "answer 1");
    assert.equal(await read(makeCall({ freshness: { maxAgeSeconds: 10 } })), "answer 2");
    assert.equal(await read(makeCall({ freshness: { maxAgeSeconds: 0 } })), "answer 3");
    assert.equal(await read(), "answer 3");
  });

  it("keeps no failure", async () => {
    const { step } = open();
    const failing = () => Promise.reject(makeError("SOURCE_UNAVAILABLE"));
    await assert.rejects(step(makeCall(), failing));
    assert.equal((await step(makeCall(), async () => Payload.ofValue("fine"))).value, "fine");
  });

  for (const [what, answer] of [
    ["result with isError", { isError: true }],
    ["answer of more than a million characters", "x".repeat(1_100_000)],
    ["answer that is too deep to be looked through", JSON.parse(`${"[".repeat(2_000)}${"]".repeat(2_000)}`)],
  ] as const) {
    it(`keeps no ${what}`, async () => {
      const { step } = open();
      await step(makeCall(), async () => Payload.ofValue(answer));
      assert.equal((await step(makeCall(), async () => Payload.ofValue("asked again"))).value, "asked again");
    });
  }

  it("forgets everything of one source, and of no other", async () => {
    const { read, context } = open();
    await read();
    context.cache.drop("hous");
    assert.equal(await read(), "answer 1");
    context.cache.drop("house");
    assert.equal(await read(), "answer 2");
  });

  it("neither keeps nor shares an answer that was under way when its source changed", async () => {
    const { step, context } = open();
    const old = Promise.withResolvers<Payload>();
    const before = step(makeCall(), () => old.promise);
    context.cache.drop("house");
    const after = step(makeCall(), async () => Payload.ofValue("new"));
    old.resolve(Payload.ofValue("old"));
    assert.deepEqual([(await before).value, (await after).value], ["old", "new"]);
    assert.equal((await step(makeCall(), async () => Payload.ofValue("none"))).value, "new");
  });
});

describe("identical reads in flight", () => {
  it("are one call, and tell nobody's progress to the others", async () => {
    const { step } = open();
    const shared = Promise.withResolvers<Payload>();
    const asked: Call[] = [];
    const next = (call: Call) => {
      asked.push(call);
      return shared.promise;
    };
    const reads = [1, 2, 3].map(() => step(makeCall({ onProgress: () => {} }), next));
    shared.resolve(Payload.ofValue("once"));
    assert.deepEqual(
      (await Promise.all(reads)).map(({ value }) => value),
      ["once", "once", "once"],
    );
    assert.equal(asked.length, 1);
    assert.equal(asked[0]?.onProgress, undefined);
  });

  it("go on when one of their callers leaves, and end with the last", async () => {
    const { step } = open();
    let inner: Call | undefined;
    const next = (call: Call) => {
      inner = call;
      return new Promise<Payload>(() => {});
    };
    const [first, second] = [makeCall(), makeCall()];
    const leaving = assert.rejects(step(first, next), { code: "CANCELLED" });
    const staying = watch(step(second, next));
    first.abort(new ZaguanError("CANCELLED"));
    await leaving;
    assert.deepEqual([staying.state, inner?.signal.aborted], ["pending", false]);
    second.abort(new ZaguanError("CANCELLED"));
    assert.equal(inner?.signal.aborted, true);
  });

  it("end for each caller at its own deadline", async () => {
    const { step, context } = open();
    const next = () => new Promise<Payload>(() => {});
    const patient = watch(step(makeCall({ deadlineAt: 30_000 }), next));
    const hasty = watch(step(makeCall({ deadlineAt: 500 }), next));
    await context.clock.advance(1_200);
    assert.deepEqual([patient.state, hasty.state], ["pending", "failed"]);
  });

  it("are not shared between principals", async () => {
    const { step } = open();
    let calls = 0;
    const next = async () => Payload.ofValue(++calls);
    await Promise.all([ALICE, BOB].map((principal) => step(makeCall({ principal }), next)));
    assert.equal(calls, 2);
  });
});

function open() {
  const policy = { repeatable: [], cacheSeconds: { lamp: 60, state2: 60 } };
  const context = makeContext({
    cache: new LocalAnswerCache(10_000_000),
    attached: () => ({ source: makeSource("house"), policy }),
  });
  const step = cache(context);
  let answers = 0;
  const read = async (call: Call = makeCall()) =>
    (await step(call, async () => Payload.ofValue(`answer ${++answers}`))).value;
  return { read, step, context };
}
