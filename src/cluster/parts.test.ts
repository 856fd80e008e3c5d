import assert from "node:assert/strict";
import { it } from "node:test";
import { IncomingParts, PART_LENGTH, split, WINDOW } from "./parts.ts";

it("a text is split into parts that give it again, none of which ends inside a character", () => {
  const text = `x${"😀".repeat(PART_LENGTH)}`;
  const parts = split(text);
  assert.equal(parts.join(""), text);
  assert.equal(parts.length, 3);
  for (const part of parts) assert.ok(part.isWellFormed() && part.length <= PART_LENGTH);
  assert.deepEqual(split(""), [""]);
});

it("parts are put together in whatever order they come, and however often", () => {
  const incoming = new IncomingParts();
  const have = [2, 0, 0, 1, 2, 3].map((index) => {
    incoming.take(index, `${index}`);
    return incoming.have;
  });
  assert.deepEqual(have, [0, 1, 1, 3, 3, 4]);
  assert.equal(incoming.whole(), "0123");
});

it("no more than a window is kept beyond a gap", () => {
  const incoming = new IncomingParts();
  for (let index = 1; index <= WINDOW; index++) incoming.take(index, "x");
  incoming.take(0, "x");
  assert.equal(incoming.have, WINDOW);
});
