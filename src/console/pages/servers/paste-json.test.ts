/** JSON with what people leave in it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readJson } from "./paste-json.ts";

function value(text: string): unknown {
  const read = readJson(text);
  assert.ok(read.ok, text);
  return read.value;
}

describe("tolerated", () => {
  for (const [what, text, expected] of [
    ["comments of a line", '{ // one\n"a": 1 // two\n}', { a: 1 }],
    ["comments of any length", '/* x\n */{"a": /* , } */ 1}', { a: 1 }],
    ["commas too many", '{"a": [1, 2, ], "b": {"c": 3,\n},}', { a: [1, 2], b: { c: 3 } }],
    ["a comma, then a comment", '{"a": 1, // last\n}', { a: 1 }],
    ["a fence", '```json\n{"a": 1}\n```\n', { a: 1 }],
    ["no outer braces", '"a": {"b": 1},', { a: { b: 1 } }],
    ["a byte order mark", '\uFEFF{"a":1}', { a: 1 }],
    ["a semicolon at the end", '{"a":1};', { a: 1 }],
    ["a text alone", '"a"', "a"],
  ] as const) {
    test(what, () => assert.deepEqual(value(text), expected));
  }

  test("texts are left as they are", () => {
    const texts = { url: "https://a.example//b", glob: "/* , ] */", comma: ",]", quote: 'a\\"//b', path: "C:\\" };
    assert.deepEqual(value(JSON.stringify(texts)), texts);
  });
});

describe("refused", () => {
  test("with the place", () => {
    assert.deepEqual(readJson('{\n  "a": 1\n  "b": 2\n}'), { ok: false, at: { line: 3, column: 3 } });
  });

  test("with the place in a piece as it was pasted", () => {
    assert.deepEqual(readJson('"a": x'), { ok: false, at: { line: 1, column: 6 } });
  });

  test("with the place behind a comment", () => {
    assert.deepEqual(readJson("{ /* long */ x }"), { ok: false, at: { line: 1, column: 14 } });
  });

  test("what just ends", () => assert.deepEqual(readJson('{\n "a": '), { ok: false, at: { line: 2, column: 6 } }));
});
