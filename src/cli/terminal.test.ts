/** Text for terminals: widths, cuts and harmlessness; colours and tables, on a terminal and in a pipe. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fc } from "../../test/support/seed.ts";
import type { Output, World } from "./command.ts";
import { cut, displayWidth, padEnd, paint, plainLine, plainText, table } from "./terminal.ts";

const PIPE: Output = { write: () => {} };
const TERMINAL: Output = { write: () => {}, isTTY: true, columns: 24 };
const LONG = "Turns one light on or off, whichever it is";

function world(stdout: Output, env: World["env"] = {}): World {
  return { env, stdout, stderr: PIPE };
}

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

describe("colours", () => {
  test("are for terminals", () => assert.equal(paint("x", "red", TERMINAL, {}), "\u001b[31mx\u001b[39m"));
  test("stay out of pipes", () => assert.equal(paint("x", "red", PIPE, {}), "x"));
  test("stay away when NO_COLOR is set", () => assert.equal(paint("x", "red", TERMINAL, { NO_COLOR: "1" }), "x"));
  test("come when NO_COLOR is empty", () => assert.notEqual(paint("x", "red", TERMINAL, { NO_COLOR: "" }), "x"));
  test("stay away from a dumb terminal", () => assert.equal(paint("x", "red", TERMINAL, { TERM: "dumb" }), "x"));
});

describe("a table", () => {
  test("lines its columns up, Chinese ones too", () => {
    const lines = table(["名称", "B"], [["a", "1"]], world(PIPE)).split("\n");
    assert.deepEqual(lines, ["名称  B", "a     1", ""]);
  });

  test("is not cut in a pipe", () => {
    assert.match(table(["TOOL", "DESCRIPTION"], [["lamp", LONG]], world(PIPE)), new RegExp(LONG));
  });

  test("is cut to the width of the terminal", () => {
    const lines = table(["TOOL", "WHAT"], [["lamp", LONG]], world(TERMINAL, { NO_COLOR: "1" })).split("\n");
    assert.equal(lines[1], "lamp  Turns one light o…");
    for (const line of lines) assert.ok(displayWidth(line) <= 24, line);
  });

  test("has one line for each row, whatever is in it", () => {
    assert.equal(table(["A"], [["x\ny\u001b[2J"]], world(PIPE)), "A\nx y [2J\n");
  });
});
