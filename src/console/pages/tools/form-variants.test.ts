/** Which variant a value looks like, and what becomes of it as another. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asVariant, fittingVariant } from "./form-variants.ts";
import { Shapes } from "./shapes.ts";

function guess(variants: readonly unknown[], value: unknown): number {
  const schema = { oneOf: variants };
  const shapes = new Shapes(schema);
  const shape = shapes.of(schema);
  assert.ok(shape.kind === "variants");
  return fittingVariant(shapes, shape.variants, value);
}

const CIRCLE = {
  properties: { kind: { const: "circle" }, r: { type: "number" }, name: { type: "string" } },
  required: ["kind", "r"],
};
const SQUARE = {
  properties: { kind: { const: "square" }, a: { type: "number" }, name: { type: "string" } },
  required: ["kind", "a"],
};

describe("a value is taken for the variant", () => {
  it("of its type", () => {
    const types = ["string", "integer", "number", "boolean", "object", "array"].map((type) => ({ type }));
    const values = ["x", 1, 1.5, true, {}, []];
    assert.deepEqual(
      values.map((value) => guess(types, value)),
      [0, 1, 2, 3, 4, 5],
    );
  });

  it("whose constant it has", () => {
    assert.equal(guess([CIRCLE, SQUARE], { kind: "square" }), 1);
    assert.equal(guess([CIRCLE, SQUARE], { kind: "square", r: 1 }), 1);
    assert.equal(guess([CIRCLE, SQUARE], { kind: "other" }), 0);
  });

  it("whose members it has, and no others", () => {
    const one = { type: "object", properties: { a: {}, b: {} }, additionalProperties: false };
    const two = { type: "object", properties: { a: {}, c: {} }, additionalProperties: false };
    assert.deepEqual(
      [{ b: 1 }, { a: 1, c: 1 }, { a: 1 }].map((value) => guess([one, two], value)),
      [0, 1, 0],
    );
    assert.equal(guess([{ required: ["x"] }, { required: ["y"] }], { y: 1 }), 1);
  });

  it("inside which it fits a variant", () => {
    assert.equal(guess([{ type: "string" }, { oneOf: [CIRCLE, SQUARE] }], { kind: "square" }), 1);
  });

  it("that may be null", () => {
    assert.equal(guess([{ type: "string" }, { type: ["number", "null"] }, { type: "boolean" }], null), 1);
  });
});

describe("as another variant", () => {
  const shapes = new Shapes({});
  it("a value keeps what has a place there", () => {
    const value = { kind: "circle", r: 2, name: "sun" };
    assert.deepEqual(asVariant(shapes, { schema: SQUARE }, value), { kind: "square", name: "sun" });
  });

  it("a value of another type is begun anew", () => {
    assert.equal(asVariant(shapes, { schema: { type: "string" } }, { a: 1 }), "");
    assert.deepEqual(asVariant(shapes, { schema: SQUARE }, "text"), { kind: "square" });
  });
});
