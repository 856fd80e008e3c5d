/** The place at which JSON goes wrong; and for all that is right, none before its end. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { faultIn } from "./paste-fault.ts";

describe("the first thing that should not stand there", () => {
  for (const [text, line, column] of [
    ['{"a": x}', 1, 7],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{"a" 1}', 1, 6],
    ["{a: 1}", 1, 2],
    ['{"a": [1, 2}', 1, 12],
    ['{"a": }', 1, 7],
    ["[1,,2]", 1, 4],
    ['{"a": "b\nc"}', 1, 7],
    ["{} {}", 1, 4],
    ['{"a": 1', 1, 8],
    ["]", 1, 1],
    ["{,}", 1, 2],
  ] as const) {
    test(JSON.stringify(text), () => assert.deepEqual(faultIn(text), { line, column }));
  }
});

test("what is right is right to its end", () => {
  for (const value of [1, "a", null, [], {}, [[], {}], { a: [{ b: -1.5e3 }, true, 'x\\"y'], c: {} }]) {
    const text = JSON.stringify(value);
    assert.deepEqual(faultIn(text), { line: 1, column: text.length + 1 });
  }
});

test("a hundred thousand brackets are no trouble", () => {
  assert.deepEqual(faultIn("[".repeat(100_000)), { line: 1, column: 100_001 });
});
