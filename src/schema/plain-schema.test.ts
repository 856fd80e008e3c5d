import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../test/support/seed.ts";
import { scanJson } from "../protocol/json/scan.ts";
import { makeSchemaChecker } from "./ajv-checker.ts";
import { asPlain, isPlainlyFit, plainIssues } from "./plain-schema.ts";

const compiler = makeSchemaChecker({ onSkipped: (reason) => assert.fail(reason) });

// Not __proto__: no message with such a key gets this far.
const NAMES = ["a", "b", "constructor", "n m"];
const KINDS = ["string", "number", "integer", "boolean", undefined];

const schemas = fc.record({
  type: fc.constant("object"),
  properties: fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom(...KINDS.map((type) => (type ? { type } : {})))),
  required: fc.uniqueArray(fc.constantFrom(...NAMES)),
  additionalProperties: fc.boolean(),
});
const values = fc.oneof(
  fc.dictionary(
    fc.constantFrom(...NAMES),
    fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
  ),
  fc.jsonValue(),
);

describe("a plain schema", () => {
  it("is checked here exactly as the compiler would check it", () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const plain = asPlain(schema);
        assert.ok(plain);
        // Inside allOf it is no plain schema any more, and the compiler has its turn.
        const compiled = compiler.check({ allOf: [schema] }, value).length === 0;
        assert.equal(plainIssues(plain, value, "en").length === 0, compiled, JSON.stringify([schema, value]));
      }),
      { numRuns: 300 },
    );
  });

  it("is not looked at closer only where that would find nothing", () => {
    let sure = 0;
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const plain = asPlain(schema);
        const scan = scanJson(JSON.stringify(value), { depth: 64, elements: 10_000 });
        if (!plain || !scan.ok || scan.kind !== "object" || !isPlainlyFit(plain, scan.members)) return;
        sure++;
        assert.deepEqual(plainIssues(plain, value, "en"), [], JSON.stringify([schema, value]));
      }),
      { numRuns: 2_000 },
    );
    assert.ok(sure > 20, `it was sure ${sure} times`);
  });

  it("names what is wrong in the caller's language", () => {
    const plain = asPlain({ type: "object", properties: { on: { type: "boolean" } }, additionalProperties: false });
    assert.ok(plain);
    assert.deepEqual(plainIssues(plain, { on: 1 }, "es"), [{ path: "on", rule: "debe ser true o false" }]);
    assert.deepEqual(plainIssues(plain, { off: 1 }, "en"), [{ path: "", rule: "must not have the member 'off'" }]);
  });

  for (const schema of [
    { type: "object", properties: { a: { type: "string", pattern: "x" } } },
    { type: "object", properties: { a: { type: ["string", "null"] } } },
    { type: "object", properties: { a: true } },
    { type: "object", patternProperties: {} },
    { properties: {} },
    { type: "object", additionalProperties: {} },
  ]) {
    it(`is none with one word more: ${JSON.stringify(schema)}`, () => assert.equal(asPlain(schema), undefined));
  }
});
