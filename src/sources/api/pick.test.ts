import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { answer, failure, TestApis } from "../../../test/support/api-source.ts";

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
