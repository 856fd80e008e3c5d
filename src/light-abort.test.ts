/** A LightAbort does for its listeners what the platform's AbortController does. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { anyOf, asAbortSignal, LightAbort } from "./light-abort.ts";

describe("a LightAbort", () => {
  it("is not aborted until somebody does it, and then for good, with the first reason", () => {
    const stop = new LightAbort();
    assert.deepEqual([stop.aborted, stop.reason], [false, undefined]);
    stop.abort("first");
    stop.abort("second");
    assert.deepEqual([stop.aborted, stop.reason], [true, "first"]);
  });

  it("has a reason even if none was given", () => {
    const stop = new LightAbort();
    stop.abort();
    assert.ok(stop.reason instanceof Error);
  });

  it("tells every listener once, in their order", () => {
    const stop = new LightAbort();
    const told: number[] = [];
    for (const each of [1, 2, 3]) stop.addEventListener("abort", () => told.push(each));
    stop.abort();
    stop.abort();
    assert.deepEqual(told, [1, 2, 3]);
  });

  it("does not tell who listens no more, nor the same listener twice", () => {
    const stop = new LightAbort();
    const told: string[] = [];
    const [first, second, third] = ["first", "second", "third"].map((name) => () => told.push(name));
    for (const listener of [first, first, second, third, third]) stop.addEventListener("abort", listener as () => void);
    stop.removeEventListener("abort", first as () => void);
    stop.removeEventListener("abort", first as () => void);
    stop.addEventListener("abort", first as () => void);
    stop.removeEventListener("abort", second as () => void);
    stop.abort();
    assert.deepEqual(told, ["third", "first"]);
  });

  it("does not call who comes too late", () => {
    const stop = new LightAbort();
    stop.abort();
    stop.addEventListener("abort", () => assert.fail("too late"));
  });

  it("is a signal of the platform where one is needed", () => {
    const stop = new LightAbort();
    const signal = asAbortSignal(stop);
    assert.equal(signal, stop.asAbortSignal());
    assert.equal(signal.aborted, false);
    stop.abort("why");
    assert.deepEqual([signal.aborted, signal.reason], [true, "why"]);
    const late = new LightAbort();
    late.abort("before");
    assert.equal(asAbortSignal(late).reason, "before");
    const own = new AbortController().signal;
    assert.equal(asAbortSignal(own), own);
  });
});

describe("anyOf", () => {
  it("is aborted as soon as one is, of whichever kind", () => {
    for (const index of [0, 1]) {
      const all = [new LightAbort(), new AbortController()] as const;
      const any = anyOf(all[0], all[1].signal);
      assert.equal(any.aborted, false);
      all[index]?.abort("why");
      assert.deepEqual([any.aborted, any.reason], [true, "why"]);
    }
  });
});
