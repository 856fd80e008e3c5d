/** What is told before the hub is asked. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readJson } from "../../kit/exact-json.ts";
import { problemsIn } from "./problems.ts";
import { Shapes } from "./shapes.ts";
import { Draft } from "./values.ts";

function found(schema: unknown, value: unknown): Record<string, string> {
  const problems = problemsIn(new Shapes(schema), schema, value);
  return Object.fromEntries([...problems].map(([place, wrong]) => [place, Object.values(wrong).join(" ")]));
}

describe("wrong is", () => {
  it("what must be given and is not, at any depth", () => {
    const inner = { type: "object", properties: { b: { type: "string" } }, required: ["b"] };
    const schema = {
      type: "object",
      properties: { a: inner, list: { type: "array", items: inner }, c: {} },
      required: ["a", "c"],
    };
    assert.deepEqual(found(schema, { a: {}, list: [{ b: "x" }, {}] }), {
      "/c": "required",
      "/a/b": "required",
      "/list/1/b": "required",
    });
    assert.deepEqual(found(schema, { a: { b: "" }, c: null }), {});
  });

  it("a number that is none, not whole, or out of its bounds", () => {
    const of = (rules: object, value: unknown) => found({ type: "number", ...rules }, value)[""];
    assert.equal(of({}, new Draft("1x")), "number");
    assert.equal(of({}, "1"), "number");
    assert.equal(of({ type: "integer" }, 1.5), "whole");
    assert.equal(of({ minimum: 2 }, 1), "least 2");
    assert.equal(of({ maximum: 2 }, 3), "most 2");
    assert.equal(of({ exclusiveMinimum: 2 }, 2), "above 2");
    assert.equal(of({ exclusiveMaximum: 2 }, 2), "below 2");
    assert.equal(of({ type: "integer", minimum: 2 }, 2), undefined);
    assert.equal(of({ type: "integer" }, readJson("12345678901234567890")), undefined);
    assert.equal(of({ maximum: 5 }, readJson("12345678901234567890")), "most 5");
  });

  it("text of the wrong length, counted as people do", () => {
    const schema = { type: "string", minLength: 2, maxLength: 3 };
    assert.deepEqual(
      ["a", "😀", "😀😀", "abcd"].map((text) => found(schema, text)[""]),
      ["short 2", "short 2", undefined, "long 3"],
    );
  });

  it("a list with too few items, or too many", () => {
    const schema = { type: "array", items: { type: "number" }, minItems: 1, maxItems: 2 };
    assert.deepEqual(
      [[], [1], [1, 2, 3]].map((list) => found(schema, list)[""]),
      ["few 1", undefined, "many 2"],
    );
    assert.deepEqual(found({ prefixItems: [{ type: "string" }, { type: "number" }] }, ["a", "b"]), { "/1": "number" });
  });

  it("what was not finished, wherever it stands", () => {
    const draft = new Draft("{");
    assert.deepEqual(found({ type: "object" }, { extra: [1, { a: draft }] }), { "/extra/1/a": "json" });
    assert.deepEqual(found({ oneOf: [{ type: "string" }, { type: "object" }] }, { a: draft }), { "/a": "json" });
    assert.deepEqual(found(true, draft), { "": "json" });
    assert.deepEqual(found({ items: { enum: ["a", "b"] } }, ["a", new Draft("")]), { "/1": "required" });
  });
});

describe("not wrong is", () => {
  it("what only the hub can judge", () => {
    assert.deepEqual(found({ type: "string", pattern: "^a", format: "email" }, "b"), {});
    assert.deepEqual(found({ enum: ["a"] }, "b"), {});
    assert.deepEqual(found({ oneOf: [{ required: ["a"] }, { required: ["b"] }] }, {}), {});
    assert.deepEqual(found({ type: ["number", "null"] }, null), {});
  });
});
