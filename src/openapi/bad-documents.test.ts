/** Documents that are broken, endless, hostile or plainly wrong: a clear error or a good import, and never anything else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fc, runs } from "../../test/support/seed.ts";
import { unfitness } from "../core/unfit-tools.ts";
import { ZaguanError } from "../errors.ts";
import { readDocument } from "./document.ts";
import { operationsOf, type ReadApi } from "./operations.ts";

type Json = Record<string, unknown>;

const ref = (pointer: string) => ({ $ref: `#/${pointer}` });

function read(document: Json): ReadApi {
  const text = JSON.stringify({ openapi: "3.1.0", info: { title: "T", version: "1" }, ...document });
  return operationsOf(readDocument(text));
}

/** The reason of a refusal; what was read is a failure of the test. */
function refusal(run: () => unknown): string {
  try {
    run();
  } catch (cause) {
    assert.ok(cause instanceof ZaguanError && cause.code === "INVALID_PARAMS", String(cause));
    return String(cause.details.params?.["reason"]);
  }
  return assert.fail("was read");
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false });

/** What clients and our own core make of the tools. */
function assertGood({ operations }: ReadApi): void {
  for (const { name, description, inputSchema } of operations) {
    assert.match(name, /^[A-Za-z0-9_.-]{1,64}$/);
    assert.equal(unfitness({ name, description, inputSchema }), undefined);
    ajv.compile(inputSchema);
  }
  assert.equal(new Set(operations.map(({ name }) => name)).size, operations.length);
}

test("references in a circle end in an error, wherever they stand", () => {
  const loop = { a: ref("components/x/b"), b: ref("components/x/a") };
  const operations: Json[] = [
    { parameters: [ref("components/x/a")] },
    { requestBody: ref("components/x/a") },
    { parameters: [{ name: "q", in: "query", schema: ref("components/x/a") }] },
    { requestBody: { content: { "application/json": { schema: ref("components/x/a") } } } },
    { requestBody: { content: { "application/json": { schema: { properties: { p: ref("components/x/b") } } } } } },
  ];
  for (const post of operations) {
    const broken = () => read({ paths: { "/x": { post } }, components: { x: loop } });
    assert.match(refusal(broken), /leads in a circle/);
  }
  assert.match(
    refusal(() => read({ paths: ref("paths") })),
    /describes no operation|circle/,
  );
});

test("references that lead nowhere are named, and the other operations come", () => {
  const wrong = ["components/schemas/None", "components/parameters/0/x", "paths/~1a/get/parameters/7", "", "%"];
  const paths = Object.fromEntries(
    wrong.map((pointer, i) => [
      `/${i}`,
      { get: { parameters: [{ name: "q", in: "query", schema: ref(pointer) }] }, put: {} },
    ]),
  );
  const { operations, skipped } = read({ paths });
  assert.equal(operations.length, wrong.length);
  assert.equal(skipped.length, wrong.length);
  for (const { reason } of skipped) assert.match(reason, /paths\.\/\d\.get.*leads nowhere|circle/);
});

test("schemas that contain themselves are read, whichever keyword leads back", () => {
  const self = ref("components/schemas/S");
  const ways: Json[] = [
    { properties: { next: self } },
    { items: self },
    { additionalProperties: self },
    { allOf: [{ type: "object" }, { properties: { next: self } }] },
    { anyOf: [self, { type: "null" }] },
    { oneOf: [{ items: self }, { not: self }] },
    { type: "object", patternProperties: { "^x": self }, properties: { a: self, b: { items: [self] } } },
    { prefixItems: [self], if: self, else: self },
  ];
  for (const S of ways) {
    const requestBody = { content: { "application/json": { schema: self } } };
    assertGood(read({ paths: { "/x": { post: { requestBody } } }, components: { schemas: { S } } }));
  }
  const allOfItself = () =>
    read({
      paths: { "/x": { post: { requestBody: { content: { "application/json": { schema: self } } } } } },
      components: { schemas: { S: { allOf: [self], properties: { a: {} } } } },
    });
  assertGood(allOfItself());
});

test("20 MB are refused by their size, in either notation", () => {
  const filler = "x".repeat(20_000_000);
  assert.match(
    refusal(() => readDocument(JSON.stringify({ openapi: "3.1.0", info: { description: filler } }))),
    /larger than 16 MB/,
  );
  assert.match(
    refusal(() => readDocument(`openapi: 3.1.0\ninfo:\n  description: ${filler}\n`)),
    /larger than 16 MB/,
  );
});

test("nesting is refused before anything recurses into it", () => {
  const deep = `${'{"properties":{"a":'.repeat(200)}{}${"}}".repeat(200)}`;
  const json = `{"openapi":"3.1.0","components":{"schemas":{"S":${deep}}}}`;
  assert.match(
    refusal(() => readDocument(json)),
    /deeper than 100 levels/,
  );
  const yaml = `openapi: 3.1.0\nx:\n${Array.from({ length: 300 }, (_, i) => `${" ".repeat(i + 1)}a:`).join("\n")}`;
  assert.match(
    refusal(() => readDocument(yaml)),
    /deeper than 100 levels/,
  );
});

test("the same operationId a thousand times gives a thousand names", () => {
  const paths = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, i) => [`/${i}`, { get: { operationId: "x".repeat(80) } }]),
  );
  assertGood(read({ paths }));
});

