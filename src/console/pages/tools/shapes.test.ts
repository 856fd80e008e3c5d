/** Schemas as servers write them, and what a form draws of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Member, Shape } from "./shape.ts";
import { Shapes } from "./shapes.ts";

function shapeOf(schema: unknown, root: unknown = schema): Shape {
  return new Shapes(root).of(schema);
}

/** Without what it says of itself. */
function bare(schema: unknown, root?: unknown): object {
  const { about: _, ...rest } = shapeOf(schema, root ?? schema);
  return JSON.parse(JSON.stringify(rest));
}

function kindOf(schema: unknown): string {
  return shapeOf(schema).kind;
}

/** Follows names of members, places of items and variants. */
function at(root: unknown, ...way: readonly (string | number)[]): Shape {
  const shapes = new Shapes(root);
  return way.reduce((shape, step) => shapes.of(inner(shape, step)), shapes.of(root));
}

function inner(shape: Shape, step: string | number): unknown {
  if (shape.kind === "object")
    return membersOf(shape).find(({ name }) => name === step)?.schema ?? assert.fail(`no ${step}`);
  if (shape.kind === "array") return typeof step === "number" ? (shape.first[step] ?? shape.items) : assert.fail();
  return shape.kind === "variants" ? shape.variants[Number(step)]?.schema : assert.fail(`${shape.kind} at ${step}`);
}

function membersOf(shape: Shape): readonly Member[] {
  return shape.kind === "object" ? shape.members : assert.fail(shape.kind);
}

function labelsOf(shape: Shape): readonly (string | undefined)[] {
  if (shape.kind === "choice") return shape.choices.map(({ label }) => label);
  return shape.kind === "variants" ? shape.variants.map(({ label }) => label) : assert.fail(shape.kind);
}

describe("a simple schema", () => {
  const kinds: readonly (readonly [unknown, string])[] = [
    [{ type: "string" }, "text"],
    [{ type: "number" }, "number"],
    [{ type: "integer" }, "number"],
    [{ type: "boolean" }, "boolean"],
    [{ type: "null" }, "null"],
    [{ type: "object" }, "object"],
    [{ type: "array" }, "array"],
    [{ enum: ["a", 1, null] }, "choice"],
    [{ const: null }, "const"],
    [{ enum: ["only"] }, "const"],
    [true, "any"],
    [{}, "any"],
    [false, "never"],
    [{ enum: [] }, "never"],
    [{ description: "whatever" }, "any"],
    [{ type: "file" }, "any"],
    // Nothing that a server may list is a reason to fail.
    ...[null, undefined, 7, "string", [], { type: 7 }, { type: null }].map((odd) => [odd, "any"] as const),
  ];
  for (const [schema, kind] of kinds) {
    it(`${JSON.stringify(schema)} is "${kind}"`, () => assert.equal(kindOf(schema), kind));
  }

  it("without a type is what its rules are about", () => {
    assert.equal(kindOf({ properties: {} }), "object");
    assert.equal(kindOf({ properties: null, required: "a" }), "object");
    assert.equal(kindOf({ required: ["a"] }), "object");
    assert.equal(kindOf({ items: {} }), "array");
    assert.equal(kindOf({ pattern: "^a" }), "text");
    assert.equal(kindOf({ minimum: 1 }), "number");
  });

  it("tells what it says of itself", () => {
    const { about } = shapeOf({
      type: "string",
      title: "Room",
      description: "Where",
      default: "salon",
      examples: ["salon"],
      example: "cocina",
      deprecated: true,
    });
    assert.deepEqual(about, {
      title: "Room",
      description: "Where",
      default: "salon",
      examples: ["salon", "cocina"],
      deprecated: true,
      nullable: false,
      furtherRules: false,
      broken: undefined,
    });
    assert.equal(shapeOf({ type: "string", title: 7, description: {} }).about.title, undefined);
  });

  it("tells that it has rules which only the hub checks", () => {
    for (const rule of ["not", "if", "dependentRequired", "propertyNames"]) {
      assert.ok(shapeOf({ type: "object", [rule]: {} }).about.furtherRules, rule);
    }
  });
});

