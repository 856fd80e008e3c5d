/** What a discovery changed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceOf } from "./difference.ts";

test("what came and what went is named, in the order of the lists", () => {
  assert.deepEqual(differenceOf(["a", "b", "c"], ["c", "d", "a", "e"]), { count: 4, added: ["d", "e"], gone: ["b"] });
});

test("the same list in another order is no change", () => {
  assert.deepEqual(differenceOf(["a", "b"], ["b", "a"]), { count: 2, added: [], gone: [] });
});

test("a server that was never asked brings everything", () => {
  assert.deepEqual(differenceOf([], ["a"]), { count: 1, added: ["a"], gone: [] });
});
