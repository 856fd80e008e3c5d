/** Patterns: what they match, what is refused, what is paid. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { LinearPatterns } from "./linear-pattern.ts";

const ROOM = 10_000;

function matches(pattern: string, text: string): boolean | undefined {
  return new LinearPatterns(() => undefined).make(pattern, ROOM)?.test(text);
}

describe("a pattern", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["b", "abc", true],
    ["^b", "abc", false],
    ["^a$", "a\n", false],
    ["^\\u00e9$", "é", true],
    ["^\\u{1F600}$", "😀", true],
    ["^.$", "😀", true],
    ["^\\/a\\-b$", "/a-b", true],
    ["^\\s$", "\u00a0", true],
    ["^[\\w\\s]+$", "a\u00a0b\u2003c", true],
    ["^(?<year>\\d{4})$", "2024", true],
    ["^\\p{Lu}$", "É", true],
    ["(?i)^yes$", "YES", true],
    ["", "anything", true],
  ];
  for (const [pattern, text, expected] of cases) {
    it(`${pattern || "(none)"} ${expected ? "matches" : "does not match"} ${JSON.stringify(text)}`, () => {
      assert.equal(matches(pattern, text), expected);
    });
  }

  it("means what JavaScript means by it", () => {
    const part = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\d", "\\w", "\\s", "(a|b)", "(?:ab)", "^", "$", "|");
    const repeat = fc.constantFrom("", "*", "+", "?", "{2}", "{1,3}", "{0,2}");
    const piece = fc.tuple(part, repeat).map(([what, times]) => (/^[\^$|]$/.test(what) ? what : what + times));
    const pattern = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""));
    const text = fc.string({ unit: fc.constantFrom("a", "b", "1", " ", "é", "\u00a0"), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (source, input) => {
        assert.equal(matches(source, input), new RegExp(source, "u").test(input));
      }),
      { numRuns: 300 },
    );
  });

  it("that only counts one kind of character may count as far as it likes", () => {
    const counted: readonly (readonly [string, string, boolean])[] = [
      ["^[a-z]{2,5000}$", "a".repeat(5_000), true],
      ["^[a-z]{2,5000}$", "a".repeat(5_001), false],
      ["^[a-z]{2,5000}$", "a", false],
      ["^[a-z]{2,5000}$", "aaA", false],
      ["^.{3}$", "😀😀😀", true],
      ["^.{3}$", "😀😀", false],
      ["^\\d{2,}$", "123", true],
      ["^\\d{2,}$", "1", false],
    ];
    for (const [pattern, text, expected] of counted) assert.equal(matches(pattern, text), expected, pattern);
  });

  it("is refused where it cannot be matched in linear time, or is no pattern, or is too large", () => {
    const refused = ["(?=a)", "(?!a)", "(?<=a)b", "(a)\\1", "(", "[", "a{1001}b", "(a{900}b){5}", "a".repeat(5_000)];
    for (const pattern of refused) assert.equal(matches(pattern, "a"), undefined, pattern);
    assert.equal(new LinearPatterns(() => undefined).make("abcdefghij", 5), undefined);
  });

  it("is paid for by its size and the length of the text", () => {
    let paid = 0;
    const pattern = new LinearPatterns((steps) => (paid += steps)).make("^(a|b)+$", ROOM);
    const price = (text: string) => {
      paid = 0;
      pattern?.test(text);
      return paid;
    };
    assert.ok(price("a".repeat(100)) > 100);
    assert.ok(price("a".repeat(1_000)) > 9 * price("a".repeat(100)));
  });

  it("is not matched where it cannot be paid", () => {
    const patterns = new LinearPatterns(() => {
      throw new Error("no steps left");
    });
    assert.throws(() => patterns.make("^a$", ROOM)?.test("a"), /no steps left/);
  });

  it("still matches after what was kept for it has been thrown away", () => {
    let paid = 0;
    const patterns = new LinearPatterns((steps) => (paid += steps));
    const pattern = patterns.make("^(a|b)+$", ROOM);
    const text = "ab".repeat(2_000);
    const prices = new Set<number>();
    for (let i = 0; i < 50; i++) {
      paid = 0;
      assert.equal(pattern?.test(text), true);
      prices.add(paid);
    }
    assert.equal(prices.size, 2, "compiling it again is paid for too");
  });
});
