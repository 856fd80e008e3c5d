/** The place of a mistake, and that there is one exactly where the engine's own reader finds one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Random } from "../../../test/support/seed.ts";
import { faultPlace } from "./json-fault.ts";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("a mistake", () => {
  const places: readonly (readonly [string, number, number])[] = [
    ["", 1, 1],
    ["{", 1, 2],
    ['{\n  "a": 1,\n  "b": x\n}', 3, 8],
    ['{"a":1,}', 1, 8],
    ["[1 2]", 1, 4],
    ["[1,]", 1, 4],
    ['{"a" 1}', 1, 6],
    ["{a:1}", 1, 2],
    ["{} {}", 1, 4],
    ["[1}", 1, 3],
    ['["\n"]', 1, 2],
    ['["\\x"]', 1, 2],
    ["01", 1, 2],
    ["'a'", 1, 1],
    ["\n\n  tru", 3, 3],
    ['{"a": x}', 1, 7],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ["{a: 1}", 1, 2],
    ['{"a": [1, 2}', 1, 12],
    ['{"a": }', 1, 7],
    ["[1,,2]", 1, 4],
    ['{"a": "b\nc"}', 1, 7],
    ['{"a": 1', 1, 8],
    ["]", 1, 1],
    ["{,}", 1, 2],
  ];
  for (const [text, line, column] of places) {
    it(`in ${JSON.stringify(text)} is in line ${line}, column ${column}`, () => {
      assert.deepEqual(faultPlace(text), { line, column });
      assert.ok(!isJson(text));
    });
  }

  it("is none in JSON", () => {
    const texts = [
      "1",
      "-0.5e+3",
      "null",
      " [ ] ",
      "{}",
      '{"a":[{"b":"\\u00e9\\n\u007f"}],"":true}',
      "[[[[1]]]]",
      '"\ud800"',
      '"a"',
      "[]",
      "[[],{}]",
      JSON.stringify({ a: [{ b: -1.5e3 }, true, 'x\\"y'], c: {} }),
    ];
    for (const text of texts) assert.equal(faultPlace(text), undefined, text);
  });

  it("is found wherever the engine finds one, and nowhere else", () => {
    const random = new Random();
    const start = '{"a":[1,-2.5e3,"x\\"y",true,null,{}],"b":{"c":[]}}';
    const letters = '{}[]",:\\ -0123456789.eEtruefalsn\n\u0001';
    for (let round = 0; round < 20_000; round++) {
      let text = start;
      for (let change = random.int(3); change >= 0; change--) {
        const [from, much] = [random.int(text.length), random.int(3)];
        text = text.slice(0, from) + (letters[random.int(letters.length)] ?? "") + text.slice(from + much);
      }
      assert.equal(faultPlace(text) === undefined, isJson(text), text);
    }
  });

  it("is found behind a great deal of brackets", () => {
    assert.deepEqual(faultPlace("[".repeat(100_000)), { line: 1, column: 100_001 });
  });
});
