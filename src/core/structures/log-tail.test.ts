import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LogTail } from "./log-tail.ts";

describe("the tail of a log", () => {
  it("keeps the last lines, oldest first", () => {
    const tail = new LogTail(3, 1000);
    for (const line of ["1", "2", "3", "4", "5"]) tail.add(line);
    assert.deepEqual(tail.lines(), ["3", "4", "5"]);
  });

  it("keeps no more characters than told, however few the lines", () => {
    const tail = new LogTail(100, 10);
    for (const line of ["aaaa", "bbbb", "cccc"]) tail.add(line);
    assert.deepEqual(tail.lines(), ["bbbb", "cccc"]);
    tail.add("d".repeat(50));
    assert.deepEqual(tail.lines(), ["d".repeat(10)]);
  });

  it("hands out a copy", () => {
    const tail = new LogTail(3, 10);
    tail.add("a");
    tail.lines().push("b");
    assert.deepEqual(tail.lines(), ["a"]);
  });
});
