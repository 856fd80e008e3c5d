/** Schemas that mean no good: nothing hangs, nothing throws, and something can still be typed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fittingVariant } from "./form-variants.ts";
import { problemsIn } from "./problems.ts";
import type { Shape } from "./shape.ts";
import { Shapes } from "./shapes.ts";
import { startOfForm, startWhenSet } from "./start.ts";

/** Opens everything that there is to open, as somebody does who presses every button, for so many fields. */
function explore(schema: unknown, most = 1_000): Record<string, number> {
  const shapes = new Shapes(schema);
  const kinds: Record<string, number> = {};
  const open: unknown[] = [schema];
  for (let seen = 0; open.length > 0 && seen < most; seen++) {
    const next = open.shift();
    const shape = shapes.of(next);
    kinds[shape.kind] = (kinds[shape.kind] ?? 0) + 1;
    open.push(...innerOf(shape));
    problemsIn(shapes, next, startWhenSet(shapes, next));
    if (shape.kind === "variants") fittingVariant(shapes, shape.variants, { a: 1 });
  }
  assert.equal(typeof startOfForm(shapes, schema), "object");
  return kinds;
}

function innerOf(shape: Shape): readonly unknown[] {
  if (shape.kind === "object")
    return [
      ...shape.members.map((member) => member.schema),
      ...shape.patterns.map((each) => each.schema),
      shape.others,
    ];
  if (shape.kind === "array") return [...shape.first, shape.items];
  return shape.kind === "variants" ? shape.variants.map((variant) => variant.schema) : [];
}

function deep(depth: number, wrap: (inner: unknown) => unknown): unknown {
  return Array.from({ length: depth }).reduce<unknown>((inner) => wrap(inner), { type: "string" });
}

const NODE = {
  type: "object",
  properties: { child: { $ref: "#" }, kids: { type: "array", items: { $ref: "#" } } },
  required: ["child", "kids"],
};

describe("references in a circle", () => {
  const circles: Readonly<Record<string, unknown>> = {
    "to oneself": { $ref: "#" },
    "of two": { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
    "through allOf": { allOf: [{ $ref: "#" }, { properties: { a: {} } }] },
    "through an alternative of one": { anyOf: [{ $ref: "#" }] },
    "through alternatives": { oneOf: [{ $ref: "#" }, { type: "string" }, { $ref: "#" }] },
    "through null and oneself": { anyOf: [{ $ref: "#" }, { type: "null" }] },
    "of a tree that must be endless": NODE,
    "of a list of itself": { type: "array", items: { $ref: "#" }, minItems: 3 },
    "of a tuple of itself": { prefixItems: [{ $ref: "#" }, { $ref: "#" }] },
    "of other members": { type: "object", additionalProperties: { $ref: "#" } },
  };
  for (const [what, schema] of Object.entries(circles)) {
    it(`${what} end`, () => assert.ok(Object.keys(explore(schema)).length > 0));
  }

  it("of a tree are begun as deep as makes sense", () => {
    const depth = (value: unknown): number =>
      1 + (value && typeof value === "object" && "child" in value ? depth(value.child) : 0);
    const start = startOfForm(new Shapes(NODE), NODE);
    assert.ok(depth(start) > 2 && depth(start) < 12, String(depth(start)));
  });
});

describe("too much of everything", () => {
  const many = (count: number, make: (at: number) => unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, make(at)]));

  it("1,000 members, all of which must be given", () => {
    const properties = many(1_000, () => ({ type: "object", properties: { a: { const: 1 } }, required: ["a"] }));
    const schema = { type: "object", properties, required: Object.keys(properties) };
    assert.equal(explore(schema, 1_500)["object"], 1_001);
  });

  it("nested 50 deep, and 5,000", () => {
    const inObjects = deep(50, (inner) => ({ type: "object", properties: { in: inner }, required: ["in"] }));
    assert.deepEqual(explore(inObjects), { object: 50, any: 50, text: 1 });
    for (const key of ["allOf", "anyOf", "oneOf"]) explore(deep(50, (inner) => ({ [key]: [inner] })));
    explore(deep(5_000, (inner) => ({ type: "array", items: inner })));
    explore(deep(5_000, (inner) => ({ allOf: [inner] })));
    explore(deep(5_000, (inner) => ({ anyOf: [inner, { type: "null" }] })));
  });

  it("that doubles at every step", () => {
    for (const key of ["allOf", "anyOf", "oneOf"]) {
      const $defs = Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [
          `d${at}`,
          { [key]: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
        ]),
      );
      explore({ $ref: "#/$defs/d0", $defs: { ...$defs, d40: { type: "object", properties: { a: {} } } } }, 300);
    }
  });

  it("1,000 alternatives of 50 members", () => {
    const oneOf = Array.from({ length: 1_000 }, (_, at) => ({
      properties: { ...many(50, () => ({ type: "string" })), kind: { const: at } },
    }));
    assert.equal(explore({ oneOf }, 5)["variants"], 1);
  });

  it("a name for each of many parts", () => {
    const $defs = many(5_000, (at) => ({ $anchor: `a${at}`, $id: `d${at}.json`, type: "number" }));
    assert.equal(new Shapes({ $defs }).of({ $ref: "#a4999" }).kind, "number");
  });
});

describe("nonsense", () => {
  const odd = [
    null,
    0,
    "x",
    [],
    {},
    [[]],
    true,
    { $ref: "#/nowhere" },
    { $ref: "http://[" },
    { $ref: "" },
    { $id: "http://[", $ref: "x" },
  ];
  const keys = [
    "type",
    "properties",
    "required",
    "items",
    "prefixItems",
    "enum",
    "const",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "additionalProperties",
    "patternProperties",
    "minimum",
    "exclusiveMinimum",
    "minLength",
    "minItems",
    "maxItems",
    "default",
    "examples",
    "format",
    "pattern",
    "title",
    "description",
    "$ref",
    "$id",
    "$defs",
    "discriminator",
    "enumNames",
  ];
  for (const key of keys) {
    it(`in "${key}" is passed over`, () => {
      for (const value of odd) {
        for (const type of ["object", "array", "string", "number", undefined]) {
          explore({ type, properties: { inner: { type, [key]: value } }, [key]: value }, 60);
          explore({ oneOf: [{ [key]: value }, { type, [key]: value }], type: "object" }, 60);
        }
      }
    });
  }

  it("in names does no harm", () => {
    const names = JSON.parse('["__proto__", "constructor", "toString", "a b", "", "\\ud800", "/", "~"]') as string[];
    const properties = Object.fromEntries(names.map((name) => [name, { const: 1 }]));
    const schema = { type: "object", properties, required: names };
    explore(schema);
    assert.deepEqual(Object.keys(startOfForm(new Shapes(schema), schema)), names);
    assert.equal(problemsIn(new Shapes(schema), schema, {}).size, names.length);
  });
});
