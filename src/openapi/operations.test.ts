/** Whole documents in, tools out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ZaguanError } from "../errors.ts";
import type { ApiOperation } from "../sources/api/operation.ts";
import { readDocument } from "./document.ts";
import { type OperationsOptions, operationsOf, type ReadApi } from "./operations.ts";

type Json = Record<string, unknown>;

function read(document: Json, options: OperationsOptions = {}): ReadApi {
  const text = JSON.stringify({ openapi: "3.0.3", info: { title: "T", version: "1" }, ...document });
  return operationsOf(readDocument(text), options);
}

function one(operation: Json, document: Json = {}, path = "/x", method = "post"): ApiOperation {
  const [first] = read({ ...document, paths: { [path]: { [method]: { responses: {}, ...operation } } } }).operations;
  assert.ok(first);
  return first;
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (cause) {
    assert.ok(cause instanceof ZaguanError && cause.code === "INVALID_PARAMS", String(cause));
    return String(cause.details.params?.["reason"]);
  }
  return assert.fail("was read");
}

const jsonBody = (schema: unknown, more: Json = {}) => ({
  requestBody: { content: { "application/json": { schema } }, ...more },
});
const properties = (operation: ApiOperation) => operation.inputSchema["properties"] as Record<string, Json>;

test("names: the operationId made fit, else method and path; each once", () => {
  const paths = {
    "/pets/{id}": { get: {}, delete: { operationId: "delete pet/now!" } },
    "/pets": { get: { operationId: "list" }, post: { operationId: "list" } },
    "/": { get: {} },
    "/ñ": { get: { operationId: "删除" } },
    [`/${"long/".repeat(30)}`]: { get: {}, put: { operationId: "p".repeat(100) } },
  };
  const names = read({ paths }).operations.map(({ name }) => name);
  assert.deepEqual(names.slice(0, 6), ["get_pets_by_id", "delete_pet_now", "list", "list_2", "get", "get_2"]);
  for (const name of names) assert.match(name, /^[A-Za-z0-9_.-]{1,64}$/);
  assert.equal(new Set(names).size, names.length);
});

test("a description is summary and description, cut where a sentence ends, and says what is deprecated", () => {
  const told = one({ summary: "Adds a pet", description: "It is kept. ".repeat(200), deprecated: true });
  assert.equal(told.title, "Adds a pet");
  assert.match(told.description, /^Deprecated\. Adds a pet\n\nIt is kept\. /);
  assert.ok(told.description.length <= 1_024 && told.description.endsWith("kept. …"), told.description.slice(-20));
  assert.equal(one({}).description, "POST /x");
});

test("parameters of the path and of the operation are one list, the operation's win", () => {
  const paths = {
    "/a/{id}": {
      parameters: [
        { name: "id", in: "path", required: true, schema: { type: "string" } },
        { name: "q", in: "query", schema: { type: "string" }, description: "of the path" },
      ],
      get: { parameters: [{ $ref: "#/components/parameters/q" }] },
    },
  };
  const components = {
    parameters: { q: { name: "q", in: "query", required: true, description: "own", schema: { type: "integer" } } },
  };
  const [operation] = read({ paths, components }).operations;
  assert.deepEqual(operation?.parameters, [
    { argument: "id", name: "id", in: "path", style: "simple", explode: false, required: true },
    { argument: "q", name: "q", in: "query", style: "form", explode: true, required: true },
  ]);
  assert.deepEqual(operation?.inputSchema, {
    type: "object",
    properties: { id: { type: "string" }, q: { type: "integer", description: "own" } },
    required: ["id", "q"],
    additionalProperties: false,
  });
});

test("styles: what is written where it is allowed, else what holds for the place", () => {
  const parameters = [
    { name: "a", in: "path", style: "matrix" },
    { name: "b", in: "query", style: "pipeDelimited" },
    { name: "c", in: "query", style: "deepObject" },
    { name: "d", in: "query", explode: false, allowReserved: true },
    { name: "e", in: "header", style: "form" },
    { name: "f", in: "cookie" },
    { name: "g", in: "query", content: { "application/json": { schema: { type: "object" } } } },
    { name: "Authorization", in: "header" },
    { name: "notThere", in: "path" },
  ];
  const read = one({ parameters }, {}, "/x/{a}/{forgotten}", "get").parameters;
  const shown = read.map(({ name, style, explode, allowReserved, contentType }) => [
    name,
    style,
    explode,
    allowReserved ?? contentType,
  ]);
  assert.deepEqual(shown, [
    ["forgotten", "simple", false, undefined],
    ["a", "matrix", false, undefined],
    ["b", "pipeDelimited", false, undefined],
    ["c", "deepObject", true, undefined],
    ["d", "form", false, true],
    ["g", "form", true, "application/json"],
    ["e", "simple", false, undefined],
    ["f", "form", true, undefined],
  ]);
});

test("names on the wire that clients refuse become arguments that they take", () => {
  const parameters = ["filter[name]", "$top", "top", "ключ"].map((name) => ({ name, in: "query" }));
  const { parameters: read } = one({ parameters });
  assert.deepEqual(
    read.map(({ argument }) => argument),
    ["filter_name", "top", "top_2", "argument"],
  );
  assert.deepEqual(
    read.map(({ name }) => name),
    ["filter[name]", "$top", "top", "ключ"],
  );
});

test("what an API insists on and has a default for, the caller may leave out", () => {
  const parameters = [{ name: "v", in: "query", required: true, schema: { type: "string", default: "2" } }];
  const operation = one({ parameters });
  assert.equal(operation.parameters[0]?.default, "2");
  assert.equal(operation.inputSchema["required"], undefined);
});

test("a member that a body insists on without describing it is an argument too", () => {
  const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name", "team"] };
  const operation = one(jsonBody(schema));
  assert.deepEqual(operation.body?.members, [
    { argument: "name", name: "name" },
    { argument: "team", name: "team" },
  ]);
  assert.deepEqual(operation.inputSchema["required"], ["name", "team"]);
  assert.deepEqual(properties(operation)["team"], {});
});

test("a JSON object is spread into the arguments, without what is read-only", () => {
  const schema = {
    allOf: [
      { $ref: "#/components/schemas/New" },
      { properties: { id: { type: "integer", readOnly: true } }, required: ["id"] },
    ],
  };
  const components = {
    schemas: { New: { type: "object", required: ["name"], properties: { name: { type: "string" }, "a b": {} } } },
  };
  const operation = one(jsonBody(schema, { required: true }), { components });
  assert.deepEqual(operation.body, {
    contentType: "application/json",
    kind: "json",
    required: true,
    members: [
      { argument: "name", name: "name" },
      { argument: "a_b", name: "a b" },
    ],
  });
  assert.deepEqual(operation.inputSchema["required"], ["name"]);
});

test("it stays one argument where a name is taken, where it is no plain object, and where more members may come", () => {
  const plain = { type: "object", properties: { id: { type: "string" } } };
  const clash = one({ parameters: [{ name: "id", in: "query" }], ...jsonBody(plain) });
  assert.equal(clash.body?.argument, "body");
  assert.deepEqual(Object.keys(properties(clash)), ["id", "body"]);
  for (const schema of [
    { type: "array" },
    { oneOf: [plain] },
    { ...plain, additionalProperties: true },
    {},
    undefined,
  ]) {
    assert.equal(one(jsonBody(schema)).body?.argument, "body");
  }
  const both = { allOf: [plain, { properties: { id: { minLength: 1 } } }] };
  assert.equal(one(jsonBody(both)).body?.argument, "body");
  const twice = one({ parameters: [{ name: "body", in: "query" }], ...jsonBody({ type: "array" }) });
  assert.equal(twice.body?.argument, "body_2");
});

test("of several media types JSON is sent, then forms, multipart, text, bytes", () => {
  const types = [
    "image/png",
    "text/csv",
    "multipart/form-data",
    "application/x-www-form-urlencoded",
    "application/hal+json; v=1",
  ];
  const kinds = types.map((_, i) => {
    const content = Object.fromEntries(types.slice(0, i + 1).map((type) => [type, {}]));
    return one({ requestBody: { content } }).body?.kind;
  });
  assert.deepEqual(kinds, ["binary", "text", "multipart", "form", "json"]);
  assert.equal(one({ requestBody: { content: { "*/*": {} } } }).body?.contentType, "application/json");
  assert.equal(one(jsonBody({}), {}, "/x", "get").body, undefined);
});

