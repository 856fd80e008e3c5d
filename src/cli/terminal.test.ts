/** Colours and tables, on a terminal and in a pipe. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { paint, table } from "./terminal.ts";
import { displayWidth } from "./text.ts";
import type { Output, World } from "./world.ts";

const PIPE: Output = { write: () => {} };
const TERMINAL: Output = { write: () => {}, isTTY: true, columns: 24 };
const LONG = "Turns one light on or off, whichever it is";

function world(stdout: Output, env: World["env"] = {}): World {
  return { env, stdout, stderr: PIPE };
}

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
