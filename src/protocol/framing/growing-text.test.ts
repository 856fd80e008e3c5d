import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { GrowingText } from "./growing-text.ts";

describe("text that comes in pieces", () => {
  it("is gathered in its order, however many there are, again and again", () => {
    const text = new GrowingText();
    for (const sizes of [[], [5], [0], [0, 0, 3], [3000, 2000], [5000, 1], Array(10_000).fill(1), [200_000, 3], [2]]) {
      const pieces = sizes.map((size, at) => Buffer.alloc(size, 65 + (at % 26)));
      for (const piece of pieces) text.append(piece);
      const expected = Buffer.concat(pieces);
      assert.equal(text.length, expected.length);
      assert.equal(text.take(), expected.toString(), `pieces of ${sizes.slice(0, 5)}`);
      assert.equal(text.length, 0);
    }
  });

  it("is what the same bytes in one piece are, wherever they are cut and whatever they are", () => {
    const unit = fc.constantFrom(
      ..."a\uFEFFñ客💡",
      Buffer.of(0x80),
      Buffer.of(0xe5, 0xae),
      Buffer.of(0xf0),
      Buffer.of(0xff),
    );
    const cuts = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 12 }), cuts, fc.boolean(), (units, sizes, fatal) => {
        const once = Buffer.concat(units.map((one) => Buffer.from(one)));
        const bytes = Buffer.concat(Array(Math.ceil(150_000 / once.length)).fill(once));
        assert.equal(gathered(bytes, sizes, fatal), whole(bytes, fatal));
      }),
      { numRuns: 100 },
    );
  });

  it("never writes into the pieces", () => {
    const text = new GrowingText();
    const piece = Buffer.from("alone");
    text.append(piece);
    text.append(Buffer.from(" no more"));
    assert.equal(text.take(), "alone no more");
    assert.equal(piece.toString(), "alone");
  });

  it("is forgotten when that is wanted", () => {
    const text = new GrowingText();
    for (let count = 0; count < 3; count++) text.append(Buffer.alloc(50_000, 65));
    text.clear();
    assert.equal(text.length, 0);
    text.append(Buffer.from("new"));
    assert.equal(text.take(), "new");
  });
});

function gathered(bytes: Uint8Array, sizes: readonly number[], fatal: boolean): string {
  const text = new GrowingText({ fatal });
  try {
    for (let at = 0, count = 0; at < bytes.length; count++) {
      const size = sizes[count % sizes.length] ?? 1;
      text.append(bytes.subarray(at, at + size));
      at += size;
    }
    return text.take();
  } catch {
    return "no UTF-8";
  }
}

function whole(bytes: Uint8Array, fatal: boolean): string {
  try {
    return new TextDecoder("utf-8", { fatal, ignoreBOM: true }).decode(bytes);
  } catch {
    return "no UTF-8";
  }
}
