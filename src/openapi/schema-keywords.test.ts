/** Patterns that other engines take, for clients that have ours. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { fitPattern } from "./schema-keywords.ts";

test("a pattern that ECMAScript takes stays as it is", () => {
  for (const pattern of ["^a+$", "[a\\-z]", "^\\p{L}+$", "\\/\\.", "(?<year>\\d{4})", "[^\\]\\\\]"]) {
    assert.equal(fitPattern(pattern), pattern);
  }
});

test("escapes that nothing needs are dropped, and it matches what it matched", () => {
  assert.equal(fitPattern("^[a-zA-Z0-9\\-\\_]{2,50}$"), "^[a-zA-Z0-9\\-_]{2,50}$");
  assert.equal(fitPattern("o\\-[0-9]"), "o-[0-9]");
  assert.equal(fitPattern("^s3:\\/\\/[\\-\\.\\'\\*\\_\\!\\/]+\\@$"), "^s3:\\/\\/[\\-\\.'\\*_!\\/]+@$");
});

test("a hyphen beside a class is a hyphen", () => {
  assert.equal(fitPattern("^[\\w-.+]+@[.-\\d]$"), "^[\\w\\-.+]+@[.\\-\\d]$");
});

test("what ECMAScript cannot say is left out", () => {
  for (const pattern of ["[\\p{all}]*", "(?i)abc", "\\A\\w+\\Z", "(", "a{2,1}", "x".repeat(6_000)]) {
    assert.equal(fitPattern(pattern), undefined, pattern);
  }
});

test("whatever is written, what comes out can be compiled and is stable", () => {
  const pieces = fc.constantFrom(
    "\\",
    "-",
    "[",
    "]",
    "_",
    "w",
    "\\w",
    "(",
    ")",
    "a",
    "^",
    "$",
    "*",
    "'",
    "é",
    "\\p{L}",
    "{2}",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const fit = fitPattern(parts.join(""));
      if (fit !== undefined) assert.ok(new RegExp(fit, "u") && fitPattern(fit) === fit);
    }),
    { numRuns: 2_000 },
  );
});
