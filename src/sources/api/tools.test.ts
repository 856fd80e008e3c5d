import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { operation } from "../../../test/support/api-source.ts";
import { LANGUAGES } from "../../messages/catalogue.ts";
import { toolOf, translated, waysOf } from "./tools.ts";

describe("a tool of an API in another language", () => {
  const own = operation({});
  const tool = toolOf(own, waysOf(own));

  it("says what we added in that language, and what is the API's as it is", () => {
    const texts = LANGUAGES.map((language) => propertiesOf(translated(tool, language)));
    assert.equal(new Set(texts.map(({ _pick }) => _pick?.description)).size, LANGUAGES.length);
    assert.equal(new Set(texts.map(({ _offset }) => _offset?.description)).size, LANGUAGES.length);
    for (const properties of texts) {
      assert.deepEqual(Object.keys(properties), ["q", "_pick", "_offset"]);
      assert.deepEqual(properties["q"], { type: "string" });
      assert.match(String(properties["_pick"]?.description), /\$\.items\[\*\]\.name/);
    }
    assert.equal(translated(tool, "en"), tool);
  });

  it("leaves alone what only has the same name", () => {
    const inputSchema = { type: "object", properties: { _pick: { description: "a fruit" } } };
    const clashing = operation({ inputSchema });
    const { _pick, _offset } = propertiesOf(translated(toolOf(clashing, waysOf(clashing)), "es"));
    assert.equal(_pick?.description, "a fruit");
    assert.match(String(_offset?.description), /carácter/);
    const plain = toolOf(operation({ plain: true }), { offset: true, pick: true });
    assert.equal(translated(plain, "es"), plain);
  });
});

function propertiesOf({ inputSchema }: ReturnType<typeof toolOf>): Record<string, { readonly description?: string }> {
  return inputSchema["properties"] as Record<string, { readonly description?: string }>;
}
