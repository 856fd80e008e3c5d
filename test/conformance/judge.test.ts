/** The judge of conformance runs complains when it should, and only then. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Check, judge, type Scenario, table } from "./judge.ts";
import { requiredScenarios } from "./results.ts";

const ok: Check = { id: "fine", status: "SUCCESS" };
const bad: Check = { id: "wrong", status: "FAILURE", errorMessage: "not so" };

function scenario(checks: readonly Check[], more: Partial<Scenario> = {}): Scenario {
  return { name: "ping", scored: true, ran: true, checks, ...more };
}

function complaints(one: Scenario, expected: Readonly<Record<string, string>> = {}): readonly string[] {
  return judge([one], expected).complaints;
}

describe("the judge", () => {
  it("is content with success, warnings included", () => {
    assert.deepEqual(complaints(scenario([ok, { id: "should", status: "WARNING" }])), []);
  });

  it("names every failed check that nobody expected", () => {
    assert.deepEqual(complaints(scenario([ok, bad, bad])), ["ping: wrong: not so", "ping: wrong: not so"]);
  });

  it("takes a failure that is expected", () => {
    assert.deepEqual(complaints(scenario([ok, bad]), { ping: "a reason" }), []);
  });

  it("complains of an expectation that is stale, or of nothing that exists", () => {
    assert.match(complaints(scenario([ok]), { ping: "a reason" }).join(), /^ping: expected to fail, but it passes/);
    assert.match(complaints(scenario([ok]), { pong: "a reason" }).join(), /^pong: .* no such scenario/);
  });

  it("does not take silence for success", () => {
    assert.deepEqual(complaints(scenario([{ id: "info", status: "INFO" }])), ["ping: nothing was checked"]);
    assert.deepEqual(complaints(scenario([{ ...ok, id: "wire-schema-valid" }])), ["ping: nothing was checked"]);
    assert.deepEqual(complaints(scenario([], { ran: false })), ["ping: did not run"]);
  });

  it("does not take another answer for the fixture's", () => {
    const name = "tools-call-simple-text";
    const saying = (text: string): Scenario => scenario([{ ...ok, details: { result: { text } } }], { name });
    assert.deepEqual(complaints(saying("This is a simple text response for testing.")), []);
    assert.deepEqual(complaints(saying("Tool not found")), [`${name}: the answer is not the fixture's`]);
  });

  it("counts scored scenarios only", () => {
    const { summary } = judge([scenario([ok]), scenario([bad]), scenario([ok], { scored: false })], {});
    assert.match(summary, /^1\/2 scored scenarios pass; 2 checks passed, 1 failed/);
  });
});

it("the table marks what failed", () => {
  const [, first, second] = table([scenario([ok]), scenario([ok, bad], { scored: false })]).split("\n");
  assert.match(first ?? "", /^✓ ping +1 +0 +0$/);
  assert.match(second ?? "", /^✗ ping +1 +1 +0 {2}not scored$/);
});

it("the suite's requirements name what is scored and what only runs, for either leg", () => {
  const yaml = `server: [a]\nclient: [b]\nnot_scored:\n  - {scenario: c, leg: server}\n  - {scenario: d, leg: client}\n`;
  assert.deepEqual(Object.fromEntries(requiredScenarios(yaml, "server")), { a: true, c: false });
  assert.deepEqual(Object.fromEntries(requiredScenarios(yaml, "client")), { b: true, d: false });
});
