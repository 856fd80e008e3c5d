import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { JsonMistake, parseJsonc } from "./jsonc.ts";

describe("JSON with comments and trailing commas", () => {
  it("has the value that JSON.parse gives plain JSON, whatever its texts contain", () => {
    fc.assert(fc.property(fc.json({ maxDepth: 5 }), (text) => assert.deepEqual(parseJsonc(text), JSON.parse(text))));
    const tricky = { "//": "/* no */ ,}", url: "http://a//b", quote: '\\" // ,]', end: "\\" };
    assert.deepEqual(parseJsonc(JSON.stringify(tricky)), tricky);
  });

  it("keeps __proto__ a key like any other", () => {
    const text = '{"__proto__": {"a": 1}, "b": {"__proto__": null}}';
    assert.deepEqual(parseJsonc(text), JSON.parse(text));
    assert.deepEqual(Object.keys(parseJsonc(text) as object), ["__proto__", "b"]);
  });

  it("may have both kinds of comments", () => {
    assert.deepEqual(parseJsonc('{ // one "x"\n "a": /* two, } */ 1 /**/ }'), { a: 1 });
  });

  it("may have a comma before a closing bracket, also with a comment between", () => {
    assert.deepEqual(parseJsonc('{"a": [1, 2, ], "b": {"c": 3,\n}, // end\n}'), { a: [1, 2], b: { c: 3 } });
  });

  it("is not made of what is none", () => {
    for (const text of ["{", '{"a": "open // }', "/* never closed {}", '{"a": 1,, "b": 2}', "/ {}", "[,]", "{,}"]) {
      assert.ok(mistakeIn(text), text);
    }
  });

  it("copes with a mebibyte of anything", () => {
    for (const text of [
      '"'.repeat(1e6),
      "/*".repeat(5e5),
      ", ".repeat(5e5),
      `"${"\\a".repeat(5e5)}`,
      "/".repeat(1e6),
    ]) {
      assert.ok(mistakeIn(text));
    }
  });
});

describe("mistakes in JSON", () => {
  it("are exactly what JSON.parse refuses, but for trailing commas", () => {
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
        const plain = text.replace(/(?<=[^[{,:\s]\s*),(?=\s*[}\]])/g, "");
        assert.equal(mistake === undefined, parses(plain), text);
      }),
      { numRuns: 3000 },
    );
  });

  it("have a line and a column, counted from one", () => {
    assert.deepEqual(placeIn('{"a": c}'), [1, 7]);
    assert.deepEqual(placeIn('{"a": 1 "b": 2}'), [1, 9]);
    assert.deepEqual(placeIn("{'a': 1}"), [1, 2]);
    assert.deepEqual(placeIn('{"a": "open\n}'), [1, 7]);
    assert.deepEqual(placeIn("{} x"), [1, 4]);
    assert.deepEqual(placeIn("x"), [1, 1]);
    assert.deepEqual(placeIn("[\nx"), [2, 1]);
    assert.deepEqual(placeIn("[\r\n x"), [2, 2]);
    assert.deepEqual(placeIn('{\r\n  /* a\r\n b */ "k": 1, // c\n x}'), [4, 2]);
  });

  it("are told by what could have stood there", () => {
    const told = {
      "": "the text ends too early: a value is expected",
      '{"a": c}': "a value is expected",
      "[1, }": "a value is expected",
      "{'a': 1}": "a key in double quotes is expected",
      '{"a": 1, b': "a key in double quotes is expected",
      '{"a" 1}': '":" is expected after the key',
      '{"a": 1 "b": 2}': '"," or "}" is expected',
      '{"a": [{}}': '"," or "]" is expected',
      '{"a": [': "the text ends too early: a value is expected",
      '{"a": [1': 'the text ends too early: "," or "]" is expected',
      '{"a": [1]': 'the text ends too early: "," or "}" is expected',
      "{} x": "nothing more may follow",
      '["open\n]': "this string is not closed",
      '["\\x"]': "this string has a bad escape or a control character",
      '["\\u12"]': "this string has a bad escape or a control character",
      '["\t"]': "this string has a bad escape or a control character",
      "{} /* open": "this comment is not closed",
    };
    for (const [text, message] of Object.entries(told)) assert.equal(mistakeIn(text)?.message, message, text);
  });

  it("are keys that stand twice, but not in two objects", () => {
    assert.match(mistakeIn('{"a": 1, "\\u0061": 2}')?.message ?? "", /^the key "a" stands here a second time$/);
    assert.equal(mistakeIn('{"a": {"a": 1}}'), undefined);
  });

  it("are absurd nesting, which does not run out of stack", () => {
    assert.match(mistakeIn("[".repeat(500_000))?.message ?? "", /nested more than 64/);
    assert.equal(mistakeIn("[".repeat(64) + "]".repeat(64)), undefined);
  });
});

function mistakeIn(text: string): JsonMistake | undefined {
  try {
    parseJsonc(text);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof JsonMistake);
    return error;
  }
}

function placeIn(text: string): unknown[] {
  const mistake = mistakeIn(text);
  return [mistake?.line, mistake?.column];
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