test("names that mean something to JavaScript are names like others", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
  const schemas = Object.fromEntries(
    names.map((name) => [name, { type: "object", properties: { a: ref(`components/schemas/${name}`) } }]),
  );
  const properties = Object.fromEntries(names.map((name) => [name, ref(`components/schemas/${name}`)]));
  const paths = Object.fromEntries(
    names.map((name) => [
      `/{${name}}`,
      {
        post: {
          operationId: name,
          tags: [name],
          parameters: [
            { name: `${name}2`, in: "query" },
            { name, in: "header" },
            { name, in: "path", required: true },
          ],
          requestBody: { content: { "application/json": { schema: { type: "object", properties, required: names } } } },
          security: [{ [name]: [] }],
        },
      },
    ]),
  );
  const securitySchemes = Object.fromEntries(names.map((name) => [name, { type: "http", scheme: "basic" }]));
  const text = JSON.stringify({ paths, components: { schemas, securitySchemes } });
  const api = read(JSON.parse(text));
  assertGood(api);
  assert.deepEqual(api.skipped, []);
  assert.deepEqual(
    api.operations.map(({ name }) => name),
    ["proto", ...names.slice(1)],
  );
  for (const { inputSchema, parameters } of api.operations) {
    assert.equal(Object.getPrototypeOf(inputSchema["properties"]), Object.prototype);
    assert.ok(!parameters.some(({ argument }) => argument === "__proto__"));
  }
  assert.equal(({} as Json)["a"], undefined);
});

/** As usual documents are, with something of everything. */
const USUAL: Json = {
  openapi: "3.0.3",
  info: { title: "Usual", version: "1" },
  servers: [{ url: "https://{host}/v1", variables: { host: { default: "a.example" } } }],
  security: [{ key: [] }],
  paths: {
    "/pets/{id}": {
      parameters: [ref("components/parameters/id")],
      get: { operationId: "getPet", tags: ["pets"], summary: "A pet", responses: { 200: { description: "ok" } } },
      put: { requestBody: ref("components/requestBodies/Pet"), servers: [{ url: "/other" }], deprecated: true },
      post: {
        parameters: [
          { name: "filter", in: "query", style: "deepObject", schema: { type: "object", nullable: true } },
          { name: "X-Trace", in: "header", content: { "application/json": { schema: { type: "array", items: {} } } } },
        ],
        requestBody: {
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                properties: { file: { type: "string", format: "binary" }, tags: { type: "array" } },
              },
              encoding: { file: { contentType: "image/png, image/jpeg" }, tags: { style: "form", explode: false } },
            },
          },
        },
      },
    },
  },
  components: {
    parameters: { id: { name: "id", in: "path", required: true, schema: { type: "integer", minimum: 1 } } },
    requestBodies: {
      Pet: { required: true, content: { "application/json": { schema: ref("components/schemas/Pet") } } },
    },
    schemas: {
      Pet: {
        allOf: [
          { $ref: "#/components/schemas/Named" },
          { required: ["kind"], properties: { kind: { enum: ["cat"] } } },
        ],
        discriminator: { propertyName: "kind", mapping: { cat: "#/components/schemas/Named" } },
      },
      Named: {
        type: "object",
        required: ["id", "name"],
        properties: { id: { readOnly: true }, name: { default: "x" } },
      },
    },
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Key" },
      app: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "/token", scopes: { read: "" } } } },
    },
  },
};

test("a usual document with anything in any place is read or refused", () => {
  const places = [...placesIn(USUAL, [])];
  const anything = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      -1,
      "",
      "x",
      "#/components/schemas/Pet",
      [],
      {},
      [null],
      { $ref: "#/" },
      { $ref: 1 },
    ),
    fc.constantFrom(ref("components/schemas/Pet"), ref("paths/~1pets~1{id}"), ref("components"), [[]], { "": {} }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...places), anything), { minLength: 1, maxLength: 3 }), (changes) => {
      const document = structuredClone(USUAL);
      for (const [place, value] of changes) put(document, place, structuredClone(value));
      try {
        assertGood(operationsOf(readDocument(JSON.stringify(document)), { outputSchemas: true }));
      } catch (cause) {
        if (!(cause instanceof ZaguanError)) throw cause;
        assert.equal(cause.code, "INVALID_PARAMS");
      }
    }),
    { numRuns: runs(400) },
  );
});

function* placesIn(value: unknown, path: readonly string[]): Generator<readonly string[]> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    yield [...path, key];
    yield* placesIn(each, [...path, key]);
  }
}

/** Where a change before this one left nothing to put it into, it is left. */
function put(document: Json, path: readonly string[], value: unknown): void {
  let holder: unknown = document;
  for (const key of path.slice(0, -1)) holder = (holder as Json | null | undefined)?.[key];
  if (typeof holder === "object" && holder !== null) (holder as Json)[path.at(-1) ?? ""] = value;
}

test("a discriminator that maps to something other than a name is read without it", () => {
  const discriminator = { propertyName: "kind", mapping: { cat: { toString: 0 }, dog: "#/components/schemas/Dog" } };
  const pet = { type: "object", properties: { kind: { type: "string" } }, discriminator };
  const schema = { type: "object", properties: { pet } };
  const post = { requestBody: { content: { "application/json": { schema } } }, responses: {} };
  const api = read({ paths: { "/x": { post } } });
  assertGood(api);
  assert.match(JSON.stringify(api.operations[0]?.inputSchema), /"mapping":\{"dog":"Dog"\}/);
});
