import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EMPTY_OBJECT, Payload } from "./payload.ts";

describe("a payload", () => {
  const spellings = ['{"b":1,"a":2}', '{ "n" : 1.0e2 }', "12345678901234567890", '"\\u00e9"', "-0", "[1, 2]", "null"];
  for (const text of spellings) {
    it(`keeps the characters of ${text}, also after somebody has looked into it`, () => {
      const payload = Payload.ofText(text);
      assert.deepEqual(payload.value, JSON.parse(text));
      assert.equal(payload.text, text);
    });
  }

  it("writes a value out", () => assert.equal(Payload.ofValue({ a: [1, "é"] }).text, '{"a":[1,"é"]}'));

  it("makes each form once and shares it", () => {
    const read = Payload.ofText('{"a":{}}');
    assert.equal(read.value, read.value);
    let written = 0;
    const counted = Payload.ofValue({ toJSON: () => ++written });
    assert.deepEqual([counted.text, counted.text], ["1", "1"]);
  });

  it("does not parse what nobody looks into", () =>
    assert.equal(Payload.ofText("not looked at").text, "not looked at"));

  it("is never without a text", () => {
    assert.equal(Payload.ofValue(undefined).text, "null");
    assert.equal(EMPTY_OBJECT.text, "{}");
  });
});
