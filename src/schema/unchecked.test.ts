/** What the checker leaves alone, how kindly, and whom it tells. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SchemaChecker } from "../core/ports.ts";
import { makeSchemaChecker } from "./ajv-checker.ts";

type Schema = Readonly<Record<string, unknown>>;

function setUp(): { checker: SchemaChecker; skipped: string[] } {
  const skipped: string[] = [];
  return { checker: makeSchemaChecker({ onSkipped: (reason) => skipped.push(reason) }), skipped };
}

function nested(depth: number): Schema {
  return depth === 0 ? { type: "null" } : { properties: { a: nested(depth - 1) } };
}

function members(count: number): Schema {
  return { properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, { type: "null" }])) };
}

const definitions = Array.from({ length: 60 }, (_, i) => `m${i}`);

/** From text, because no object of ours should have a member of the second name. */
function when(condition: Schema, consequence: Schema): Schema {
  return JSON.parse(`{"if":${JSON.stringify(condition)},"then":${JSON.stringify(consequence)}}`);
}

const cyclic: Record<string, unknown> = { type: "null" };
cyclic["properties"] = { self: cyclic };

describe("a schema that is not checked", () => {
  const cases: readonly (readonly [string, Schema, RegExp])[] = [
    ["is larger than 64 KiB", { type: "null", description: "x".repeat(65_536) }, /larger than 64 KiB/],
    ["is deeper than 32 levels", { type: "null", ...nested(33) }, /deeper than 32/],
    ["has more members than can be compiled in time", { type: "null", ...members(400) }, /too long to compile/],
    [
      "has more definitions than can be compiled in time",
      {
        type: "null",
        allOf: definitions.map((name) => ({ $ref: `#/$defs/${name}` })),
        $defs: members(60)["properties"],
      },
      /too long to compile/,
    ],
    ["names an unknown type", { type: "any" }, /"type"/],
    ["has alternatives that are none", { type: "null", anyOf: [] }, /"anyOf"/],
    ["has a subschema that is none", { type: "null", properties: { a: "text" } }, /subschema/],
    ["has members that are none", { type: "null", properties: ["a"] }, /"properties"/],
    ["asks for names that are none", { type: "null", required: true }, /"required"/],
    ["has a limit that is none", { type: "null", minLength: -1 }, /"minLength"/],
    ["divides by nothing", { type: "null", multipleOf: 0 }, /"multipleOf"/],
    ["refers to an address", { type: "null", not: { $ref: "https://example.com/schema.json" } }, /not in it/],
    ["refers to a file", { type: "null", not: { $ref: "file:///etc/passwd" } }, /not in it/],
    ["refers to nothing", { type: "null", not: { $ref: "#/$defs/nobody" } }, /not in it/],
    ["refers to what is inherited", { type: "null", not: { $ref: "#/constructor" } }, /not in it/],
    ["refers from inside another document", { type: "null", not: { $id: "urn:b", $ref: "#/x" } }, /not in it/],
    [
      "refers to one of two",
      { $dynamicRef: "#n", $defs: { a: { $dynamicAnchor: "n" }, b: { $dynamicAnchor: "n" } } },
      /not in it/,
    ],
    ["refers to itself only", { $ref: "#" }, /too deep|too many steps/],
    ["goes in a circle as an object", cyclic, /cannot be written/],
  ];
  for (const [name, schema, reason] of cases) {
    it(`because it ${name}, lets everything through and is told once`, () => {
      const { checker, skipped } = setUp();
      for (let i = 0; i < 3; i++) assert.deepEqual(checker.check(schema, 1), []);
      assert.equal(skipped.length, 1);
      assert.match(skipped[0] ?? "", reason);
    });
  }

  it("is right at the limit and checked", () => {
    const { checker, skipped } = setUp();
    for (const schema of [nested(32), members(250)]) assert.deepEqual(checker.check(schema, {}), []);
    assert.equal(checker.check({ type: "null", description: "x".repeat(65_000) }, 1).length, 1);
    assert.deepEqual(skipped, []);
  });

  it("is known again by its content, however often it is listed", () => {
    const { checker, skipped } = setUp();
    for (let i = 0; i < 1_000; i++) checker.check({ type: "any", title: "same" }, 1);
    assert.equal(skipped.length, 1);
    checker.check({ type: "any", title: "other" }, 1);
    assert.equal(skipped.length, 2);
  });

  it("is forgotten after 5,000 others, if it was not used", () => {
    const { checker, skipped } = setUp();
    const [used, unused] = [{ type: "used" }, { type: "unused" }];
    checker.check(unused, 1);
    for (let i = 0; i < 5_000; i++) {
      checker.check({ type: `any ${i}` }, 1);
      checker.check(used, 1);
    }
    assert.equal(skipped.length, 5_002);
    checker.check(used, 1);
    assert.equal(skipped.length, 5_002);
    checker.check(unused, 1);
    assert.equal(skipped.length, 5_003);
  });
});

describe("a part that cannot be enforced", () => {
  it("is told, and the rest of the schema still counts", () => {
    const { checker, skipped } = setUp();
    for (const pattern of ["(?=.*\\d).+", "(a)\\1", "(?<!x)y"]) {
      const schema = { type: "string", pattern, minLength: 2 };
      assert.deepEqual(checker.check(schema, "ab"), []);
      assert.equal(checker.check(schema, "a")[0]?.rule, "must have at least 2 character(s)");
    }
    assert.equal(skipped.length, 3);
  });

  const UNSAFE = { pattern: "^(?=a)" };
  const kind: readonly (readonly [string, Schema, unknown])[] = [
    ["not", { not: UNSAFE }, "b"],
    ["not, behind a reference", { not: { $ref: "#/$defs/p" }, $defs: { p: UNSAFE } }, "b"],
    ["if", when(UNSAFE, { type: "null" }), "b"],
    ["oneOf", { oneOf: [UNSAFE, { type: "string" }] }, "b"],
    ["oneOf of formats", { oneOf: [{ format: "ipv4" }, { format: "ipv6" }] }, "::1"],
    ["oneOf of formats, beside anyOf", { oneOf: [{ format: "ipv4" }, { format: "ipv6" }], anyOf: [true] }, "::1"],
    ["contains", { contains: UNSAFE, maxContains: 1 }, ["b", "c"]],
    ["patternProperties", { patternProperties: { "^(?=a)": {} }, additionalProperties: false }, { a: 1 }],
    [
      "patternProperties below",
      { allOf: [{ patternProperties: { "^(?=a)": {} } }], unevaluatedProperties: false },
      { a: 1 },
    ],
    [
      "if, with members it spoke of",
      { ...when(UNSAFE, { properties: { a: true } }), unevaluatedProperties: false },
      { a: 1 },
    ],
  ];
  for (const [name, schema, value] of kind) {
    it(`refuses nothing that may be right: ${name}`, () => {
      assert.deepEqual(setUp().checker.check(schema, value), []);
    });
  }

  it("softens only what depends on it", () => {
    const { checker } = setUp();
    const exact = { oneOf: [{ type: "number" }, { minimum: 1 }], not: { const: 0 } };
    const schema = { properties: { when: { format: "date" }, n: exact } };
    assert.equal(checker.check(schema, { n: 5 }).length, 1);
    assert.equal(checker.check(schema, { n: 0 }).length, 1);
    const either = { oneOf: [{ type: "string", format: "date" }, { type: "null" }] };
    assert.equal(checker.check(either, 5)[0]?.rule, "must be string | null");
  });
});
