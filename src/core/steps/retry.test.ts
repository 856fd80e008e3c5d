import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type FakeContext,
  makeCall,
  makeContext,
  makeSource,
  makeTool,
  watch,
} from "../../../test/support/make-call.ts";
import { makeError } from "../../../test/support/make-error.ts";
import { type ErrorCode, type ErrorDetails, ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";
import type { Call } from "../call.ts";
import type { SourceState } from "../events.ts";
import { retry } from "./retry.ts";

const READ_ONLY = makeTool("lamp", { annotations: { readOnlyHint: true } });
const IDEMPOTENT = makeTool("lamp", { annotations: { idempotentHint: true } });
const UNKNOWN = { delivery: "unknown" } as const;
const NOT_SENT = { delivery: "not_sent" } as const;

describe("which calls are tried again", () => {
  const plain = makeTool("lamp");
  const cases: readonly (readonly [what: string, tries: number, ErrorCode, ErrorDetails, Situation?])[] = [
    ["what provably never left", 3, "SOURCE_UNAVAILABLE", NOT_SENT],
    ["what never left and would fail again", 1, "INVALID_ARGUMENT", NOT_SENT],
    ["what may have run", 1, "OUTCOME_UNKNOWN", UNKNOWN],
    ["what may have run, unavailable or not", 1, "SOURCE_UNAVAILABLE", UNKNOWN],
    ["what has run", 1, "SOURCE_ERROR", { delivery: "executed" }],
    ["what nobody expected", 1, "INTERNAL", {}],
    ["a read-only tool of an untrusted source", 1, "OUTCOME_UNKNOWN", UNKNOWN, { tool: READ_ONLY }],
    ["an idempotent tool of an untrusted source", 1, "OUTCOME_UNKNOWN", UNKNOWN, { tool: IDEMPOTENT }],
    ["a read-only tool of a trusted source", 3, "OUTCOME_UNKNOWN", UNKNOWN, { tool: READ_ONLY, trusted: true }],
    ["an idempotent tool of a trusted source", 3, "OUTCOME_UNKNOWN", UNKNOWN, { tool: IDEMPOTENT, trusted: true }],
    ["any other tool of a trusted source", 1, "OUTCOME_UNKNOWN", UNKNOWN, { tool: plain, trusted: true }],
    ["a tool that policy calls repeatable", 3, "OUTCOME_UNKNOWN", UNKNOWN, { repeatable: ["lamp"] }],
    ["a tool beside one that policy calls repeatable", 1, "OUTCOME_UNKNOWN", UNKNOWN, { repeatable: ["lam", "lamps"] }],
    ["a repeatable tool whose time ran out", 1, "DEADLINE_EXCEEDED", UNKNOWN, { repeatable: ["lamp"] }],
  ];
  for (const [what, tries, code, details, situation] of cases) {
    it(`${what}: ${tries === 1 ? "never" : "three attempts in all"}`, async () => {
      const { run, attempts, context } = open(situation);
      const failure = makeError(code, details);
      const outcome = watch(run(() => Promise.reject(failure)));
      await context.clock.advance(20_000);
      assert.deepEqual([outcome.error, attempts()], [failure, tries]);
    });
  }
});

describe("trying again", () => {
  it("answers as soon as an attempt succeeds, and tells of each further one", async () => {
    const { run, context, call } = open();
    let fails = 1;
    const outcome = watch(run(async () => (fails-- > 0 ? never() : Payload.ofValue("at last"))));
    await context.clock.advance(5_000);
    assert.equal(outcome.value?.value, "at last");
    assert.equal(call.trace.attempts, 2);
    assert.deepEqual(
      context.events.map((event) => event.type === "call-retried" && event.attempt),
      [2],
    );
  });

  it("waits exponentially longer, each time at random within that", async () => {
    const delays = [];
    for (const random of [0, 0.5, 0.999]) {
      const { run, context } = open({ random });
      watch(run(never));
      await context.clock.advance(5_000);
      delays.push(context.events.map((event) => (event.type === "call-retried" ? Math.round(event.delayMs) : -1)));
    }
    assert.deepEqual(delays[0], [0, 0]);
    const [first = 0, second = 0] = delays[1] ?? [];
    assert.equal(second, first * 2);
    assert.ok((delays[2]?.[0] ?? 0) > first && (delays[2]?.[0] ?? 0) <= first * 2);
  });

  it("waits at least as long as the source asked for", async () => {
    const { run, attempts, context } = open();
    watch(run(() => never({ retryAfterMs: 7_000 })));
    await context.clock.advance(6_999);
    assert.equal(attempts(), 1);
    await context.clock.advance(1);
    assert.equal(attempts(), 2);
  });

  it("is not begun where the source is known to keep failing", async () => {
    const { run, attempts, context } = open({ state: "broken" });
    const outcome = watch(run(never));
    await context.clock.advance(0);
    assert.deepEqual([outcome.state, attempts(), context.clock.pending], ["failed", 1, 0]);
  });

  it("is not begun where the deadline would come first", async () => {
    const { run, attempts, context } = open();
    const outcome = watch(run(() => never({ retryAfterMs: 30_000 })));
    await context.clock.advance(0);
    assert.deepEqual([outcome.state, attempts(), context.clock.pending], ["failed", 1, 0]);
  });

  it("ends at once when the caller leaves", async () => {
    const { run, attempts, context, call } = open();
    const outcome = watch(run(never));
    await context.clock.advance(0);
    const reason = new ZaguanError("CANCELLED");
    call.abort(reason);
    await context.clock.advance(5_000);
    assert.ok(outcome.error instanceof ZaguanError);
    assert.deepEqual([outcome.error.code, outcome.error.delivery], ["CANCELLED", "not_sent"]);
    assert.deepEqual([attempts(), context.clock.pending], [1, 0]);
  });

  it("the last failure is the one that is told", async () => {
    const { run, context } = open();
    const failures = [1, 2, 3].map((n) => makeError("SOURCE_UNAVAILABLE", { ...NOT_SENT, params: { n } }));
    let n = 0;
    const outcome = watch(run(() => Promise.reject(failures[n++])));
    await context.clock.advance(5_000);
    assert.equal(outcome.error, failures[2]);
  });
});

interface Situation {
  readonly tool?: Call["tool"];
  readonly trusted?: boolean;
  readonly repeatable?: readonly string[];
  readonly random?: number;
  readonly state?: SourceState;
}

function open(situation: Situation = {}) {
  const { tool = makeTool("lamp"), trusted = false, repeatable = [], random = 0.5, state = "ready" } = situation;
  const source = makeSource("house", { trusted, status: () => ({ state, restarts: 0, log: [] }) });
  const context: FakeContext = makeContext({
    random: () => random,
    attached: () => ({ source, policy: { repeatable, cacheSeconds: {} } }),
  });
  const call = makeCall({ tool });
  let attempts = 0;
  const run = (next: () => Promise<Payload>) =>
    retry(context)(call, () => {
      attempts++;
      return next();
    });
  return { run, attempts: () => attempts, context, call };
}

function never(details: ErrorDetails = {}): Promise<Payload> {
  return Promise.reject(makeError("SOURCE_UNAVAILABLE", { ...NOT_SENT, ...details }));
}
