import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Payload } from "../../protocol/json/payload.ts";
import { normalizeArguments } from "./source.ts";

describe("arguments of a house's tools", () => {
  const readings: readonly (readonly [string, object, object])[] = [
    ["call_service", { entity_id: ["light.a", "light.b"] }, { entity_id: "light.a,light.b" }],
    ["call_service", { area: ["Kitchen", "bedroom"], data: { x: [1] } }, { area: "Kitchen,bedroom", data: { x: [1] } }],
    ["create_automation", { trigger: { platform: "sun" } }, { trigger: [{ platform: "sun" }] }],
  ];
  for (const [tool, given, meant] of readings) {
    it(`are read as ${JSON.stringify(meant)}`, () =>
      assert.deepEqual(normalizeArguments(tool, Payload.ofValue(given)).value, meant));
  }

  it("stay as they were written where there is nothing to read", () => {
    for (const text of ['{"entity_id":"light.a","data":{"n":1.0}}', '{"entity_id":[7]}', "[]", "null"]) {
      const args = Payload.ofText(text);
      for (const tool of ["call_service", "get_entities", "__proto__"])
        assert.equal(normalizeArguments(tool, args), args);
    }
  });
});