test("files of a multipart form may come as text or as bytes with a name", () => {
  const schema = {
    type: "object",
    properties: { file: { type: "string", format: "binary", description: "It" }, meta: { type: "object" } },
  };
  const content = {
    "multipart/form-data": { schema, encoding: { meta: { contentType: "application/json, text/plain" } } },
  };
  const operation = one({ requestBody: { content } });
  assert.deepEqual(operation.body?.members, [
    { argument: "file", name: "file", contentType: "application/octet-stream" },
    { argument: "meta", name: "meta", contentType: "application/json" },
  ]);
  assert.equal((properties(operation)["file"]?.["anyOf"] as Json[] | undefined)?.[1]?.["type"], "object");
  assert.equal(properties(operation)["file"]?.["description"], "It");
});

test("servers: variables filled in, relative ones from where the document came, an operation's own", () => {
  const paths = { "/x": { get: { servers: [{ url: "https://other.example/" }] }, put: {} } };
  const variables = { v: { default: "v2" }, port: { enum: ["8443"] } };
  const servers = [
    { url: "https://a.example:{port}/{v}/", variables },
    { url: "/api" },
    { url: "wss://a" },
    { url: "https://{x}" },
  ];
  assert.deepEqual(read({ paths, servers }).servers, ["https://a.example:8443/v2", "/api"]);
  const base = "https://docs.example/spec/openapi.json";
  assert.deepEqual(read({ paths, servers: [{ url: "../api" }] }, { base }).servers, ["https://docs.example/api"]);
  assert.deepEqual(read({ paths }, { base }).servers, ["https://docs.example"]);
  assert.deepEqual(read({ paths, servers: [{ url: "" }, {}, { url: 1 }] }).servers, ["/"]);
  assert.deepEqual(
    read({ paths }).operations.map(({ server }) => server),
    ["https://other.example", undefined],
  );
});

