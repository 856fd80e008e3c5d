/** What a form begins with. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Shapes } from "./shapes.ts";
import { startOfForm, startOfItem, startWhenSet, startWithDefaults } from "./start.ts";
import { Draft } from "./values.ts";

function form(schema: unknown): unknown {
  return startOfForm(new Shapes(schema), schema);
}

function set(schema: unknown): unknown {
  return startWhenSet(new Shapes(schema), schema);
}

describe("a form begins", () => {
  it("with nothing that was not asked for", () => {
    const properties = { a: { type: "string", default: "x" }, b: { const: 1 }, c: { type: "object", required: ["d"] } };
    assert.deepEqual(form({ type: "object", properties }), {});
  });

  it("with what is certain of what must be given", () => {
    const properties = {
      text: { type: "string" },
      flag: { type: "boolean" },
      size: { type: "number", default: 3 },
      kind: { const: "lamp" },
      only: { enum: ["one"] },
      several: { enum: ["one", "two"] },
      nothing: { type: "null" },
      list: { type: "array", items: { type: "string" } },
      inner: {
        type: "object",
        properties: { kind: { const: 2 }, name: { type: "string" } },
        required: ["kind", "name"],
      },
      maybe: { type: ["object", "null"] },
      either: { oneOf: [{ type: "object" }, { type: "string" }] },
    };
    assert.deepEqual(form({ type: "object", properties, required: Object.keys(properties) }), {
      size: 3,
      kind: "lamp",
      only: "one",
      nothing: null,
      list: [],
      inner: { kind: 2 },
    });
  });

  it("as an object, whatever its schema says", () => {
    for (const schema of [true, false, {}, null, { type: "string" }, { type: "array" }, { default: 7 }]) {
      assert.deepEqual(form(schema), {}, JSON.stringify(schema));
    }
    assert.deepEqual(form({ oneOf: [{ properties: { k: { const: 1 } }, required: ["k"] }, { properties: {} }] }), {
      k: 1,
    });
    assert.deepEqual(form({ type: "object", default: { a: 1 } }), { a: 1 });
  });
});

describe("a question begins", () => {
  it("with all that there is a default for", () => {
    const properties = {
      a: { type: "string", default: "x" },
      b: { type: "number" },
      c: { const: 1 },
      d: { $ref: "#/$defs/d" },
    };
    const schema = { type: "object", properties, required: ["c"], $defs: { d: { type: "boolean", default: false } } };
    assert.deepEqual(startWithDefaults(new Shapes(schema), schema), { a: "x", c: 1, d: false });
    assert.deepEqual(startWithDefaults(new Shapes(true), true), {});
  });
});

describe("something that is set begins", () => {
  const starts: readonly (readonly [unknown, unknown])[] = [
    [{ type: "string" }, ""],
    [{ type: "boolean" }, false],
    [{ enum: ["a", "b"] }, "a"],
    [{ const: { a: 1 } }, { a: 1 }],
    [{ type: "null" }, null],
    [{ type: "array", items: { type: "string" }, minItems: 2 }, ["", ""]],
    [{ type: "array", items: { enum: ["a", "b"] }, minItems: 1 }, []],
    [{ prefixItems: [{ type: "string" }, { type: "boolean" }] }, ["", false]],
    [{ type: "object" }, {}],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, ""],
    [{ type: "number", default: 0 }, 0],
    [{ type: ["string", "null"], default: null }, ""],
    [{ type: ["object", "null"], default: null }, {}],
  ];
  for (const [schema, start] of starts) {
    it(`${JSON.stringify(schema)} with ${JSON.stringify(start)}`, () => assert.deepEqual(set(schema), start));
  }

  it("unfinished, where nobody can know", () => {
    for (const schema of [{ type: "number" }, true, {}]) assert.deepEqual(set(schema), new Draft(""));
  });

  it("unfinished, an item that somebody has to choose", () => {
    const item = (schema: unknown) => startOfItem(new Shapes(schema), schema);
    assert.deepEqual(item({ enum: ["a", "b"] }), new Draft(""));
    assert.deepEqual([{ enum: ["a"] }, { enum: ["a", "b"], default: "b" }, { type: "string" }].map(item), [
      "a",
      "b",
      "",
    ]);
    assert.deepEqual(set({ prefixItems: [{ enum: ["a", "b"] }] }), [new Draft("")]);
  });

  it("with few items, however many there must be", () => {
    assert.equal((set({ type: "array", items: true, minItems: 1e9 }) as unknown[]).length, 5);
  });
});