describe("text and numbers", () => {
  it("have their bounds, open and closed, in old words and new ones", () => {
    const bounds: readonly (readonly [object, object])[] = [
      [
        { minimum: 0, maximum: 9 },
        { least: 0, most: 9, openBelow: false, openAbove: false },
      ],
      [
        { exclusiveMinimum: 0, exclusiveMaximum: 1 },
        { least: 0, most: 1, openBelow: true, openAbove: true },
      ],
      [
        { minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: false },
        { least: 0, most: 1, openBelow: true, openAbove: false },
      ],
      [
        { minimum: 5, exclusiveMinimum: 3 },
        { least: 5, openBelow: false, openAbove: false },
      ],
      [{ minimum: "1" }, { openBelow: false, openAbove: false }],
    ];
    for (const [rules, expected] of bounds) {
      assert.deepEqual(bare({ type: "number", ...rules }), { kind: "number", whole: false, ...expected });
    }
    assert.deepEqual(bare({ type: "integer", multipleOf: 5 }), {
      kind: "number",
      whole: true,
      step: 5,
      openBelow: false,
      openAbove: false,
    });
  });

  it("have format, pattern and length; what is meant to be long is", () => {
    const rules = { format: "email", pattern: "@", minLength: 3, maxLength: 50 };
    assert.deepEqual(bare({ type: "string", ...rules }), {
      kind: "text",
      format: "email",
      pattern: "@",
      shortest: 3,
      longest: 50,
      long: false,
    });
    const isLong = (schema: object): unknown => (bare({ type: "string", ...schema }) as { long?: unknown }).long;
    assert.deepEqual([{ maxLength: 2000 }, { contentMediaType: "text/html" }, { format: "textarea" }, {}].map(isLong), [
      true,
      true,
      true,
      false,
    ]);
  });
});

describe("an object", () => {
  it("has what must be given first, else in the order of the schema", () => {
    const schema = { type: "object", properties: { a: {}, b: {}, c: {}, d: {} }, required: ["d", "b", "e", 7] };
    const members = membersOf(shapeOf(schema)).map(({ name, required }) => `${name}${required ? "!" : ""}`);
    assert.deepEqual(members, ["b!", "d!", "e!", "a", "c"]);
  });

  it("has no member that must not be given", () => {
    assert.deepEqual(
      membersOf(shapeOf({ properties: { a: false, b: true } })).map(({ name }) => name),
      ["b"],
    );
  });

  it("is open to other members where that is said, or where nothing is said at all", () => {
    const open = (schema: object): unknown => (bare({ type: "object", ...schema }) as { isOpen?: unknown }).isOpen;
    const properties = { a: {} };
    assert.equal(open({}), true);
    assert.equal(open({ properties: {} }), false);
    assert.equal(open({ properties }), false);
    assert.equal(open({ properties, additionalProperties: true }), true);
    assert.equal(open({ properties, additionalProperties: { type: "number" } }), true);
    assert.equal(open({ properties, additionalProperties: false }), false);
    assert.equal(open({ additionalProperties: false }), false);
    assert.equal(open({ additionalProperties: false, patternProperties: { "^n_": {} } }), true);
  });

  it("tells what other members must be", () => {
    const schema = { patternProperties: { "^n_": { type: "number" } }, additionalProperties: { type: "string" } };
    const shape = bare(schema) as { patterns?: unknown; others?: unknown };
    assert.deepEqual(shape.patterns, [{ pattern: "^n_", schema: { type: "number" } }]);
    assert.deepEqual(shape.others, { type: "string" });
  });
});

describe("a list", () => {
  it("has items, as many as it may", () => {
    const schema = { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 };
    assert.deepEqual(bare(schema), { kind: "array", first: [], items: { type: "string" }, fewest: 1, most: 3 });
    assert.deepEqual(bare({ type: "array" }), { kind: "array", first: [], items: true, fewest: 0 });
  });

  it("is a tuple in both ways of writing one", () => {
    const [a, b] = [{ type: "string" }, { type: "number" }];
    assert.deepEqual(bare({ prefixItems: [a, b], items: false }), { kind: "array", first: [a, b], fewest: 0 });
    assert.deepEqual(bare({ items: [a, b], additionalItems: a }), {
      kind: "array",
      first: [a, b],
      items: a,
      fewest: 0,
    });
  });
});

