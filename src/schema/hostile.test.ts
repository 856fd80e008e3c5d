/**
 * Schemas, patterns and values made to stop the process. Each must be over, compiling included, within a second of
 * processor time; one that got through would take minutes or for ever. What is measured is the time of this thread
 * only, so that a busy machine changes nothing.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeSchemaChecker } from "./ajv-checker.ts";

type Schema = Readonly<Record<string, unknown>>;

const MAX_CPU_MS = 1_000;
const checker = makeSchemaChecker({ onSkipped: () => undefined });
// What loading the engines costs is nobody's fault.
checker.check({ pattern: "^warm$" }, "up");

function isQuick(schema: Schema, value: unknown): void {
  for (const round of ["first", "second"]) {
    const start = process.threadCpuUsage();
    checker.check(schema, value);
    const { user, system } = process.threadCpuUsage(start);
    assert.ok((user + system) / 1_000 < MAX_CPU_MS, `the ${round} check took ${(user + system) / 1_000} ms`);
  }
}

const list = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const map = <T>(count: number, make: (i: number) => [string, T]): Record<string, T> =>
  Object.fromEntries(list(count, make));
const chain = (depth: number, open: string, close: string): unknown =>
  JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`);

/** Definitions d0 … dn, each made from the one before it. */
function tower(height: number, grow: (below: Schema) => Schema, ground: Schema): Schema {
  const $defs = map<Schema>(height, (i) => [`d${i}`, i === 0 ? ground : grow({ $ref: `#/$defs/d${i - 1}` })]);
  return { $ref: `#/$defs/d${height - 1}`, $defs };
}

const A = "a".repeat(5_000);
const patterns: readonly (readonly [string, string])[] = [
  ["^(a+)+$", `${A}!`],
  ["^(a|a)*$", `${A}!`],
  ["^(a|aa)+$", `${A}!`],
  ["(.*)*x", A],
  ["(.*)(.*)(.*)(.*)(.*)(.*)x", A],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", A],
  ["(x+x+)+y", "x".repeat(5_000)],
  ["([a-zA-Z]+)*\\d", A],
  ["^(\\w+\\s?)*$", `${"word ".repeat(1_000)}!`],
  ["\\s+$", `${" ".repeat(50_000)}x`],
  ["(a?){500}a{500}", "a".repeat(500)],
  ["a?".repeat(1_000) + "a".repeat(1_000), "a".repeat(1_000)],
  ["((a{100}){100}){100}", A],
  ["((a{30}){30})", A],
  ["(?:[a-z]{1000}){1000}", A],
  ["[a-z]{1000}".repeat(300), A],
  ["(a|b)*a(a|b){900}c", "ab".repeat(2_500)],
  ["\\p{L}{999}", "é".repeat(5_000)],
  [`(?i)${"[^\\p{L}]".repeat(400)}`, "é".repeat(5_000)],
  [list(5_000, (i) => `word${i}`).join("|"), A],
  [list(600, (i) => `w${i}.*`).join("|"), A],
  [`${"(".repeat(2_000)}a${")".repeat(2_000)}`, A],
  ["[".repeat(4_000), A],
  ["(?:".repeat(1_000), A],
  ["^.{0,1000}.{0,1000}.{0,1000}$", "x".repeat(5_000)],
  ["^[a-z]{1,999999999}$", A],
  ["(?=(a+)+$)", `${A}!`],
  ["(a+)\\1+$", `${A}!`],
];

describe("a hostile pattern", () => {
  for (const [pattern, text] of patterns) {
    it(`holds nobody up: ${pattern.slice(0, 40)}`, () => {
      isQuick({ type: "string", pattern }, text);
      isQuick({ patternProperties: { [pattern]: { type: "null" } }, additionalProperties: false }, { [text]: 1 });
    });
  }
  it("holds nobody up in a crowd", () => {
    isQuick({ allOf: list(900, (i) => ({ pattern: `^(x+x+){${i + 1}}y` })) }, "x".repeat(500));
    isQuick(
      { items: { allOf: list(300, (i) => ({ pattern: `(a|b)*a(a|b){${i}}c` })) } },
      list(5_000, () => "ab".repeat(50)),
    );
    isQuick(
      { patternProperties: map(500, (i) => [`^(a|b)*${i}$`, {}]) },
      map(5_000, (i) => [`a${i}`, 1]),
    );
  });
});

