import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GrowingBytes } from "./growing-bytes.ts";

describe("bytes that come in pieces", () => {
  it("are gathered in their order, however many there are, again and again", () => {
    const bytes = new GrowingBytes();
    for (const sizes of [[], [5], [0], [0, 0, 3], [1, 2, 3], [3000, 2000], [5000, 1], Array(10_000).fill(1), [2]]) {
      const pieces = sizes.map((size, at) => Buffer.alloc(size, at + 1));
      for (const piece of pieces) bytes.append(piece);
      const expected = Buffer.concat(pieces);
      assert.equal(bytes.length, expected.length);
      assert.ok(expected.equals(bytes.take()), `pieces of ${sizes.slice(0, 5)}`);
      assert.equal(bytes.length, 0);
    }
  });

  it("are not copied where one piece is all, and never written into", () => {
    const bytes = new GrowingBytes();
    const piece = Buffer.from("alone");
    bytes.append(piece);
    assert.equal(bytes.take(), piece);
    bytes.append(piece);
    bytes.append(Buffer.from(" no more"));
    assert.equal(Buffer.from(bytes.take()).toString(), "alone no more");
    assert.equal(piece.toString(), "alone");
  });
});
