import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { selfContained } from "./self-contained.ts";

type Json = Record<string, unknown>;

const OPTIONS = { strict: false, validateFormats: false } as const;
const COLOUR = { type: "object", properties: { r: { type: "integer" } }, required: ["r"] };

function assertWithoutReferences(schema: unknown): void {
  assert.doesNotMatch(JSON.stringify(schema), /"(?:\$\w+|definitions|additionalItems)":/);
}

/** That both take and refuse the same of these. */
function assertSameMeaning(schema: Json, samples: readonly unknown[]): void {
  const old = String(schema["$schema"] ?? "").includes("draft-07");
  const before = old ? new Ajv(OPTIONS).compile(schema) : new Ajv2020(OPTIONS).compile(schema);
  const written = selfContained(schema);
  assertWithoutReferences(written);
  const after = new Ajv2020(OPTIONS).compile(written);
  const verdicts = samples.map((sample) => before(sample));
  assert.deepEqual(
    samples.map((sample) => after(sample)),
    verdicts,
    JSON.stringify(written),
  );
  assert.ok(verdicts.includes(true) && verdicts.includes(false), "the samples tell nothing");
}

const SAMPLES = [
  {},
  { a: { r: 1 } },
  { a: { r: "x" } },
  { a: {} },
  { a: { r: 1 }, b: [{ r: 1 }] },
  { a: { r: 1 }, b: [{}] },
  { a: 1 },
  { a: "x" },
  { a: [1, "x"] },
  { a: ["x", 1] },
  { a: [1, "x", true] },
  { a: [1, "x", 3] },
];