test("security: the first way that can be met, none, or nothing said", () => {
  const securitySchemes = {
    key: { type: "apiKey", in: "header", name: "X-Key" },
    app: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "https://a/t", scopes: { read: "" } } } },
    user: { type: "oauth2", flows: { implicit: {} } },
    basic: { type: "http", scheme: "Basic" },
    tls: { type: "mutualTLS" },
  };
  const paths = {
    "/a": { get: {}, put: { security: [] }, post: { security: [{}, { tls: [] }] } },
    "/b": { get: { security: [{ tls: [] }, {}, { key: [], basic: [] }] } },
  };
  const api = read({ paths, components: { securitySchemes }, security: [{ app: ["read"] }] });
  assert.deepEqual(
    api.operations.map(({ security }) => security),
    [["app"], [], [], ["key", "basic"]],
  );
  assert.deepEqual(api.schemes, [
    { name: "key", type: "apiKey", in: "header", keyName: "X-Key" },
    { name: "app", type: "oauth2", tokenUrl: "https://a/t", scopes: ["read"] },
    { name: "user", type: "bearer" },
    { name: "basic", type: "basic" },
  ]);
  assert.deepEqual(api.skipped, [{ where: "components.securitySchemes.tls", reason: "mutualTLS is not supported" }]);
  assert.ok(!("security" in one({})));
});

test("tags and paths choose; what fits nothing is said", () => {
  const paths = { "/a": { get: { tags: ["x"] }, put: {} }, "/b/c": { get: {} }, "/b/d": { get: { tags: ["y"] } } };
  const chosen = (options: OperationsOptions) => read({ paths }, options).operations.map(({ name }) => name);
  assert.deepEqual(read({ paths }).tags, ["x", "y"]);
  assert.deepEqual(chosen({ tags: ["x"] }), ["get_a"]);
  assert.deepEqual(chosen({ paths: ["/b/*"] }), ["get_b_c", "get_b_d"]);
  assert.deepEqual(chosen({ paths: ["PUT /a"], tags: ["y"] }), ["put_a", "get_b_d"]);
  assert.match(
    refusal(() => chosen({ tags: ["z"] })),
    /no operation with these tags/,
  );
});

test("an operation that cannot be read is named, and the others come", () => {
  const paths = {
    "/a": { get: { parameters: [{ $ref: "#/nowhere" }] } },
    "/b": { get: {} },
    "/c": { $ref: "#/paths/~1c" },
  };
  const { operations, skipped } = read({ paths });
  assert.deepEqual(
    operations.map(({ name }) => name),
    ["get_b"],
  );
  assert.deepEqual(
    skipped.map(({ where }) => where),
    ["/c", "GET /a"],
  );
  assert.match(skipped[0]?.reason ?? "", /circle/);
  assert.match(skipped[1]?.reason ?? "", /"#\/nowhere" leads nowhere/);
});

test("a document of nothing that can be read is refused with the reason", () => {
  assert.match(
    refusal(() => read({ paths: { "/c": { $ref: "#/paths/~1c" } } })),
    /circle/,
  );
  assert.match(
    refusal(() => read({})),
    /describes no operation/,
  );
  const paths = Object.fromEntries(Array.from({ length: 2_001 }, (_, i) => [`/${i}`, { get: {} }]));
  assert.match(
    refusal(() => read({ paths })),
    /2001 operations are more than 2000; choose/,
  );
});

test("a thousand operations are read, each with its own name", () => {
  const schemas = {
    Thing: { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/components/schemas/Thing" } } },
  };
  const operation = jsonBody({ $ref: "#/components/schemas/Thing" });
  const paths = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`/things${i}/{id}`, { put: operation }]));
  const { operations } = read({ paths, components: { schemas } });
  assert.equal(new Set(operations.map(({ name }) => name)).size, 1_000);
  assert.deepEqual(Object.keys(operations[999]?.inputSchema["$defs"] as object), ["Thing"]);
});

test("what an answer looks like is told where it is asked for", () => {
  const schema = {
    type: "object",
    properties: { id: { type: "string", readOnly: true }, secret: { writeOnly: true } },
  };
  const responses = { "404": {}, "200": { content: { "application/json": { schema } } } };
  const [operation] = read({ paths: { "/x": { get: { responses } } } }, { outputSchemas: true }).operations;
  assert.deepEqual(operation?.outputSchema, { type: "object", properties: { id: { type: "string", readOnly: true } } });
  assert.equal(one({ responses }).outputSchema, undefined);
});
