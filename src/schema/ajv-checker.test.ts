/** What a caller is told about wrong arguments, and what is let through. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeSchemaChecker } from "./ajv-checker.ts";

type Schema = Readonly<Record<string, unknown>>;

const skipped: string[] = [];
const checker = makeSchemaChecker({ onSkipped: (reason) => skipped.push(reason) });

/** All issues as "path: rule". */
function issues(schema: Schema, value: unknown): string[] {
  return checker.check(schema, value).map(({ path, rule }) => `${path}: ${rule}`);
}

function fits(schema: Schema, value: unknown): boolean {
  return checker.check(schema, value).length === 0;
}

/** As a server of lamps would list it. */
const LIGHTS = {
  $schema: "http://json-schema.org/draft-07/schema#",
  $id: "https://example.com/lights.json",
  title: "Lights",
  type: "object",
  properties: {
    lights: {
      type: "array",
      minItems: 1,
      maxItems: 3,
      items: { $ref: "#/definitions/light" },
    },
    mode: { type: "string", enum: ["day", "night"], default: "day" },
    level: { type: "integer", minimum: 0, maximum: 100, multipleOf: 5 },
    warmth: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
    code: { type: "string", pattern: "^[A-Z]{2}\\d+$", minLength: 3, maxLength: 5 },
    version: { const: 2 },
    since: { type: "string", format: "date-time" },
  },
  required: ["lights"],
  additionalProperties: false,
  definitions: {
    light: {
      type: "object",
      properties: { name: { type: "string" }, on: { type: "boolean" }, tags: { type: "array", uniqueItems: true } },
      required: ["name", "on"],
    },
  },
};
const LAMP = { name: "lamp", on: true };

describe("arguments that do not fit", () => {
  const cases: readonly (readonly [string, unknown, readonly string[]])[] = [
    ["the whole has the wrong type", [], [": must be object"]],
    ["a required member is missing", {}, ["lights: is missing"]],
    ["several are missing, deep inside", { lights: [{}] }, ["lights[0].name: is missing", "lights[0].on: is missing"]],
    ["a nested type is wrong", { lights: [LAMP, { name: 1, on: true }] }, ["lights[1].name: must be string"]],
    ["a boolean is text", { lights: [{ name: "x", on: "yes" }] }, ["lights[0].on: must be boolean"]],
    ["there are too few items", { lights: [] }, ["lights: must have at least 1 item(s)"]],
    ["there are too many items", { lights: [LAMP, LAMP, LAMP, LAMP] }, ["lights: must have at most 3 item(s)"]],
    ["a choice is none of those", { lights: [LAMP], mode: "dusk" }, ["mode: must be one of: day, night"]],
    ["a number is too small", { lights: [LAMP], level: -5 }, ["level: must be at least 0"]],
    ["a number is too large", { lights: [LAMP], level: 105 }, ["level: must be at most 100"]],
    ["a number is no multiple", { lights: [LAMP], level: 7 }, ["level: must be a multiple of 5"]],
    ["a number is no integer", { lights: [LAMP], level: 7.5 }, ["level: must be integer"]],
    ["a number is on its open limit", { lights: [LAMP], warmth: 0 }, ["warmth: must be more than 0"]],
    ["a number is on its other open limit", { lights: [LAMP], warmth: 1 }, ["warmth: must be less than 1"]],
    ["text is too short", { lights: [LAMP], code: "A" }, ["code: must have at least 3 character(s)"]],
    ["text is too long", { lights: [LAMP], code: "AB1234" }, ["code: must have at most 5 character(s)"]],
    ["text does not match", { lights: [LAMP], code: "ab1" }, ["code: must match the pattern ^[A-Z]{2}\\d+$"]],
    ["a constant differs", { lights: [LAMP], version: 1 }, ["version: must be 2"]],
    ["a member is not known", { lights: [LAMP], hue: 1 }, [": must not have the member 'hue'"]],
    [
      "items are equal",
      {
        lights: [
          {
            ...LAMP,
            tags: [
              { a: 1, b: 2 },
              { b: 2, a: 1 },
            ],
          },
        ],
      },
      ["lights[0].tags: must not have equal items"],
    ],
  ];
  for (const [name, value, expected] of cases) {
    it(`are named where ${name}`, () => assert.deepEqual(issues(LIGHTS, value), expected));
  }

  it("are let through where they fit", () => {
    const full = { lights: [LAMP], mode: "day", level: 45, warmth: 0.5, code: "AB12", version: 2, since: "any" };
    assert.deepEqual(issues(LIGHTS, full), []);
    assert.deepEqual(skipped, []);
  });
});

