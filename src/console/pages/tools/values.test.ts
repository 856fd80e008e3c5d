/** Values are changed by making new ones. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readJson } from "../../kit/exact-json.ts";
import { Draft, idOf, isEqual, isObject, memberOf, moved, withItem, withMember, withRenamed } from "./values.ts";

describe("members of an object", () => {
  it("are set in their place, added at the end, and taken out", () => {
    const value = Object.freeze({ a: 1, b: 2 });
    assert.deepEqual(Object.entries(withMember(value, "a", 3)), Object.entries({ a: 3, b: 2 }));
    assert.deepEqual(Object.keys(withMember(value, "c", null)), ["a", "b", "c"]);
    assert.deepEqual(withMember(value, "a", undefined), { b: 2 });
    assert.deepEqual(withMember("no object", "a", 1), { a: 1 });
  });

  it("are renamed in their place, unless the name is taken", () => {
    const value = { a: 1, b: 2, c: 3 };
    assert.deepEqual(Object.entries(withRenamed(value, "b", "x")), Object.entries({ a: 1, x: 2, c: 3 }));
    assert.equal(withRenamed(value, "b", "c"), value);
  });

  it("may have any name", () => {
    assert.equal(memberOf({}, "toString"), undefined);
    const odd = withMember({}, "__proto__", { polluted: true });
    assert.equal(JSON.stringify(odd), '{"__proto__":{"polluted":true}}');
    assert.deepEqual(memberOf(odd, "__proto__"), { polluted: true });
    assert.equal(JSON.stringify(withMember(odd, "a", 1)), '{"__proto__":{"polluted":true},"a":1}');
    assert.equal(JSON.stringify(withRenamed({ a: 1 }, "a", "__proto__")), '{"__proto__":1}');
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });
});

describe("items of a list", () => {
  it("are set and taken out", () => {
    assert.deepEqual(withItem([1, 2, 3], 1, 9), [1, 9, 3]);
    assert.deepEqual(withItem([1, 2, 3], 1, undefined), [1, 3]);
  });

  it("are moved, but not over the edge", () => {
    assert.deepEqual(moved(["a", "b", "c"], 0, 1), ["b", "a", "c"]);
    assert.deepEqual(moved(["a", "b", "c"], 2, 0), ["c", "a", "b"]);
    assert.deepEqual(moved(["a", "b"], 0, -1), ["a", "b"]);
    assert.deepEqual(moved(["a", "b"], 1, 2), ["a", "b"]);
  });
});

describe("values", () => {
  it("are equal by what they say", () => {
    assert.ok(isEqual({ a: [1, { b: null }], c: 2 }, { c: 2, a: [1, { b: null }] }));
    assert.ok(isEqual(readJson("12345678901234567890"), readJson("12345678901234567890")));
    const others: readonly (readonly [unknown, unknown])[] = [
      [{ a: 1 }, { a: 1, b: 2 }],
      [{ a: undefined }, { b: undefined }],
      [[1], { 0: 1 }],
      [1, "1"],
      [null, {}],
      [readJson("12345678901234567890"), readJson("12345678901234567891")],
    ];
    for (const [one, other] of others) assert.ok(!isEqual(one, other), JSON.stringify([one, other]));
  });

  it("that stand for numbers and unfinished text are no objects", () => {
    for (const value of [null, [], "x", new Draft("{}"), readJson("12345678901234567890")]) assert.ok(!isObject(value));
    assert.ok(isObject({}) && isObject(JSON.parse('{"rawJSON":"1"}')));
  });

  it("that are unfinished become text in JSON", () => {
    assert.equal(JSON.stringify({ n: new Draft("1x") }), '{"n":"1x"}');
  });
});

describe("the id of a place", () => {
  it("is another for every place, without blanks", () => {
    const paths = [["a b"], ["a", "b"], ["a/b"], ["a%2Fb"], ["a", 0], ["a\ud800"], [""], []];
    const ids = paths.map(idOf);
    assert.equal(new Set(ids).size, paths.length);
    assert.ok(ids.every((id) => !/\s/.test(id)));
  });
});
