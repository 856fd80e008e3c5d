/** Clashes of names, by the servers that are part of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { clashGroups } from "./clashes.ts";

const CLASHES = [
  { tool: "echo", keeper: "a", renamed: "b__echo" },
  { tool: "x__y", keeper: "a", renamed: "b__x__y" },
  { tool: "echo", keeper: "a", renamed: "c__echo" },
];

test("one group for each two servers", () => {
  assert.deepEqual(clashGroups(CLASHES), [
    { keeper: "a", other: "b", tools: ["echo", "x__y"] },
    { keeper: "a", other: "c", tools: ["echo"] },
  ]);
});

test("those of one server alone", () => {
  assert.deepEqual(
    clashGroups(CLASHES, "c").map(({ other }) => other),
    ["c"],
  );
  assert.equal(clashGroups(CLASHES, "a").length, 2);
  assert.deepEqual(clashGroups(CLASHES, "nobody"), []);
});
