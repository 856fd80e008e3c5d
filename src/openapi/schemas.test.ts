/** Schemas of both versions as JSON Schema that stands alone: translated, written out or defined, and never endless. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fc, runs } from "../../test/support/seed.ts";
import { unfitness } from "../core/unfit-tools.ts";
import { readDocument } from "./document.ts";
import { operationsOf } from "./operations.ts";

type Json = Record<string, unknown>;

/** The schema of one argument, and of all. */
function argumentOf(schema: unknown, schemas: Json = {}, openapi = "3.0.3"): { own: Json; all: Json } {
  const parameters = [{ name: "a", in: "query", schema }];
  const document = { openapi, paths: { "/x": { get: { parameters } } }, components: { schemas } };
  const all = operationsOf(readDocument(JSON.stringify(document))).operations[0]?.inputSchema as Json;
  return { own: (all["properties"] as Json)["a"] as Json, all };
}

const own = (schema: unknown, schemas: Json = {}, openapi = "3.0.3") => argumentOf(schema, schemas, openapi).own;
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function accepts(all: Json, value: unknown): boolean {
  return new Ajv2020({ strict: false, validateFormats: false }).compile(all)({ a: value });
}

test("nullable is a type, one more value, or an alternative", () => {
  assert.deepEqual(own({ type: "string", nullable: true }), { type: ["string", "null"] });
  assert.deepEqual(own({ type: "string", enum: ["a"], nullable: true }), {
    type: ["string", "null"],
    enum: ["a", null],
  });
  assert.deepEqual(own({ nullable: true }), {});
  const { all } = argumentOf({ allOf: [{ type: "object" }], nullable: true, description: "d" });
  assert.ok(accepts(all, null) && accepts(all, {}) && !accepts(all, 1));
  const beside = argumentOf({ ...ref("R"), nullable: true }, { R: { type: "object", properties: { r: ref("R") } } });
  assert.ok(accepts(beside.all, null) && accepts(beside.all, { r: {} }) && !accepts(beside.all, { r: null }));
});

test("exclusive bounds are numbers", () => {
  assert.deepEqual(own({ minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }), {
    exclusiveMinimum: 1,
    maximum: 9,
  });
  assert.deepEqual(own({ exclusiveMinimum: 1, minimum: 0 }, {}, "3.1.0"), { exclusiveMinimum: 1, minimum: 0 });
});

test("examples, extensions and what is written wrong are left out; what decides is kept", () => {
  const schema = {
    type: "file",
    example: 1,
    examples: [1],
    "x-a": 1,
    xml: {},
    minLength: "3",
    required: true,
    pattern: "^a",
    default: "a",
  };
  assert.deepEqual(own(schema), { pattern: "^a", default: "a" });
  assert.deepEqual(own({ items: [], multipleOf: 0, dependentRequired: { a: "b" }, pattern: "(", enum: [] }), {});
  assert.deepEqual(own({ type: ["string", "null"], const: 1 }, {}, "3.1.0"), { type: ["string", "null"], const: 1 });
  assert.deepEqual(own({ items: [{ type: "string" }, true] }), { prefixItems: [{ type: "string" }, true] });
});

test("alternatives and their discriminator are kept, with names in the place of pointers", () => {
  const discriminator = { propertyName: "kind", mapping: { c: "#/components/schemas/Cat", d: "Dog" } };
  assert.deepEqual(own({ oneOf: [ref("Cat"), { type: "null" }], discriminator }, { Cat: { type: "object" } }), {
    oneOf: [{ type: "object" }, { type: "null" }],
    discriminator: { propertyName: "kind", mapping: { c: "Cat", d: "Dog" } },
  });
});

test("a pointer may be escaped in every way", () => {
  const schemas = { "a/b~c d%": { type: "string" }, "%7B": { type: "integer" } };
  for (const spelling of ["a~1b~0c d%25", "a~1b~0c%20d%25", "a%7E1b~0c%20d%25"])
    assert.deepEqual(own(ref(spelling), schemas), { type: "string" });
  assert.deepEqual(own(ref("~01"), { "~1": { type: "null" }, "/": {} }), { type: "null" });
  assert.deepEqual(own(ref("%257B"), schemas), { type: "integer" });
  for (const wrong of ["%7B", "%", "constructor", "", "a~1b"])
    assert.throws(() => own(ref(wrong), schemas), /leads nowhere/);
});

test("what small references lead to is written out, beside what stands with them", () => {
  const schemas = { Name: { $ref: "#/components/schemas/Text" }, Text: { type: "string", description: "any" } };
  assert.deepEqual(own({ ...ref("Name"), description: "mine" }, schemas), { type: "string", description: "mine" });
  const both = argumentOf({ ...ref("Text"), type: "string", minLength: 2, pattern: "a" }, schemas, "3.1.0");
  assert.ok(accepts(both.all, "aa") && !accepts(both.all, "a"));
});

test("a schema that contains itself becomes a definition, whichever way round", () => {
  const schemas = {
    Tree: {
      type: "object",
      properties: { value: { type: "integer" }, left: ref("Tree"), more: { type: "array", items: ref("Forest") } },
    },
    Forest: { type: "array", items: ref("Tree") },
  };
  const { all, own } = argumentOf(ref("Tree"), schemas);
  assert.deepEqual(own, { $ref: "#/$defs/Tree" });
  assert.ok(accepts(all, { value: 1, left: { left: {} }, more: [[{ value: 2 }]] }));
  assert.ok(!accepts(all, { left: { more: [[{ value: "2" }]] } }));
});

