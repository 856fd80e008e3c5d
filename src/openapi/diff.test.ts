/** What a refresh would change. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiOperation } from "../sources/api/operation.ts";
import { diffOperations } from "./diff.ts";

function operation(name: string, more: Partial<ApiOperation> = {}): ApiOperation {
  return {
    name,
    description: "d",
    method: "GET",
    path: "/",
    parameters: [],
    inputSchema: { type: "object", a: { b: 1, c: [1, 2] } },
    ...more,
  };
}

test("operations come, go and change, by name", () => {
  const before = [operation("gone"), operation("same"), operation("moved"), operation("told")];
  const after = [
    operation("told", { description: "e", title: "t" }),
    operation("same"),
    operation("moved", { path: "/b", method: "PUT" }),
    operation("new"),
  ];
  assert.deepEqual(diffOperations(before, after), {
    added: ["new"],
    removed: ["gone"],
    changed: [
      { name: "told", members: ["title", "description"] },
      { name: "moved", members: ["method", "path"] },
    ],
  });
});

test("the order of members is no difference, that of a list is, and so is what is missing", () => {
  const before = [operation("a")];
  const changed = (inputSchema: ApiOperation["inputSchema"]) =>
    diffOperations(before, [operation("a", { inputSchema })]).changed.length;
  assert.equal(changed({ a: { c: [1, 2], b: 1 }, type: "object", d: undefined }), 0);
  assert.equal(changed({ type: "object", a: { b: 1, c: [2, 1] } }), 1);
  assert.equal(changed({ type: "object", a: { b: 1 } }), 1);
  assert.equal(changed({ type: "object", a: { b: 1, c: [1, 2], d: 1 } }), 1);
  assert.equal(changed({ type: "object", a: { b: 1, c: { 0: 1, 1: 2 } } }), 1);
  assert.deepEqual(diffOperations(before, [operation("a", { security: undefined })]).changed, []);
  assert.deepEqual(diffOperations(before, [operation("a", { security: [] })]).changed, [
    { name: "a", members: ["security"] },
  ]);
});
