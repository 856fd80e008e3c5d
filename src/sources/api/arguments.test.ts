import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { answer, failure, operation, TestApis } from "../../../test/support/api-source.ts";
import { Payload } from "../../protocol/json/payload.ts";
import { jsonTextReader } from "./arguments.ts";

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

const apis = new TestApis();
afterEach(() => apis.close());

describe("_pick", () => {
  const text = JSON.stringify({ items: Array.from({ length: 300 }, (_, i) => ({ id: i, name: `item ${i}` })) });

  it("gives only what it selects, which is cut and paged like any answer", async () => {
    const { result } = await apis.open({ maxAnswerChars: 200 }, answer(200, text, "application/json"));
    const few = await result({ q: "x", _pick: "$.items[?@.id >= 298].name" });
    assert.deepEqual(few, { content: [{ type: "text", text: '[\n  "item 298",\n  "item 299"\n]' }] });
    const many = await result({ q: "x", _pick: "$.items[*].name" });
    assert.match(many.content[1]?.text ?? "", /^\[characters 0 to 200 of [0-9]+; .*_offset=200/);
    const next = await result({ q: "x", _pick: "$.items[*].name", _offset: 200 });
    assert.match(`${many.content[0]?.text}${next.content[0]?.text}`, /^\[\n {2}"item 0",\n {2}"item 1",/);
  });

  it("is not sent to the API, nor applied to what is no JSON", async () => {
    const { result, seen } = await apis.open({}, answer(200, "plain", "text/plain"));
    assert.equal((await result({ q: "x", _pick: "$.a" })).content[0]?.text, "plain");
    assert.deepEqual(
      seen.map(({ url }) => url),
      ["/v1/current.json?q=x"],
    );
  });

  it("that cannot be applied is the caller's to mend, and is told so in its language", async () => {
    const { call } = await apis.open({}, answer(200, text, "application/json"));
    const tooMuch = { q: "x", _pick: "$..[?count($..*) > count($..name)]" };
    const error = await failure(call("weather", tooMuch, "es"));
    assert.deepEqual([error.code, error.delivery], ["INVALID_ARGUMENT", "executed"]);
    assert.match(String(error.details.params?.["reason"]), /selecciona demasiado/);
  });
});