describe("a schema without references", () => {
  it("is the schema, where it has none", () => {
    const schema = { type: "object", properties: { items: { type: "array", items: { type: "string" } } } };
    assert.equal(selfContained(schema), schema);
  });

  const alike: readonly (readonly [string, Json])[] = [
    [
      "definitions in $defs",
      {
        properties: { a: { $ref: "#/$defs/c" }, b: { items: { $ref: "#/$defs/c" } } },
        $defs: { c: COLOUR },
      },
    ],
    [
      "definitions of before 2019",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        properties: { a: { $ref: "#/definitions/c" }, b: { items: { $ref: "#/definitions/c" } } },
        definitions: { c: COLOUR },
      },
    ],
    [
      "definitions of definitions",
      { properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { $ref: "#/$defs/c" }, c: COLOUR } },
    ],
    ["a place that is no definition", { properties: { a: COLOUR, b: { items: { $ref: "#/properties/a" } } } }],
    ["a place whose name is escaped", { properties: { a: { $ref: "#/$defs/x~1y%20~0" } }, $defs: { "x/y ~": COLOUR } }],
    ["an anchor", { properties: { a: { $ref: "#c" } }, $defs: { x: { $anchor: "c", ...COLOUR } } }],
    [
      "its own identifier",
      {
        $id: "https://me.example/x",
        properties: { a: { $ref: "https://me.example/x#/$defs/c" } },
        $defs: { c: COLOUR },
      },
    ],
    ["a reference at the top", { $ref: "#/$defs/all", $defs: { all: { properties: { a: COLOUR } } } }],
    [
      "a rule beside a reference",
      { properties: { a: { $ref: "#/$defs/c", maxProperties: 0 } }, $defs: { c: { type: "object" } } },
    ],
    [
      "the same rule beside a reference",
      { properties: { a: { $ref: "#/$defs/c", required: [] } }, $defs: { c: COLOUR } },
    ],
    [
      "a rule beside a reference and allOf",
      { properties: { a: { $ref: "#/$defs/c", allOf: [{ required: ["r"] }] } }, $defs: { c: { type: "object" } } },
    ],
    ["a reference to nothing at all", { properties: { a: { $ref: "#/$defs/never" } }, $defs: { never: false } }],
    [
      "a list for places of before 2020",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        properties: { a: { items: [{ type: "integer" }, { type: "string" }], additionalItems: { type: "boolean" } } },
      },
    ],
    [
      "references inside of allOf, anyOf, not and if",
      {
        properties: { a: { anyOf: [{ allOf: [{ $ref: "#/$defs/c" }] }, { not: { $ref: "#/$defs/o" } }] } },
        $defs: { c: COLOUR, o: { type: "object" } },
      },
    ],
  ];
  for (const [what, schema] of alike) {
    it(`means the same: ${what}`, () => assertSameMeaning({ type: "object", ...schema }, SAMPLES));
  }

  it("takes an identifier that is no text for none", () => {
    const written = selfContained({ $id: { toString: 0 }, type: "object", $ref: "#/$defs/c", $defs: { c: COLOUR } });
    assertWithoutReferences(written);
  });

  it("takes a dynamic reference for a plain one, since there is only one schema", () => {
    const $defs = { c: { $dynamicAnchor: "c", ...COLOUR } };
    const written = selfContained({ type: "object", properties: { a: { $dynamicRef: "#c" } }, $defs });
    assert.deepEqual(written, { type: "object", properties: { a: COLOUR } });
  });

  it("keeps notes beside a reference, and properties that are called like keywords", () => {
    const properties = {
      a: { $ref: "#/$defs/c", description: "mine" },
      $ref: { type: "string" },
      definitions: { type: "string" },
      default: { $ref: "#/$defs/c" },
      ["__proto__"]: { $ref: "#/$defs/c" },
    };
    const written = selfContained({ type: "object", properties, $defs: { c: { type: "object", description: "its" } } });
    assert.equal(
      JSON.stringify(written),
      JSON.stringify({
        type: "object",
        properties: {
          a: { type: "object", description: "mine" },
          $ref: { type: "string" },
          definitions: { type: "string" },
          default: { type: "object", description: "its" },
          ["__proto__"]: { type: "object", description: "its" },
        },
      }),
    );
  });

  it("leaves data alone that looks like a reference", () => {
    const data = { $ref: "#/$defs/c", $id: "x" };
    const a = { const: data, default: data, enum: [data], examples: [data] };
    assert.deepEqual(selfContained({ type: "object", properties: { a } }), { type: "object", properties: { a } });
  });

  it("says less where it would refer to itself", () => {
    const node = { type: "object", description: "a node", properties: { next: { $ref: "#/$defs/node" } } };
    const written = selfContained({ type: "object", properties: { tree: { $ref: "#/$defs/node" } }, $defs: { node } });
    const next = { type: "object", description: "a node" };
    const tree = { type: "object", description: "a node", properties: { next } };
    assert.deepEqual(written, { type: "object", properties: { tree } });
    const whole = selfContained({ type: "object", properties: { child: { $ref: "#" } } });
    assert.deepEqual(whole, { type: "object", properties: { child: { type: "object" } } });
    assert.deepEqual(selfContained({ type: "object", properties: { a: { $ref: "#/properties/a" } } }), {
      type: "object",
      properties: { a: {} },
    });
  });

  for (const reference of [
    "https://example.com/schema.json",
    "other.json#/a",
    "#/$defs/missing",
    "#missing",
    "#/%",
    "#/type",
    "#/__proto__/constructor",
    "#/properties/a/$ref/length",
  ]) {
    it(`takes anything where ${reference} leads`, () => {
      const written = selfContained({ type: "object", properties: { a: { $ref: reference } } });
      assert.deepEqual(written, { type: "object", properties: { a: {} } });
    });
  }

  it("follows nothing where there is a document in the document", () => {
    const inner = { $id: "inner", $defs: { x: { type: "string" } }, properties: { y: { $ref: "#/$defs/x" } } };
    const written = selfContained({ type: "object", properties: { a: inner }, $defs: { x: { type: "integer" } } });
    assert.deepEqual(written, { type: "object", properties: { a: { properties: { y: {} } } } });
  });

  it("stays small where every definition uses the next one many times", () => {
    const $defs: Json = { d40: { type: "string" } };
    for (let n = 0; n < 40; n++) {
      const next = { $ref: `#/$defs/d${n + 1}` };
      $defs[`d${n}`] = { type: "object", properties: { a: next, b: next, c: next, d: next } };
    }
    const written = selfContained({ type: "object", properties: { a: { $ref: "#/$defs/d0" } }, $defs });
    assertWithoutReferences(written);
    assert.ok(JSON.stringify(written).length < 2_000_000, String(JSON.stringify(written).length));
    assert.ok(new Ajv2020(OPTIONS).compile({ ...written, properties: {} }));
  });

  it("stays shallow where definitions are a long chain", () => {
    const $defs: Json = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, n) => [`d${n}`, { type: "array", items: { $ref: `#/$defs/d${n + 1}` } }]),
    );
    const text = JSON.stringify(selfContained({ type: "object", properties: { a: { $ref: "#/$defs/d0" } }, $defs }));
    assert.ok(text.length < 5_000 && !text.includes("$ref"), text);
  });
});
