import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { z } from "zod";
import { checked } from "../doors/rest/checked.ts";
import { NamedSchemas } from "../doors/rest/openapi.ts";
import { ZaguanError } from "../errors.ts";
import type { Language } from "../messages/catalogue.ts";
import { ImportChange, NewImport, RefreshInput } from "./api.ts";

/** What the caller of an endpoint is told of each field. */
function problemsOf(schema: z.ZodType, value: unknown, language: Language = "en"): unknown {
  try {
    checked(schema, value, language);
  } catch (error) {
    assert.ok(error instanceof ZaguanError);
    const problems = error.details.data?.["errors"] as readonly { field: string; message: string }[];
    return problems.map(({ field, message }) => [field, message]);
  }
  return assert.fail("it was taken");
}

const URL_OF_ONE = "https://example.org/openapi.json";
const HTTP_URL = "must be an http or https URL";
const NO_HEADER_VALUE = "must be one line of characters that a header can have";
const KINDS = "must be one of: none, apiKey, bearer, basic, oauth2";

const BEARER = { type: "bearer", token: "t" };
const KEY = { type: "apiKey", in: "header", name: "X-Key", value: "k" };
const OAUTH = { type: "oauth2", tokenUrl: "https://example.org/token", clientId: "c", clientSecret: "s" };

describe("what an import takes", () => {
  it("is a URL or a document, and everything that may be set", () => {
    const input = {
      url: URL_OF_ONE,
      name: "pets",
      baseUrl: "http://127.0.0.1:8080/v1",
      tags: ["pets"],
      paths: ["/pets/*", "GET /pets"],
      auth: BEARER,
      headers: { "X-A": "b" },
      callsPerMinute: 60,
      concurrency: 2,
    };
    assert.deepEqual(checked(NewImport, input, "en"), input);
    assert.deepEqual(checked(NewImport, { document: "{}" }, "en"), { document: "{}" });
    assert.deepEqual(checked(ImportChange, {}, "en"), {});
    assert.deepEqual(checked(RefreshInput, { dryRun: true }, "en"), { dryRun: true });
  });

  for (const [what, body, ...problems] of [
    ["neither URL nor document", {}, ["url", "is missing"]],
    ["both", { url: URL_OF_ONE, document: "{}" }, ["document", "must not be given"]],
    ["a document that is no text", { document: { openapi: "3.1.0" } }, ["document", "must be string"]],
    ["a file", { url: "file:///etc/passwd" }, ["url", HTTP_URL]],
    ["a path", { url: "openapi.json" }, ["url", HTTP_URL]],
    ["two words", { url: "open api" }, ["url", HTTP_URL]],
    ["an address that readers take for another", { url: "https://a.example\\@b.example/" }, ["url", HTTP_URL]],
    ["a name", { url: "https://me@example.org/" }, ["url", "must not hold a name or a password: use auth"]],
    [
      "a password",
      { url: URL_OF_ONE, baseUrl: "https://:x@example.org" },
      ["baseUrl", "must not hold a name or a password: use auth"],
    ],
    ["a misspelt key", { url: URL_OF_ONE, tag: ["a"] }, ["tag", "is not known here; did you mean 'tags'?"]],
    ["one tag", { url: URL_OF_ONE, tags: "a" }, ["tags", "must be array"]],
    ["no calls", { url: URL_OF_ONE, callsPerMinute: 0 }, ["callsPerMinute", "must be at least 1"]],
    ["half a call", { url: URL_OF_ONE, concurrency: 0.5 }, ["concurrency", "must be integer"]],
    [
      "a header that is none",
      { url: URL_OF_ONE, headers: { "a b": "x" } },
      ["headers.a b", "is not a possible name of a header"],
    ],
    ["a header of two lines", { url: URL_OF_ONE, headers: { a: "x\r\nb: y" } }, ["headers.a", NO_HEADER_VALUE]],
  ] as const) {
    it(`is not ${what}`, () => assert.deepEqual(problemsOf(NewImport, body), problems));
  }

  for (const name of ["a__b", "a_", "house", "..", "a/b", "á", "a b", "", "x".repeat(65)]) {
    it(`has no name ${JSON.stringify(name.slice(0, 10))}`, () => {
      assert.deepEqual(problemsOf(ImportChange, { name }), [
        ["name", 'must be 1 to 64 letters without accents, digits, "_", "." or "-", without "__"'],
      ]);
    });
  }
});

