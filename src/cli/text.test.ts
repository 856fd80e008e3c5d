/** Widths, cuts and harmlessness of text for terminals. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { cut, displayWidth, padEnd, plainLine, plainText } from "./text.ts";

describe("the width of text", () => {
  test("is one column for each Latin character, accents and all", () => {
    assert.equal(displayWidth("salón"), 5);
    assert.equal(displayWidth("salo\u0301n"), 5);
  });

  test("is two columns for each Chinese, Japanese or Korean character", () => {
    assert.equal(displayWidth("打开灯"), 6);
    assert.equal(displayWidth("カタカナ，한글"), 14);
  });

  test("decides how much padding a cell gets", () => {
    assert.equal(padEnd("灯", 5), "灯   ");
    assert.equal(padEnd("lamp", 2), "lamp");
  });
});

describe("cut text", () => {
  test("stays whole if it fits", () => assert.equal(cut("lamp", 4), "lamp"));
  test("ends with an ellipsis if it does not", () => assert.equal(cut("set_light_state", 6), "set_l…"));
  test("never splits a wide character in two", () => assert.equal(cut("打开灯", 4), "打…"));

  test("is never wider than asked for", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.nat(20),
        (text, width) => displayWidth(cut(text, width)) <= width,
      ),
    );
  });
});

describe("text from elsewhere", () => {
  test("becomes one line", () => assert.equal(plainLine("a\r\nb\u0000c\u2028d"), "a b c d"));
  test("cannot clear the screen", () => assert.ok(!plainText("a\u001b[2Jb").includes("\u001b")));
  test("keeps its lines where several are wanted", () => assert.equal(plainText("a\r\n\tb"), "a\n\tb"));
  test("cannot turn the direction of writing", () => assert.doesNotMatch(plainLine("a\u202eb"), /\u202e/));
});