test("a reference to itself is an error, not a loop", () => {
  assert.throws(() => own(ref("A"), { A: ref("B"), B: ref("A") }), /leads in a circle/);
});

test("read-only members are left out at every depth, required or not", () => {
  const Id = { type: "string", readOnly: true };
  const Thing = {
    type: "object",
    required: ["id", "n"],
    properties: { id: ref("Id"), n: { type: "object", properties: { at: Id } } },
  };
  assert.deepEqual(own(ref("Thing"), { Id, Thing }), {
    type: "object",
    required: ["n"],
    properties: { n: { type: "object", properties: {} } },
  });
});

test("what is written beside a reference counts as well in 3.1", () => {
  const schema = { type: "object", properties: { id: { ...ref("Text"), readOnly: true }, text: ref("Text") } };
  const told = own(schema, { Text: { type: "string" } }, "3.1.0");
  assert.deepEqual(told, { type: "object", properties: { text: { type: "string" } } });
});

test("a web of references grows with the document, not with the ways through it", () => {
  const schemas: Json = { s200: { type: "string" } };
  for (let i = 0; i < 200; i++)
    schemas[`s${i}`] = { type: "object", properties: { a: ref(`s${i + 1}`), b: ref(`s${i + 1}`) } };
  const { all } = argumentOf(ref("s0"), schemas);
  assert.ok(JSON.stringify(all).length < 200_000);
  assert.equal(unfitness({ name: "t", inputSchema: all }), undefined);
});

test("a chain of ten thousand schemas does not exhaust the stack, and only its first levels are described", () => {
  const schemas: Json = {};
  for (let i = 0; i < 10_000; i++)
    schemas[`s${i}`] = { type: "object", properties: { a: ref(`s${(i + 1) % 10_000}`) } };
  const { all } = argumentOf(ref("s0"), schemas);
  const definitions = Object.values(all["$defs"] as Json);
  assert.deepEqual(definitions.at(-1), { type: "object" });
  assert.ok(definitions.length < 1_000 && JSON.stringify(all).length < 64_000);
  assert.ok(accepts(all, { a: { a: {} } }) && !accepts(all, { a: { a: 1 } }));
});

test("what is only named with its type rules nothing out", () => {
  const Large = {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`p${i}`, { type: "string" }])),
  };
  const Small = { type: "object", properties: { kind: { const: "small" } }, required: ["kind"] };
  const { all } = argumentOf(
    { oneOf: [ref("Small"), ref("Large")], anyOf: [{ not: ref("Large") }, {}] },
    { Large, Small },
  );
  assert.deepEqual((all["$defs"] as Json)["Large"], { type: "object" });
  assert.ok(accepts(all, { kind: "small" }) && accepts(all, { p7: "x" }) && !accepts(all, 1));
});

test("a list of members that is too large by itself is told loosely", () => {
  const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`p${i}`, { type: "string" }]));
  assert.deepEqual(own({ type: "object", properties }), { type: "object" });
});

test("explanations go first where a schema is too large with them", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 900 }, (_, i) => [`p${i}`, { type: "string", description: "long ".repeat(80) }]),
  );
  const { all, own } = argumentOf(ref("Big"), { Big: { type: "object", properties } });
  assert.equal(unfitness({ name: "t", inputSchema: all }), undefined);
  assert.deepEqual(own, { $ref: "#/$defs/Big" });
  assert.ok(!accepts(all, { p7: 1 }));
});

test("shared parts used from everywhere are refused before they take long", () => {
  const schemas: Json = {};
  for (let i = 0; i < 2_000; i++)
    schemas[`s${i}`] = { properties: { a: ref(`s${(i + 1) % 2_000}`), b: ref(`s${(i * 7) % 2_000}`) } };
  const parameters = [{ name: "a", in: "query", schema: ref("s0") }];
  const paths = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`/${i}`, { get: { parameters } }]));
  const document = readDocument(JSON.stringify({ openapi: "3.1.0", paths, components: { schemas } }));
  assert.throws(() => operationsOf(document), /used too often.*choose tags or paths/);
});

test("whatever the schemas refer to, the result stands alone and a validator takes it", () => {
  const name = fc.constantFrom("A", "B", "C");
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.record({
        type: fc.constantFrom("string", "integer", "any"),
        nullable: fc.boolean(),
        description: fc.string(),
      }),
      name.map(ref),
      fc.record({ $ref: name.map((each) => ref(each).$ref), nullable: fc.boolean(), title: fc.string() }),
      fc.record({
        type: fc.constant("object"),
        properties: fc.dictionary(fc.string(), tie("schema")),
        required: fc.array(fc.string()),
      }),
      fc.record({ type: fc.constant("array"), items: tie("schema"), readOnly: fc.boolean() }),
      fc.record({ allOf: fc.array(tie("schema")), nullable: fc.boolean() }),
      fc.record({ oneOf: fc.array(tie("schema")), minimum: fc.integer(), exclusiveMinimum: fc.boolean() }),
    ),
  }));
  const wrapped = schema.map((inner) => ({ type: "object", properties: { inner } }));
  fc.assert(
    fc.property(schema, wrapped, wrapped, wrapped, fc.constantFrom("3.0.0", "3.1.0"), (own, A, B, C, version) => {
      const { all } = argumentOf(own, { A, B, C }, version);
      accepts(all, {});
      assert.doesNotMatch(JSON.stringify(all), /#\/components/);
    }),
    { numRuns: runs(150) },
  );
});
