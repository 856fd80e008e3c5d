/** What would fit if types were coerced: the same for schemas that are checked plainly and for those that are compiled. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { makeSchemaChecker } from "./ajv-checker.ts";

type Schema = Record<string, unknown>;

const checker = makeSchemaChecker({ onSkipped: (reason) => assert.fail(reason) });
const TYPES = ["string", "number", "integer", "boolean"] as const;

/** With one word that is not plain, so that it has to be compiled. */
function compiled(schema: Schema): Schema {
  return { ...schema, minProperties: 0 };
}

describe("a value that does not fit as it is", () => {
  const cases: readonly (readonly [type: string, value: unknown, fits: boolean])[] = [
    ...[5, "5", "-1", true, null, ["5"]].map((value) => ["integer", value, true] as const),
    ...["5.5", "five", "", {}, [1, 2], "5,5"].map((value) => ["integer", value, false] as const),
    ...["5.5", "1e3", false].map((value) => ["number", value, true] as const),
    ...["x", {}, []].map((value) => ["number", value, false] as const),
    ...["true", "false", 0, 1, null].map((value) => ["boolean", value, true] as const),
    ...["yes", "", 2, {}].map((value) => ["boolean", value, false] as const),
    ...[5, true, null].map((value) => ["string", value, true] as const),
    ...[{}, ["a", "b"], []].map((value) => ["string", value, false] as const),
  ];
  for (const [type, value, fits] of cases) {
    it(`${JSON.stringify(value)} ${fits ? "may" : "cannot"} stand for a ${type}`, () => {
      const schema = { type: "object", properties: { a: { type } } };
      const before = JSON.stringify(value);
      assert.equal(checker.fitsCoerced(schema, { a: value }), fits);
      assert.equal(checker.fitsCoerced(compiled(schema), { a: value }), fits);
      assert.equal(JSON.stringify(value), before, "it is left as it was sent");
    });
  }

  const list = { type: "object", properties: { a: { type: "array", items: { type: "string" } } } };
  const deep = {
    type: "object",
    properties: {
      level: { type: "integer", minimum: 1, enum: [1, 2] },
      inner: { type: "object", properties: { on: { type: "boolean" } }, required: ["on"] },
    },
    required: ["inner"],
    additionalProperties: false,
  };
  const judged: readonly (readonly [what: string, schema: Schema, value: unknown, fits: boolean])[] = [
    ["one value stands for a list of such", list, { a: "x" }, true],
    ["an object stands for no list", list, { a: {} }, false],
    ["deeper down as well", deep, { inner: { on: "true" }, level: "2" }, true],
    ["what is missing stays missing", deep, { inner: {}, level: "2" }, false],
    ["a wrong choice stays wrong", deep, { inner: { on: true }, level: "3" }, false],
    ["an unknown member stays unknown", deep, { inner: { on: "true" }, more: 1 }, false],
  ];
  for (const [what, schema, value, fits] of judged) {
    it(what, () => assert.equal(checker.fitsCoerced(schema, value), fits));
  }

  it("is judged alike, plainly and compiled", () => {
    const leaf = fc.constantFrom<unknown>(null, true, false, 0, 1, 2.5, "", " ", "1", "2.5", "true", "x");
    const value = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(leaf, fc.array(leaf, { maxLength: 2 })));
    const member = fc.record({ type: fc.constantFrom(...TYPES) }, { requiredKeys: [] });
    const schema = fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(fc.constantFrom("a", "b"), member),
      required: fc.uniqueArray(fc.constantFrom("a", "b")),
      additionalProperties: fc.boolean(),
    });
    const alike = fc.property(schema, value, (one, given) => {
      assert.equal(checker.fitsCoerced(one, given), checker.fitsCoerced(compiled(one), given));
    });
    fc.assert(alike, { numRuns: 500 });
  });
});
