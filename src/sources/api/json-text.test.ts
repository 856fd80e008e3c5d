import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { operation } from "../../../test/support/api-source.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { jsonTextReader } from "./json-text.ts";

const inputSchema = {
  type: "object",
  properties: { list: { type: "array" }, fields: { type: "object" }, text: { type: "string" } },
};
const [lenient, exact] = [{ name: "lenient", jsonText: true } as const, { name: "exact" }];
const read = jsonTextReader([operation({ ...lenient, inputSchema }), operation({ ...exact, inputSchema })]);

describe("null", () => {
  it("is said of what is not given, and the rest stays as it was written", () => {
    const args = Payload.ofText('{"text":null, "n":1.50,"list":"[null]","more":{"a":null}}');
    assert.equal(read?.("lenient", args).text, '{"n":1.50,"list":[null],"more":{"a":null}}');
    assert.equal(read?.("lenient", Payload.ofText('{"text":null}')).text, "{}");
  });

  it("is a value for operations that did not ask for anything else", () => {
    const args = Payload.ofText('{"text":null}');
    assert.equal(read?.("exact", args), args);
  });
});

describe("a text of JSON", () => {
  const readings: readonly (readonly [string, string])[] = [
    ['{"list":"[\\"a\\", 12345678901234567890]","n":1.50}', '{"list":["a", 12345678901234567890],"n":1.50}'],
    ['{"fields":" {\\"a\\":\\n1} "}', '{"fields":{"a":\n1}}'],
    ['{"list":"[]","fields":"{}"}', '{"list":[],"fields":{}}'],
  ];
  for (const [given, meant] of readings) {
    it(`is what stands in it: ${given}`, () => {
      assert.equal(read?.("lenient", Payload.ofText(given)).text, meant);
    });
  }

  it("is a text where a text is wanted, where it is something else, and where it is no JSON", () => {
    const texts = [
      '{"text":"[1]"}',
      '{"list":"{}","fields":"[]"}',
      '{"list":"[1","fields":"{a}"}',
      '{"list":[1]}',
      "[]",
    ];
    for (const text of texts) {
      const args = Payload.ofText(text);
      assert.equal(read?.("lenient", args), args);
    }
  });

  it("is a text for operations that did not ask for anything else", () => {
    const args = Payload.ofText('{"list":"[1]"}');
    assert.equal(read?.("exact", args), args);
    assert.equal(read?.("unknown", args), args);
    assert.equal(jsonTextReader([operation({ ...exact, inputSchema })]), undefined);
  });
});
