/** What counts as lost between a server and the hub in front of it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Check, Scenario } from "../conformance/judge.ts";
import { compare, passes, type Run } from "./compare.ts";

const OK: Check = { id: "asked", status: "SUCCESS" };
const BAD: Check = { id: "asked", status: "FAILURE", errorMessage: "was not asked" };

describe("a run through the hub beside one without it", () => {
  it("is in order when whatever passed directly passes, in up to twice the time", () => {
    assert.deepEqual(compare(run(10, scenario("ping", OK)), run(20, scenario("ping", OK)), 1), []);
  });

  it("loses a scenario that fails, with the suite's own words", () => {
    const complaints = compare(run(1, scenario("ping", OK)), run(1, scenario("ping", BAD)), 1);
    assert.deepEqual(complaints, ["through the hub: ping: asked: was not asked"]);
  });

  it("loses a scenario that never came to run", () => {
    assert.deepEqual(compare(run(1, scenario("ping", OK)), run(1), 1), ["through the hub: ping: did not run"]);
  });

  it("loses a scenario in which nothing was checked any more", () => {
    const formOnly = scenario("ping", { id: "wire-schema-valid", status: "SUCCESS" });
    const complaints = compare(run(1, scenario("ping", OK)), run(1, formOnly), 1);
    assert.deepEqual(complaints, ["through the hub: ping: nothing was checked"]);
  });

  it("loses an answer that the hub gives itself where the suite would take any", () => {
    const answered = (text: string): Scenario =>
      scenario("tools-call-error", { ...OK, id: "tools-call-error", details: { result: { content: [{ text }] } } });
    const complaints = compare(run(1, answered("broken on purpose")), run(1, answered("no such tool")), 1);
    assert.deepEqual(complaints, ["through the hub: tools-call-error: the answer is not the server's"]);
  });

  it("may fail where the server fails too", () => {
    const both = run(1, scenario("ping", OK), scenario("polling", BAD));
    assert.deepEqual(compare(both, both, 1), []);
    assert.equal(passes(both), 1);
  });

  it("proves nothing when the server passes fewer than it is known to", () => {
    const [first] = compare(run(1, scenario("ping", BAD)), run(1, scenario("ping", BAD)), 1);
    assert.equal(first, "directly 0 scenarios pass, not 1");
  });

  it("is too slow beyond twice the time, unless that is a matter of seconds", () => {
    const ping = scenario("ping", OK);
    assert.deepEqual(compare(run(2, ping), run(6.9, ping), 1), []);
    assert.deepEqual(compare(run(2, ping), run(7.1, ping), 1), ["7.1 s through the hub, 2.0 s directly"]);
    assert.deepEqual(compare(run(20, ping), run(41, ping), 1), ["41.0 s through the hub, 20.0 s directly"]);
  });
});

function run(seconds: number, ...scenarios: readonly Scenario[]): Run {
  return { seconds, scenarios };
}

function scenario(name: string, ...checks: readonly Check[]): Scenario {
  return { name, scored: true, ran: true, checks };
}
