import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { show } from "./result.ts";

describe("a long text", () => {
  const ways = { offset: true, pick: true };

  it("is shown in parts that make up the whole, none of them longer than allowed, no character torn", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.integer({ min: 2, max: 9 }), (text, most) => {
        const whole = text.toWellFormed();
        let seen = "";
        while (seen.length < whole.length) {
          const { text: part } = show(whole, seen.length, most, ways);
          assert.ok(part.length > 0 && part.length <= most && part.isWellFormed());
          seen += part;
        }
        assert.equal(seen, whole);
      }),
    );
  });

  it("says nothing of ways that there are not", () => {
    assert.equal(
      show("abcdef", 0, 3, { offset: false, pick: false }).notice,
      "[characters 0 to 3 of 6; the rest was cut]",
    );
    assert.doesNotMatch(show("abcdef", 0, 3, { offset: true, pick: false }).notice ?? "", /_pick/);
    assert.equal(show("abc", 0, 3, ways).notice, undefined);
    assert.equal(show("abc", 9, 3, ways).text, "");
  });
});
