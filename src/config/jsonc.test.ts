import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { stripJsonc } from "./jsonc.ts";

describe("stripping comments and trailing commas", () => {
  it("leaves plain JSON as it is, whatever its texts contain", () => {
    fc.assert(fc.property(fc.json(), (text) => assert.equal(stripJsonc(text), text)));
    const tricky = JSON.stringify({ "//": "/* no */ ,}", url: "http://a//b", quote: '\\" // ,]', end: "\\" });
    assert.equal(stripJsonc(tricky), tricky);
  });

  it("takes out both kinds of comments", () => {
    const text = '{ // one "x"\n "a": /* two, } */ 1 /**/ }';
    assert.deepEqual(JSON.parse(stripJsonc(text)), { a: 1 });
  });

  it("takes out a comma before a closing bracket, also with a comment between", () => {
    assert.deepEqual(JSON.parse(stripJsonc('{"a": [1, 2, ], "b": {"c": 3,\n}, // end\n}')), { a: [1, 2], b: { c: 3 } });
  });

  it("keeps every other character in its place", () => {
    const text = '{\r\n  /* a\r\n b */ "k": 1, // c\n}';
    const plain = stripJsonc(text);
    assert.equal(plain.length, text.length);
    assert.equal(plain.indexOf('"k"'), text.indexOf('"k"'));
    assert.equal(plain.split("\n").length, text.split("\n").length);
  });

  it("does not make JSON of what is none", () => {
    for (const text of ["{", '{"a": "open // }', "/* never closed {}", '{"a": 1,, "b": 2}', "/ {}"]) {
      assert.throws(() => JSON.parse(stripJsonc(text)), SyntaxError, text);
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
      assert.equal(stripJsonc(text).length, text.length);
    }
  });
});
