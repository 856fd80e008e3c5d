/** A person reads one short line, and nothing in it can steer the terminal. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { terminalLine } from "./terminal-line.ts";

describe("a line for a terminal", () => {
  it("is local time, level, message, and fields as key=value", () => {
    const time = new Date(2026, 0, 2, 3, 4, 5).toISOString();
    const json = JSON.stringify({
      level: "warn",
      time,
      source: "home",
      n: 2,
      list: ["a"],
      q: "a b",
      e: "",
      msg: "lost",
    });
    assert.equal(terminalLine(json), '03:04:05 warn  lost source=home n=2 list=["a"] q="a b" e=""\n');
  });

  it("has one line, whatever steering characters stand in message, names and values", () => {
    const evil = "\u001b[2J\n\r\u0007\u009b31m\u202eabc\u2028\u007f";
    const line = terminalLine(JSON.stringify({ level: "info", time: "x", msg: evil, [evil]: evil }));
    assert.match(line, /\n$/);
    assert.doesNotMatch(line.slice(0, -1), /[\p{Cc}\p{Bidi_Control}\u2028]/u);
    assert.match(line, /\\u001b\[2J\\u000a/);
  });

  it("leaves stack traces to the JSON log", () => {
    const err = { name: "Error", message: "bad", stack: "at somewhere" };
    const line = terminalLine(JSON.stringify({ level: "error", time: "x", msg: "failed", err }));
    assert.match(line, /failed err=\{"name":"Error","message":"bad"\}\n$/);
  });
});