describe("a reference", () => {
  const root = {
    $id: "https://example.com/root.json",
    properties: { home: { $ref: "#/$defs/place" }, work: { $ref: "#/definitions/a~1b%25c" }, by: { $ref: "#spot" } },
    $defs: {
      place: { type: "string", title: "Place" },
      spot: { $anchor: "spot", type: "number" },
      far: { $id: "far.json", type: "boolean" },
    },
    definitions: { "a/b%c": { type: "integer" } },
  };

  it("is followed by pointer, by anchor and by name", () => {
    assert.equal(at(root, "home").kind, "text");
    assert.equal(at(root, "work").kind, "number");
    assert.equal(at(root, "by").kind, "number");
    const names = ["far.json", "https://example.com/far.json", "https://example.com/root.json#/$defs/far"];
    for (const $ref of names) assert.equal(shapeOf({ $ref }, root).kind, "boolean", $ref);
    assert.equal(shapeOf({ $ref: "#" }, root).kind, "object");
    assert.equal(shapeOf({ $dynamicRef: "#spot" }, root).kind, "number");
    assert.equal(shapeOf({ $recursiveRef: "#" }, root).kind, "object");
  });

  it("keeps what stands beside it, which counts first", () => {
    const { about } = shapeOf({ $ref: "#/$defs/place", title: "Home", description: "Where one lives" }, root);
    assert.deepEqual([about.title, about.description], ["Home", "Where one lives"]);
  });

  it("to nothing is anything, and says so", () => {
    for (const $ref of ["#/$defs/none", "#none", "https://example.org/x.json", "#/$defs/place/type/x", "#/%E0%A4%A"]) {
      const shape = shapeOf({ $ref }, root);
      assert.deepEqual([shape.kind, shape.about.broken], ["any", $ref]);
    }
    assert.equal(shapeOf({ $ref: 7 }, root).kind, "any");
  });

  it("is not led outside the document by names that every object has", () => {
    for (const $ref of ["#/__proto__", "#/constructor", "#/$defs/toString"]) {
      assert.equal(shapeOf({ $ref }, root).about.broken, $ref);
    }
  });
});

describe("allOf", () => {
  it("is one schema in which all hold", () => {
    const schema = {
      allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { $ref: "#/$defs/b" }],
      properties: { c: true },
      $defs: { b: { properties: { b: { type: "number", minimum: 1 }, a: { minLength: 2 } }, required: ["b"] } },
    };
    const names = membersOf(shapeOf(schema)).map(({ name, required }) => `${name}${required ? "!" : ""}`);
    assert.deepEqual(names, ["a!", "b!", "c"]);
    const a = at(schema, "a");
    assert.ok(a.kind === "text" && a.shortest === 2);
  });

  it("has the narrower bounds, the common types and the common choices", () => {
    const number = shapeOf({
      allOf: [
        { type: "number", minimum: 1, maximum: 9 },
        { type: ["integer", "string"], minimum: 3, maximum: 20 },
      ],
    });
    assert.ok(number.kind === "number" && number.whole && number.least === 3 && number.most === 9);
    assert.deepEqual(labelsOf(shapeOf({ allOf: [{ enum: ["a", "b", "c"] }, { enum: ["c", "b"] }] })), ["b", "c"]);
  });

  it("of what cannot be is nothing", () => {
    assert.equal(kindOf({ allOf: [{ type: "string" }, { type: "number" }] }), "never");
    assert.equal(kindOf({ allOf: [{ const: 1 }, { const: 2 }] }), "never");
    assert.equal(kindOf({ allOf: [{ enum: [1] }, { enum: [2] }] }), "never");
    assert.equal(kindOf({ allOf: [{ type: "string" }, false] }), "never");
  });

  it("leaves alternatives to be chosen one after the other", () => {
    const schema = {
      allOf: [
        {
          oneOf: [
            { title: "A", properties: { a: {} } },
            { title: "B", properties: { b: {} } },
          ],
        },
        {
          anyOf: [
            { title: "C", properties: { c: {} } },
            { title: "D", properties: { d: {} } },
          ],
        },
      ],
      properties: { always: {} },
    };
    assert.deepEqual(labelsOf(shapeOf(schema)), ["A", "B"]);
    const second = at(schema, 1);
    assert.equal(second.kind, "variants");
    assert.deepEqual(
      membersOf(at(schema, 1, 0))
        .map(({ name }) => name)
        .sort(),
      ["always", "b", "c"],
    );
  });
});