describe("further rules", () => {
  const cases: readonly (readonly [string, Schema, unknown, readonly string[]])[] = [
    ["a list of types", { type: ["string", "null"] }, 4, [": must be string | null"]],
    ["alternatives of types", { anyOf: [{ type: "string" }, { type: "null" }] }, 4, [": must be string | null"]],
    [
      "an optional object",
      { properties: { u: { anyOf: [{ type: "object", properties: { n: { type: "number" } } }, { type: "null" }] } } },
      { u: { n: "x" } },
      ["u.n: must be number"],
    ],
    [
      "alternatives told apart by one member",
      { oneOf: ["a", "b"].map((kind) => ({ properties: { kind: { const: kind } }, required: ["kind"] })) },
      { kind: "c" },
      ["kind: must be one of: a, b"],
    ],
    [
      "alternatives that fail in different ways",
      { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      {},
      [": must fit one of the allowed forms", "a: is missing", "b: is missing"],
    ],
    [
      "more than one of them",
      { oneOf: [{ type: "number" }, { minimum: 2 }] },
      3,
      [": must fit only one of the allowed forms"],
    ],
    ["a form that is ruled out", { not: { type: "string" } }, "x", [": must not fit the form that is ruled out"]],
    ["a condition", { if: { required: ["a"] }, else: { required: ["b"] } }, {}, ["b: is missing"]],
    ["a dependency", { dependentRequired: { a: ["b"] } }, { a: 1 }, ["b: is missing"]],
    ["a dependency as it was written before", { dependencies: { a: ["b"] } }, { a: 1 }, ["b: is missing"]],
    ["names of members", { propertyNames: { pattern: "^a" } }, { b: 1 }, [": must not have the member 'b'"]],
    ["members by pattern", { patternProperties: { "^n_": { type: "number" } } }, { n_a: "x" }, ["n_a: must be number"]],
    ["a number of members", { minProperties: 2 }, { a: 1 }, [": must have at least 2 member(s)"]],
    ["a member that must not be", { properties: { a: false } }, { a: 1 }, ["a: must not be given"]],
    [
      "members that nothing speaks of",
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { a: 1, b: 1 },
      [": must not have the member 'b'"],
    ],
    ["a tuple", { prefixItems: [{ type: "string" }], items: false }, ["a", "b"], [": must have at most 1 item(s)"]],
    [
      "a tuple as it was written before",
      { items: [{ type: "string" }], additionalItems: { type: "null" } },
      ["a", "b"],
      ["[1]: must be null"],
    ],
    [
      "an item that must be there",
      { contains: { type: "number" } },
      ["a"],
      [": must have the right number of items that fit"],
    ],
    ["a limit as draft 4 wrote it", { minimum: 0, exclusiveMinimum: true }, 0, [": must be more than 0"]],
    [
      "a reference to the whole",
      { properties: { next: { $ref: "#" } }, required: ["id"] },
      { id: 1, next: {} },
      ["next.id: is missing"],
    ],
    ["a reference to $defs", { $ref: "#/$defs/a~1b", $defs: { "a/b": { type: "string" } } }, 1, [": must be string"]],
    [
      "a reference to an anchor",
      { $ref: "#here", $defs: { a: { $anchor: "here", type: "string" } } },
      1,
      [": must be string"],
    ],
    [
      "a reference into a member",
      { properties: { a: { type: "string" }, b: { $ref: "#/properties/a" } } },
      { b: 1 },
      ["b: must be string"],
    ],
    [
      "a reference that names its own document",
      { $id: "urn:x", $ref: "urn:x#/$defs/a", $defs: { a: { type: "null" } } },
      1,
      [": must be null"],
    ],
    [
      "a dynamic reference",
      { $dynamicAnchor: "n", properties: { c: { $dynamicRef: "#n" } }, type: "object" },
      { c: 1 },
      ["c: must be object"],
    ],
    [
      "a schema that allows nothing",
      { type: "object", additionalProperties: false },
      { a: 1 },
      [": must not have the member 'a'"],
    ],
    [
      "names that are no words",
      { properties: { "a b": { properties: { "c.d": { type: "null" } } } } },
      { "a b": { "c.d": 1 } },
      ['["a b"]["c.d"]: must be null'],
    ],
  ];
  for (const [name, schema, value, expected] of cases) {
    it(`name ${name}`, () => assert.deepEqual(issues(schema, value), expected));
  }

  it("have been checked, all of them", () => assert.deepEqual(skipped, []));

  it("let through what they do not speak of", () => {
    const pairs: readonly (readonly [Schema, unknown])[] = [
      [{}, { any: 1 }],
      [{ title: "x", description: "y", examples: [1], "x-vendor": { type: "nonsense" } }, 1],
      [{ type: "object" }, { a: 1 }],
      [{ type: "string", nullable: true }, null],
      [{ multipleOf: 0.1 }, 0.3],
      [{ uniqueItems: true }, [1, "1", true, "true", null, [1], ["1"], { 1: 1 }]],
      [{ uniqueItems: false }, [1, 1]],
      [{ $schema: "https://json-schema.org/draft/2019-09/schema", $recursiveRef: "#/$defs/a", $defs: { a: true } }, 1],
      [
        {
          $schema: "http://json-schema.org/draft-07/schema#",
          $ref: "#/definitions/a",
          type: "null",
          definitions: { a: {} },
        },
        1,
      ],
    ];
    for (const [schema, value] of pairs) assert.deepEqual(issues(schema, value), [], JSON.stringify(schema));
    assert.deepEqual(skipped, []);
  });
});

describe("issues", () => {
  it("are at most ten", () => {
    const names = Array.from({ length: 30 }, (_, i) => `m${i}`);
    assert.equal(issues({ required: names }, {}).length, 10);
    assert.equal(issues({ anyOf: names.map((name) => ({ required: [name] })) }, {}).length, 10);
  });

  it("never echo more than fifty characters, nor control characters", () => {
    const long = `${"x".repeat(200)}\n`;
    const all = [
      ...issues({ additionalProperties: false }, { [long]: 1 }),
      ...issues({ additionalProperties: { type: "null" } }, { [long]: 1 }),
      ...issues({ enum: [long, { a: long }] }, 1),
      ...issues({ const: "a\u001b[31m\u202eb" }, long),
      ...issues({ type: "null" }, long),
    ];
    assert.equal(all.length, 5);
    for (const text of all) {
      assert.doesNotMatch(text, /x{51}/);
      assert.doesNotMatch(text, /[\p{Cc}\p{Cf}]/u);
    }
  });

  it("name at most twenty choices", () => {
    const [issue] = issues({ enum: Array.from({ length: 500 }, (_, i) => i) }, "x");
    assert.match(issue ?? "", /: 0, 1, .*19, …$/);
  });
});

describe("names that mean something to JavaScript", () => {
  const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

  it("are missing where they are only inherited", () => {
    for (const name of NAMES) assert.deepEqual(issues({ required: [name] }, {}), [`${name}: is missing`]);
  });

  it("are checked where a value has them, and only then", () => {
    for (const name of NAMES.slice(1)) {
      const schema = { properties: { [name]: { type: "string" } }, additionalProperties: false };
      assert.deepEqual(issues(schema, {}), []);
      assert.deepEqual(issues(schema, { [name]: 1 }), [`${name}: must be string`]);
    }
  });

  it("change no prototype, be they in the schema or in the value", () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"},"a":{"__proto__":{"type":"null"}}}}');
    const value = JSON.parse('{"__proto__":{"polluted":1},"a":1,"b":{"__proto__":{"polluted":1}}}');
    assert.deepEqual(issues(schema, value), []);
    assert.deepEqual(issues({ ...schema, additionalProperties: false }, value), [
      ": must not have the member '__proto__'",
    ]);
    assert.equal("polluted" in {}, false);
  });

  it("are equal or not like other names", () => {
    const items = ['{"__proto__":1}', '{"__proto__":2}', "{}"].map((text) => JSON.parse(text));
    assert.equal(fits({ uniqueItems: true }, items), true);
    assert.equal(fits({ uniqueItems: true }, [...items, items[0]]), false);
  });
});
