import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ALICE } from "../../test/support/make-call.ts";
import { matches, mayUse } from "./access.ts";

describe("a pattern", () => {
  const cases: readonly (readonly [pattern: string, text: string, expected: boolean])[] = [
    ["lamp", "lamp", true],
    ["lamp", "lamps", false],
    ["lamp", "Lamp", false],
    ["*", "", true],
    ["*", "anything", true],
    ["", "", true],
    ["", "x", false],
    ["get_*", "get_", true],
    ["get_*", "get_light", true],
    ["get_*", "set_light", false],
    ["*_light", "set_light", true],
    ["*_light", "set_light_state", false],
    ["get_*_state", "get_light_state", true],
    ["get_*_state", "get_state", false],
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["*b*", "abc", true],
    ["a*b*c", "acb", false],
    ["a*b*b", "ab", false],
    ["a*b*b*c", "abc", false],
    ["a*b*b*c", "abbc", true],
    ["a*bb*bb*c", "abbbc", false],
    ["a*b*a*c", "ab-ac", true],
    ["*b*", "ab", true],
    ["**", "x", true],
    [".*", "x", false],
    ["l.mp", "lamp", false],
    ["house__*", "house__lamp", true],
  ];
  for (const [pattern, text, expected] of cases) {
    it(`"${pattern}" ${expected ? "matches" : "does not match"} "${text}"`, () =>
      assert.equal(matches(pattern, text), expected));
  }

  it("that would ruin a backtracking matcher is no trouble", () => {
    assert.equal(matches(`${"a*".repeat(1_000)}b`, "a".repeat(50_000)), false);
  });
});

describe("who may use a tool", () => {
  it("everybody without a list", () => assert.equal(mayUse(ALICE, "house", "lamp"), true));
  it("nobody with an empty list", () => assert.equal(mayUse({ ...ALICE, allow: [] }, "house", "lamp"), false));

  for (const allow of ["lamp", "house__lamp", "house__*", "la*"]) {
    it(`who has ${allow}`, () => assert.equal(mayUse({ ...ALICE, allow: ["other", allow] }, "house", "lamp"), true));
  }
  for (const allow of ["garage__*", "house", "house__", "lamp__house"]) {
    it(`not who has ${allow}`, () => assert.equal(mayUse({ ...ALICE, allow: [allow] }, "house", "lamp"), false));
  }
});