describe("alternatives", () => {
  it("of values are a choice with names", () => {
    const schema = { oneOf: [{ const: "hero-1", title: "Superman" }, { const: 2 }, { enum: ["x", "y"] }] };
    assert.deepEqual(labelsOf(shapeOf(schema)), ["Superman", "2", "x", "y"]);
    assert.deepEqual(labelsOf(shapeOf({ enum: ["pet-1", "pet-2", ""], enumNames: ["Cats"] })), ["Cats", "pet-2", '""']);
  });

  it("with null are the other, or nothing", () => {
    const optional = shapeOf({
      anyOf: [{ type: "string", minLength: 1 }, { type: "null" }],
      default: null,
      title: "Name",
    });
    assert.ok(optional.kind === "text" && optional.shortest === 1 && optional.about.nullable);
    assert.deepEqual([optional.about.title, optional.about.default], ["Name", null]);
    assert.ok(shapeOf({ type: ["number", "null"] }).about.nullable);
    assert.ok(shapeOf({ type: "string", nullable: true }).about.nullable);
    assert.ok(shapeOf({ anyOf: [{ type: "string" }, { type: "number" }, { const: null }] }).about.nullable);
  });

  it("that cannot be are not offered", () => {
    assert.equal(kindOf({ oneOf: [false, { type: "string" }] }), "text");
    assert.equal(kindOf({ anyOf: [false, { type: "null" }] }), "null");
    assert.equal(kindOf({ anyOf: [false] }), "never");
    assert.equal(kindOf({ anyOf: [] }), "any");
    assert.equal(kindOf({ oneOf: "no list" }), "any");
  });

  it("are named by title, by the member that tells them apart, by reference or by type", () => {
    const circle = { properties: { kind: { const: "circle" }, r: { type: "number" } }, required: ["kind"] };
    const square = { properties: { kind: { enum: ["square"] }, a: { type: "number" } }, required: ["kind"] };
    const told = shapeOf({ oneOf: [circle, square] });
    assert.deepEqual(labelsOf(told), ["circle", "square"]);
    assert.equal(told.kind === "variants" && told.discriminator, "kind");
    assert.deepEqual(labelsOf(shapeOf({ oneOf: [{ ...circle, title: "Round" }, square] })), ["Round", "square"]);
    const root = {
      anyOf: [{ $ref: "#/$defs/Cat" }, { $ref: "#/$defs/Dog" }],
      $defs: { Cat: { properties: { a: {} } }, Dog: { properties: { b: {} } } },
    };
    assert.deepEqual(labelsOf(shapeOf(root)), ["Cat", "Dog"]);
    assert.deepEqual(labelsOf(shapeOf({ anyOf: [{ type: "string" }, { type: "number" }, { items: {} }] })), [
      "string",
      "number",
      undefined,
    ]);
    assert.deepEqual(labelsOf(shapeOf({ type: ["string", "integer"] })), ["string", "integer"]);
  });

  it("of the same name are numbered", () => {
    const schema = {
      anyOf: [{ type: "object", required: ["a"] }, { type: "object", required: ["b"] }, { type: "string" }],
    };
    assert.deepEqual(labelsOf(shapeOf(schema)), ["object (1)", "object (2)", "string"]);
  });

  it("hold together with what stands beside them", () => {
    const schema = {
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
      oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }],
    };
    assert.deepEqual(
      membersOf(at(schema, 1)).map(({ name }) => name),
      ["id", "b"],
    );
  });

  it("are told apart as OpenAPI says", () => {
    const pet = (petType: string) => ({ properties: { petType: { type: "string", enum: [petType] } } });
    const shape = shapeOf({ oneOf: [pet("cat"), pet("dog")], discriminator: { propertyName: "petType" } });
    assert.deepEqual(labelsOf(shape), ["cat", "dog"]);
    assert.equal(shape.kind === "variants" && shape.discriminator, "petType");
  });
});

describe("the same schema", () => {
  it("is looked at once", () => {
    const shapes = new Shapes({});
    const schema = { anyOf: [{ type: "string" }, { type: "number" }] };
    assert.equal(shapes.of(schema), shapes.of(schema));
  });
});
