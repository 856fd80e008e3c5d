import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { JsonMistake, lineAndColumn, readJsonTree } from "./json-tree.ts";

describe("reading JSON for its places", () => {
  it("tells where members stand", () => {
    const text = ' {"a": [1, {}], "b": {"c": "\\"}"}} ';
    const tree = readJsonTree(text);
    const shown = tree.members?.map(({ key, start, value }) => [key, text.slice(start, value.end)]);
    assert.deepEqual(shown, [
      ["a", '"a": [1, {}]'],
      ["b", '"b": {"c": "\\"}"}'],
    ]);
    assert.equal(text.slice(tree.start, tree.end), text.trim());
  });

  it("accepts whatever JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        readJsonTree(text);
      }),
    );
  });

  it("refuses exactly what JSON.parse refuses", () => {
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"b',
      '"\\x"',
      '"\t"',
      "1",
      "-",
      "0",
      ".5",
      "1e9",
      "tru",
      "null",
      " ",
      "\n",
      "x",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 9 }), (chosen) => {
        const text = chosen.join("");
        const mistake = mistakeIn(text);
        if (mistake?.message.includes("second time")) return;
        assert.equal(mistake === undefined, parses(text), text);
      }),
      { numRuns: 3000 },
    );
  });

  it("points at the mistake", () => {
    assert.equal(mistakeIn('{"a": c}')?.offset, 6);
    assert.equal(mistakeIn('{"a": 1 "b": 2}')?.offset, 8);
    assert.equal(mistakeIn("{'a': 1}")?.offset, 1);
    assert.equal(mistakeIn('{"a": "open\n}')?.offset, 6);
    assert.equal(mistakeIn("{} x")?.offset, 3);
    assert.match(mistakeIn('{"a": [')?.message ?? "", /ends too early/);
  });

  it("refuses a key that stands twice, but not in two objects", () => {
    assert.match(mistakeIn('{"a": 1, "\\u0061": 2}')?.message ?? "", /^the key "a" stands here a second time$/);
    assert.equal(mistakeIn('{"a": {"a": 1}}'), undefined);
  });

  it("refuses absurd nesting instead of running out of stack", () => {
    assert.match(mistakeIn("[".repeat(500_000))?.message ?? "", /nested more than 64/);
    assert.equal(mistakeIn("[".repeat(64) + "]".repeat(64)), undefined);
  });
});

describe("line and column", () => {
  it("are counted from one", () => {
    assert.deepEqual(lineAndColumn("ab\ncd", 0), { line: 1, column: 1 });
    assert.deepEqual(lineAndColumn("ab\ncd", 3), { line: 2, column: 1 });
    assert.deepEqual(lineAndColumn("ab\r\ncd", 5), { line: 2, column: 2 });
  });
});

function mistakeIn(text: string): JsonMistake | undefined {
  try {
    readJsonTree(text);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof JsonMistake);
    return error;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
