import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CallRow } from "../../../doors/live/views.ts";
import { type CallFilter, filterIn, grown, isSame, matcherOf, NO_FILTER, queryOf } from "./filter.ts";

const ROW: CallRow = {
  id: 1,
  startedUtc: "2030-01-01T00:00:00.000Z",
  door: "mcp",
  principal: "local",
  tool: "lamp",
  source: "house",
  priority: "MEDIUM",
  state: "ended",
  queuedMs: 0,
  ms: 1,
  outcome: "ok",
  cached: false,
  attempts: 1,
};
const textOf = ({ tool, source, door }: CallRow): string => `${tool} ${source} ${door}`;
const fits = (filter: Partial<CallFilter>, row: Partial<CallRow> = {}): boolean =>
  matcherOf({ ...NO_FILTER, ...filter }, textOf)({ ...ROW, ...row });

describe("the filter of calls", () => {
  it("lets everything pass where nothing is asked for", () => assert.ok(fits({})));

  it("wants every word somewhere, in any case", () => {
    assert.ok(fits({ search: "LAMP hou" }));
    assert.ok(fits({ search: "  mcp " }));
    assert.ok(!fits({ search: "lamp garden" }));
  });

  it("knows states, sources and outcomes", () => {
    assert.ok(fits({ state: "ended" }));
    assert.ok(!fits({ state: "running" }));
    assert.ok(!fits({ source: "garden" }));
    assert.ok(fits({ outcome: "ok" }));
    assert.ok(!fits({ outcome: "CANCELLED" }));
    assert.ok(fits({ outcome: "CANCELLED" }, { outcome: "CANCELLED" }));
  });

  it("calls failed what ended in any other way than well", () => {
    assert.ok(!fits({ outcome: "failed" }));
    assert.ok(fits({ outcome: "failed" }, { outcome: "tool-failed" }));
    assert.ok(fits({ outcome: "failed" }, { outcome: "SOURCE_ERROR" }));
    assert.ok(!fits({ outcome: "failed" }, { outcome: null, state: "running" }));
  });

  it("stands in the address as it is", () => {
    const filter = { search: "a b&c", state: "ended", outcome: "failed", source: "my house" };
    assert.deepEqual(filterIn(new URLSearchParams(queryOf(filter))), filter);
    assert.equal(queryOf(NO_FILTER), "");
    assert.equal(queryOf({ ...NO_FILTER, search: "x" }), "?search=x");
  });

  it("takes no state from the address that there is not", () => {
    assert.equal(filterIn(new URLSearchParams("state=gone&search=x")).state, "");
  });

  it("can be compared", () => {
    assert.ok(isSame(NO_FILTER, { ...NO_FILTER }));
    assert.ok(!isSame(NO_FILTER, { ...NO_FILTER, source: "house" }));
  });
});

describe("what there is to choose from", () => {
  it("grows, in order, and is the same where nothing is new", () => {
    const two = grown(["b"], ["a", null, "b", ""]);
    assert.deepEqual(two, ["a", "b"]);
    assert.equal(grown(two, ["a"]), two);
  });
});