describe("credentials", () => {
  for (const auth of [
    { type: "none" },
    KEY,
    { ...KEY, in: "query", name: "api key" },
    { ...KEY, in: "cookie" },
    { ...KEY, in: "body", name: "a.b" },
    BEARER,
    { type: "basic", username: "ann", password: "a:b" },
    { ...OAUTH, scopes: ["a"], sendAs: "body" },
    {},
    { petstore_auth: BEARER, api_key: KEY },
    { type: BEARER },
  ]) {
    it(`may be ${JSON.stringify(auth)}`, () => {
      assert.deepEqual(checked(ImportChange, { auth }, "en"), { auth });
    });
  }

  it("of OAuth ask for no scope and send the secret in a header, where nothing else is said", () => {
    assert.deepEqual(checked(ImportChange, { auth: { one: OAUTH } }, "en"), {
      auth: { one: { ...OAUTH, scopes: [], sendAs: "header" } },
    });
  });

  for (const [auth, ...problems] of [
    ["secret", ["auth", "must be object"]],
    [[BEARER], ["auth", "must be object"]],
    [null, ["auth", "must be object"]],
    [{ token: "t" }, ["auth.type", "is missing"]],
    [{ type: "bearr", token: "t" }, ["auth.type", KINDS]],
    [{ type: "basicRaw", value: "x" }, ["auth.type", KINDS]],
    [{ type: "tokenRequest" }, ["auth.type", KINDS]],
    [{ type: "bearer" }, ["auth.token", "is missing"]],
    [{ type: "bearer", token: "" }, ["auth.token", "must have at least 1 character(s)"]],
    [
      { type: "bearer", tokn: "t" },
      ["auth.token", "is missing"],
      ["auth.tokn", "is not known here; did you mean 'token'?"],
    ],
    [{ type: "bearer", token: "t\r\nx: y" }, ["auth.token", "must be one word of visible ASCII characters"]],
    [{ type: "basic", username: "a:b", password: "" }, ["auth.username", "must be one line without a colon"]],
    [{ ...KEY, in: "foot" }, ["auth.in", "must be one of: header, query, cookie, body"]],
    [{ ...KEY, name: "a b" }, ["auth.name", "is not a possible name of a header"]],
    [{ ...KEY, value: "a\nb" }, ["auth.value", NO_HEADER_VALUE]],
    [{ ...OAUTH, tokenUrl: "ftp://example.org" }, ["auth.tokenUrl", HTTP_URL]],
    [{ ...OAUTH, scopes: ["a b"] }, ["auth.scopes[0]", "must be one word"]],
    [{ petstore: { token: "t" } }, ["auth.petstore.type", "is missing"]],
    [{ petstore: { type: "magic" } }, ["auth.petstore.type", KINDS]],
    [{ petstore: { type: "bearer" } }, ["auth.petstore.token", "is missing"]],
    [{ petstore: BEARER, other: "t" }, ["auth.other", "must be object"]],
  ] as const) {
    it(`may not be ${JSON.stringify(auth)}`, () => {
      assert.deepEqual(problemsOf(ImportChange, { auth }), problems);
    });
  }

  it("are asked for in the caller's language", () => {
    assert.deepEqual(problemsOf(ImportChange, { auth: { a: { type: "b" } } }, "es"), [
      ["auth.a.type", "debe ser uno de: none, apiKey, bearer, basic, oauth2"],
    ]);
  });

  it("are never repeated in what is said of them", () => {
    for (const auth of [{ type: "hunter2" }, { type: "bearer", token: "hunter2\n" }, "hunter2", { a: "hunter2" }]) {
      assert.doesNotMatch(JSON.stringify(problemsOf(ImportChange, { auth })), /hunter2/);
    }
  });

  it("are described by their kinds", () => {
    const schemas = new NamedSchemas();
    schemas.input(NewImport);
    const { NewApi, ApiAuth } = JSON.parse(JSON.stringify(schemas.all()));
    assert.deepEqual(
      NewApi.properties.auth.anyOf.map((each: { additionalProperties?: object }) => each.additionalProperties ?? each),
      [{ $ref: "#/components/schemas/ApiAuth" }, { $ref: "#/components/schemas/ApiAuth" }],
    );
    const kinds = (ApiAuth.oneOf ?? ApiAuth.anyOf).map(
      (kind: { properties: { type: { const: string } } }) => kind.properties.type.const,
    );
    assert.deepEqual(kinds, ["none", "apiKey", "bearer", "basic", "oauth2"]);
  });
});
