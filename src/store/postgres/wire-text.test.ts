import assert from "node:assert/strict";
import { it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { fromWire, toWire } from "./wire-text.ts";

const pieces = fc.constantFrom("\0", "\u{F8E0}", "\u{F8E1}", "a", "\u{1F3E0}", "\n");
const texts = fc.array(pieces).map((parts) => parts.join(""));

it("every text comes back to the letter, and none holds U+0000 on its way", () => {
  fc.assert(
    fc.property(texts, (text) => {
      assert.ok(!toWire(text).includes("\0"));
      assert.equal(fromWire(toWire(text)), text);
    }),
  );
});

it("different texts stay different, and a part stays a part", () => {
  fc.assert(
    fc.property(texts, texts, texts, (before, part, behind) => {
      assert.ok(toWire(before + part + behind).includes(toWire(part)));
      if (before !== part) assert.notEqual(toWire(before), toWire(part));
    }),
  );
});

it("texts without such characters are the very same", () => {
  const text = "salón 客厅 🏠";
  assert.equal(toWire(text), text);
  assert.equal(fromWire(text), text);
});
