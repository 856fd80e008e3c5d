/** Where long text is folded. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { beginningOf } from "./folded.ts";

describe("the beginning of a text", () => {
  it("is all of it where it is short", () => {
    for (const text of ["", "one line", "a\nb\n", "x".repeat(2_000), "l\n".repeat(24)])
      assert.equal(beginningOf(text), text);
  });

  it("is its first lines, and not too much of them", () => {
    const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`);
    assert.equal(beginningOf(lines.join("\n")), lines.slice(0, 25).join("\n"));
    assert.equal(beginningOf("x".repeat(5_000)).length, 2_000);
  });

  it("never ends inside a character", () => {
    assert.equal(beginningOf(`${"x".repeat(1_999)}😀 and more`), "x".repeat(1_999));
    assert.equal(beginningOf("😀".repeat(3_000)).length, 2_000);
  });
});