const NEXT = { properties: { c: { $ref: "#" } } };
const ITEMS = { items: { $ref: "#" } };
const nothing = { required: ["nothing"] };
const objects = (count: number) => list(count, (i) => ({ i, deep: { list: [i, { i }] } }));

const schemas: readonly (readonly [string, Schema, unknown])[] = [
  ["a tower of allOf that doubles", tower(60, (b) => ({ allOf: [b, b] }), { type: "string" }), "x"],
  ["a tower of anyOf that doubles", tower(60, (b) => ({ anyOf: [b, b] }), { type: "string" }), 1],
  ["a tower of oneOf that doubles", tower(60, (b) => ({ oneOf: [b, b] }), { type: "string" }), 1],
  ["a tower of not that doubles", tower(60, (b) => ({ not: { allOf: [b, b] } }), { type: "string" }), "x"],
  ["a tower of if that doubles", tower(60, (b) => ({ if: b, else: b }), { type: "string" }), 1],
  [
    "a tower of members that doubles",
    tower(60, (b) => ({ allOf: [{ properties: { c: b } }, { properties: { c: b } }] }), nothing),
    chain(60, '{"c":', "}"),
  ],
  [
    "a tower with unevaluatedProperties",
    tower(60, (b) => ({ anyOf: [b, b], unevaluatedProperties: false }), { type: "object" }),
    { a: 1 },
  ],
  [
    "a tower of dynamic references",
    tower(60, (b) => ({ anyOf: [{ $dynamicRef: b["$ref"] }, { $dynamicRef: b["$ref"] }] }), { type: "string" }),
    1,
  ],
  [
    "a recursion through anyOf",
    { anyOf: [{ allOf: [NEXT, nothing] }, { allOf: [NEXT, nothing] }, nothing] },
    chain(60, '{"c":', "}"),
  ],
  [
    "a recursion through oneOf",
    { oneOf: [{ allOf: [NEXT, nothing] }, { allOf: [NEXT, nothing] }] },
    chain(60, '{"c":', "}"),
  ],
  ["a recursion through not", { not: { allOf: [NEXT, NEXT, NEXT] } }, chain(60, '{"c":', "}")],
  [
    "a recursion through $dynamicRef",
    { $dynamicAnchor: "n", anyOf: list(3, () => ({ allOf: [{ items: { $dynamicRef: "#n" } }, nothing] })) },
    chain(60, "[", "]"),
  ],
  [
    "a recursion through contains",
    { anyOf: [{ contains: { $ref: "#" } }, { contains: { $ref: "#" } }, { type: "null" }] },
    chain(60, "[", "]"),
  ],
  [
    "a recursion through unevaluatedItems",
    { anyOf: [ITEMS, ITEMS], unevaluatedItems: { $ref: "#" } },
    chain(60, "[", "]"),
  ],
  ["a recursion on the spot", { anyOf: [{ $ref: "#" }, { $ref: "#" }] }, 1],
  [
    "two that refer to each other",
    { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
    1,
  ],
  ["a very deep value", { type: "array", ...ITEMS }, chain(100_000, "[", "]")],
  ["uniqueItems on many objects", { uniqueItems: true }, objects(9_000)],
  ["uniqueItems on many texts", { uniqueItems: true, items: { type: "string" } }, list(100_000, (i) => `text ${i}`)],
  ["uniqueItems on every level", { ...ITEMS, uniqueItems: true }, chain(3_000, "[", "]")],
  ["uniqueItems many times over", { allOf: list(900, () => ({ uniqueItems: true })) }, objects(2_000)],
  [
    "many alternatives for many items",
    { items: { anyOf: list(900, (i) => ({ required: [`k${i}`] })) } },
    list(20_000, () => ({ k899: 1 })),
  ],
  [
    "many choices for many items",
    { items: { enum: list(2_000, (i) => [1, 2, 3, { i }]) } },
    list(20_000, () => [1, 2, 3, { i: 1_999 }]),
  ],
  ["many looks at one long text", { allOf: list(900, () => ({ maxLength: 5_000_000 })) }, "é".repeat(4_000_000)],
  [
    "many looks at many members",
    { allOf: list(900, () => ({ additionalProperties: { type: "number" } })) },
    map(20_000, (i) => [`m${i}`, i]),
  ],
  [
    "names tried many times",
    { allOf: list(450, () => ({ propertyNames: { maxLength: 9 } })) },
    map(20_000, (i) => [`m${i}`, i]),
  ],
  [
    "as many members as may be",
    { properties: map(990, (i) => [`m${i}`, { type: "string", minLength: 1, maxLength: 5 }]) },
    {},
  ],
  ["as many required names as fit", { required: list(5_000, (i) => `r${i}`) }, {}],
  ["as many dependencies as fit", { dependentRequired: map(3_000, (i) => [`r${i}`, ["x"]]) }, { r1: 1 }],
  [
    "as many definitions as may be",
    tower(990, (b) => ({ properties: { c: b } }), { type: "null" }),
    chain(990, '{"c":', "}"),
  ],
  [
    "as deep as may be",
    JSON.parse(
      `${'{"anyOf":[{"type":"null"},'.repeat(30)}{"type":"string"}${'],"unevaluatedProperties":false}'.repeat(30)}`,
    ),
    {},
  ],
  ["a pile of brackets", JSON.parse(`{"const":${"[".repeat(30_000)}${"]".repeat(30_000)}}`), 1],
  ["a bottomless schema", JSON.parse(`${'{"not":'.repeat(9_000)}{}${"}".repeat(9_000)}`), 1],
  ["a huge schema", { enum: list(1_000_000, (i) => i) }, "x"],
];

describe("a hostile schema", () => {
  for (const [name, schema, value] of schemas) {
    it(`holds nobody up: ${name}`, () => isQuick(schema, value));
  }

  it("costs little more for a value many times as large", () => {
    isQuick(
      tower(60, (b) => ({ allOf: [b, b] }), { type: "array" }),
      list(1_000_000, () => 0),
    );
  });
});

describe("an honest schema", () => {
  it("is checked also where the value is large", () => {
    const skipped: string[] = [];
    const honest = makeSchemaChecker({ onSkipped: (reason) => skipped.push(reason) });
    const row = {
      type: "object",
      properties: { id: { type: "integer" }, name: { type: "string", pattern: "^[a-z ]+\\d*$" } },
      required: ["id"],
    };
    const rows = list(1_000, (id) => ({ id, name: `row number ${id}` }));
    assert.deepEqual(honest.check({ type: "array", items: row }, rows), []);
    assert.deepEqual(honest.check({ type: "array", items: row }, [...rows, {}]), [
      { path: "[1000].id", rule: "is missing" },
    ]);
    assert.deepEqual(skipped, []);
  });

  it("may be recursive, and is checked all the way down", () => {
    const filter = {
      anyOf: [
        { type: "string" },
        { type: "object", properties: { and: { type: "array", items: { $ref: "#" } } }, required: ["and"] },
      ],
    };
    assert.deepEqual(checker.check(filter, chainOf(20, "leaf")), []);
    assert.notDeepEqual(checker.check(filter, chainOf(20, 5)), []);
  });
});

function chainOf(depth: number, leaf: unknown): unknown {
  return depth === 0 ? leaf : { and: ["x", chainOf(depth - 1, leaf)] };
}
