/** Numbers as people write them, there and back. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exactDigits, nearNumber, readJson, readNumber } from "./exact-json.ts";

describe("JSON without losing a digit", () => {
  const kept = [
    "12345678901234567890",
    "-12345678901234567890",
    "0.12345678901234567891",
    "1e400",
    "123456789012345678901e5",
  ];
  for (const digits of kept) {
    it(`keeps ${digits}`, () => {
      const value = readJson(`{"a":[${digits}]}`) as { readonly a: readonly unknown[] };
      assert.equal(JSON.stringify(value), `{"a":[${digits}]}`);
      assert.equal(exactDigits(value.a[0]), digits);
      assert.equal(nearNumber(value.a[0]), Number(digits));
    });
  }

  it("leaves all others the numbers that they are", () => {
    const text =
      '[0, -1, 1.50, 1e3, 9007199254740991, 0.1, 123456.789, "12345678901234567890", {"12345678901234567890":1}]';
    assert.deepEqual(readJson(text), JSON.parse(text));
  });

  it("is JSON and nothing else", () => {
    for (const text of ["", "01", "{a:1}", "[1,]", "NaN", "1 2", "12345678901234567890 x"]) {
      assert.throws(() => readJson(text), SyntaxError, text);
    }
  });

  it("keeps a member called __proto__", () => {
    const value = readJson('{"__proto__":{"n":12345678901234567890}}');
    assert.deepEqual(Object.keys(value as object), ["__proto__"]);
  });
});

describe("a number as it was typed", () => {
  it("is read as JSON writes it", () => {
    assert.deepEqual(["0", "-1", " 2.5 ", "1e3", "1E-2"].map(readNumber), [0, -1, 2.5, 1000, 0.01]);
    assert.equal(exactDigits(readNumber("12345678901234567890")), "12345678901234567890");
  });

  it("is none while it is not finished, or was never going to be one", () => {
    for (const text of ["", "-", "1.", ".5", "1e", "0x10", "1,5", "Infinity", "one", "00"]) {
      assert.equal(readNumber(text), undefined, text);
    }
  });
});

describe("digits", () => {
  it("are those of exact numbers alone", () => {
    for (const value of [1, "1", null, undefined, { rawJSON: "1" }, []]) assert.equal(exactDigits(value), undefined);
    assert.equal(nearNumber("1"), undefined);
  });
});
