/**
 * Every real document is read: all its operations become tools with names and schemas that clients take, and nothing of it
 * is refused. What it takes is printed.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { unfitness } from "../../src/core/unfit-tools.ts";
import { readDocument } from "../../src/openapi/document.ts";
import { operationsOf, type ReadApi } from "../../src/openapi/operations.ts";
import { makeSchemaChecker } from "../../src/schema/ajv-checker.ts";
import { DOCUMENTS, type RealDocument } from "./documents.ts";
import { textOf } from "./support/stored.ts";

/** Of schemes that need more than a secret; they are skipped, and their operations are there. */
const UNUSABLE_SCHEME = /^components\.securitySchemes\./;

test("the documents are twenty or more, each of another maker, of both versions and in both notations", () => {
  assert.ok(new Set(DOCUMENTS.map(({ name }) => name)).size >= 20);
  for (const version of ["3.0", "3.1"]) assert.ok(DOCUMENTS.filter(({ openapi }) => openapi === version).length >= 5);
  for (const end of [/\.json$/, /\.yaml$/]) assert.ok(DOCUMENTS.filter(({ path }) => end.test(path)).length >= 5);
});

for (const document of DOCUMENTS) {
  describe(`${document.name} (${document.package}, ${document.licence})`, () => {
    let api: ReadApi;

    test("is what the list says, and every operation of it is read", (t) => {
      const text = textOf(document);
      const startedAt = performance.now();
      const read = readDocument(text);
      api = operationsOf(read);
      t.diagnostic(`${api.operations.length} operations in ${Math.round(performance.now() - startedAt)} ms`);
      const { length: operations } = api.operations;
      const kilobytes = Math.round(Buffer.byteLength(text) / 1_000);
      const found: Partial<RealDocument> = { openapi: read.dialect, kilobytes, operations };
      assert.deepEqual({ ...document, ...found }, document);
      assert.equal(operations, countIn(read.root));
      assert.deepEqual(
        api.skipped.filter(({ where }) => !UNUSABLE_SCHEME.test(where)),
        [],
      );
    });

    test("its tools have names of their own that every client takes", () => {
      for (const { name } of api.operations) assert.match(name, /^[A-Za-z0-9_.-]{1,64}$/);
      assert.equal(new Set(api.operations.map(({ name }) => name)).size, api.operations.length);
    });

    test("its schemas stand alone, and both our checker and a plain one compile them", () => {
      const told: string[] = [];
      const ours = makeSchemaChecker({ onSkipped: (reason) => told.push(reason) });
      const plain = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false });
      for (const { name, description, inputSchema } of api.operations) {
        assert.equal(unfitness({ name, description, inputSchema }), undefined, name);
        assert.doesNotThrow(() => plain.compile(inputSchema), name);
        ours.check(inputSchema, {});
      }
      // A pattern that could take for ever is not checked; everything else of its schema is.
      assert.deepEqual(
        told.filter((reason) => !reason.includes("cannot be matched safely")),
        [],
      );
    });
  });
}

/** Counted by somebody who knows nothing of our reader. */
function countIn(root: unknown): number {
  const { paths } = root as { paths: Record<string, object> };
  const methods = /^(?:get|head|post|put|patch|delete|options|trace)$/;
  return Object.values(paths).flatMap((item) => Object.keys(item).filter((key) => methods.test(key))).length;
}
