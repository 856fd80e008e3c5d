/** What a discovery changed, and which servers can be removed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceOf, removalOf } from "./work.ts";

test("what came and what went is named, in the order of the lists", () => {
  assert.deepEqual(differenceOf(["a", "b", "c"], ["c", "d", "a", "e"]), { count: 4, added: ["d", "e"], gone: ["b"] });
});

test("the same list in another order is no change", () => {
  assert.deepEqual(differenceOf(["a", "b"], ["b", "a"]), { count: 2, added: [], gone: [] });
});

test("a server that was never asked brings everything", () => {
  assert.deepEqual(differenceOf([], ["a"]), { count: 1, added: ["a"], gone: [] });
});

test("what was registered or imported is removed where it is kept", () => {
  assert.deepEqual(removalOf("a b", "registered", false), { path: "/mcp/servers/a%20b" });
  assert.deepEqual(removalOf("sky", "api", true), { path: "/admin/apis/sky" });
});

test("everything else says why not", () => {
  assert.deepEqual(removalOf("sky", "api", false), { why: "api" });
  for (const origin of ["configured", "built-in", "device"] as const) {
    assert.deepEqual(removalOf("x", origin, false), { why: origin });
  }
});
