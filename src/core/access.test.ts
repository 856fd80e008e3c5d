import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ALICE } from "../../test/support/make-call.ts";
import { matches, mayAsk, mayUse } from "./access.ts";

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

describe("who may ask a source for what it has beside tools", () => {
  const may = (allow: readonly string[], method = "resources/read"): boolean =>
    mayAsk({ ...ALICE, allow }, "house", method);

  it("everybody without a list", () => assert.equal(mayAsk(ALICE, "house", "resources/read"), true));
  it("nobody with an empty list", () => assert.equal(may([]), false));
  it("no agent, whatever its tools are called", () =>
    assert.equal(mayAsk({ ...ALICE, links: { find: () => ({}) } }, "house", "resources/read"), false));

  for (const allow of ["house__*", "house__resources/read", "house__resources/*", "house__*/read"]) {
    it(`who has ${allow}`, () => assert.equal(may(["other", allow]), true));
  }
  for (const allow of ["*", "*read*", "*/read", "resources/*", "*__*", "*__resources/read", "tv__*", "house__*read*"]) {
    it(`not who has ${allow}: that is about tools`, () => assert.equal(may([allow]), false));
  }
  it("no other method than the one that is named", () =>
    assert.equal(may(["house__resources/read"], "prompts/get"), false));
});
