/** The checker lets through exactly what plain Ajv lets through, for schemas in which nothing is left out. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fc } from "../../test/support/seed.ts";
import { makeSchemaChecker } from "./ajv-checker.ts";

const OPTIONS = {
  code: { optimize: false },
  strict: false,
  ownProperties: true,
  multipleOfPrecision: 9,
  meta: false,
  validateSchema: false,
};

type Schema = Record<string, unknown>;

const name = fc.constantFrom("a", "b", "c");
const leaf = fc.constantFrom<unknown>(null, true, 0, 1, 2.5, "", "a", "ab", "b1");
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
})).value;

const type = fc.constantFrom("object", "array", "string", "number", "integer", "boolean", "null");
const plain = fc.record<Schema>(
  {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.array(leaf, { minLength: 1, maxLength: 4 }),
    const: leaf,
    minimum: fc.integer({ min: 0, max: 2 }),
    exclusiveMaximum: fc.integer({ min: 1, max: 3 }),
    multipleOf: fc.constantFrom(1, 0.5),
    minLength: fc.nat(2),
    pattern: fc.constantFrom("^a", "b$", "\\d"),
    minItems: fc.nat(2),
    uniqueItems: fc.boolean(),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    maxProperties: fc.nat(3),
    dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
    description: fc.string(),
  },
  { requiredKeys: [] },
);
const schema = fc.letrec<{ schema: Schema | boolean; object: Schema; list: (Schema | boolean)[] }>((tie) => ({
  schema: fc.oneof({ maxDepth: 3 }, plain, fc.boolean(), reference(), tie("object")),
  list: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
  object: fc
    .tuple(
      plain,
      fc.record<Schema>(
        {
          properties: fc.dictionary(name, tie("schema"), { maxKeys: 3 }),
          patternProperties: fc.dictionary(fc.constantFrom("^a", "[bc]"), tie("schema"), { maxKeys: 2 }),
          additionalProperties: tie("schema"),
          propertyNames: tie("schema"),
          unevaluatedProperties: tie("schema"),
          unevaluatedItems: tie("schema"),
          items: tie("schema"),
          prefixItems: tie("list"),
          contains: tie("schema"),
          not: tie("schema"),
          if: tie("schema"),
          else: tie("schema"),
          allOf: tie("list"),
          anyOf: tie("list"),
          oneOf: tie("list"),
          dependentSchemas: fc.dictionary(name, tie("schema"), { maxKeys: 2 }),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([simple, compound]) => ({ ...pick(simple, 1), ...pick(compound, 3) })),
})).object;

function reference(): fc.Arbitrary<Schema> {
  return fc.constantFrom({ $ref: "#/$defs/one" }, { $ref: "#/$defs/two" });
}

/** Schemas that say everything at once fit nothing. */
function pick(from: Schema, count: number): Schema {
  return Object.fromEntries(Object.entries(from).slice(0, count));
}

describe("the checker and plain Ajv", () => {
  it("agree on what fits", () => {
    const skipped: string[] = [];
    const checker = makeSchemaChecker({ onSkipped: (reason) => skipped.push(reason) });
    let [fitting, compared] = [0, 0];
    fc.assert(
      fc.property(schema, plain, schema, fc.array(value, { minLength: 5, maxLength: 5 }), (top, one, two, values) => {
        // Definitions that refer to others may go in circles for ever, in either of the two.
        const whole = { ...top, $defs: { one, two: JSON.parse(JSON.stringify(two).replaceAll("/two", "/one")) } };
        const validate = new Ajv2020(OPTIONS).compile(whole);
        checker.check(whole, null);
        // What is too large to be compiled in time is left out whole; the limit has a test of its own.
        const reasons = skipped.splice(0);
        if (reasons.includes("it would take too long to compile")) return;
        assert.deepEqual(reasons, []);
        compared++;
        for (const candidate of values) {
          const fits = validate(candidate) as boolean;
          fitting += fits ? 1 : 0;
          assert.equal(checker.check(whole, candidate).length === 0, fits, JSON.stringify([whole, candidate]));
        }
      }),
      { numRuns: 60 },
    );
    assert.deepEqual(skipped, []);
    assert.ok(fitting > 20 && compared > 40, `else nothing was compared: ${fitting} of ${compared} schemas`);
  });
});
