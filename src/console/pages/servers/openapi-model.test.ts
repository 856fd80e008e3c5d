/** What is chosen of an OpenAPI document becomes the request that the hub takes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ImportPreview } from "../../../contract/api.ts";
import { countOf, credentialsFor, firstChoice, importOf, NO_CREDENTIALS } from "./openapi-model.ts";

const PREVIEW: ImportPreview = {
  name: "weather",
  title: "Weather",
  baseUrl: "https://w.example",
  servers: [],
  tags: ["read"],
  skipped: [],
  schemes: [
    { name: "key", type: "apiKey", in: "query", keyName: "k" },
    { name: "login", type: "basic" },
    { name: "token", type: "oauth2", tokenUrl: "https://w.example/token", scopes: ["a", "b"] },
  ],
  operations: [
    { name: "now", method: "GET", path: "/now", description: "" },
    { name: "report", method: "POST", path: "/reports/{id}", description: "" },
  ],
};
const CHOICE = firstChoice(PREVIEW);
const URL = { url: "https://w.example/openapi.yaml" };

test("as it comes: all of it, and nothing is said that the document says", () => {
  assert.deepEqual(importOf(URL, PREVIEW, CHOICE), { ...URL, name: "weather" });
});

describe("a choice", () => {
  test("of tags", () => {
    assert.deepEqual(importOf(URL, PREVIEW, { ...CHOICE, by: "tags", tags: new Set(["read"]) }).tags, ["read"]);
  });

  test("of operations", () => {
    const choice = { ...CHOICE, by: "operations", operations: new Set(["POST /reports/{id}"]) } as const;
    assert.deepEqual(importOf(URL, PREVIEW, choice).paths, ["POST /reports/{id}"]);
    assert.equal(countOf(choice, PREVIEW.operations), 1);
  });

  test("of every operation is none: what the document gets later comes too", () => {
    assert.equal(importOf(URL, PREVIEW, { ...CHOICE, by: "operations" }).paths, undefined);
  });

  test("of another address and name", () => {
    const { name, baseUrl } = importOf(URL, PREVIEW, { ...CHOICE, name: " sky ", baseUrl: "https://other.example" });
    assert.deepEqual([name, baseUrl], ["sky", "https://other.example"]);
  });
});

describe("credentials", () => {
  test("by the names of schemes, those alone that were given", () => {
    const token = { ...credentialsFor(PREVIEW.schemes[2]), user: "me", secret: "s" };
    const given = { key: { ...NO_CREDENTIALS, secret: "k1" }, token };
    assert.deepEqual(importOf(URL, PREVIEW, { ...CHOICE, given }).auth, {
      key: { type: "apiKey", in: "query", name: "k", value: "k1" },
      token: {
        type: "oauth2",
        tokenUrl: "https://w.example/token",
        clientId: "me",
        clientSecret: "s",
        scopes: ["a", "b"],
        sendAs: "header",
      },
    });
  });

  test("of a kind of one's own, where the document knows of none", () => {
    const open = { ...PREVIEW, schemes: [] };
    const given = { "": { ...NO_CREDENTIALS, secret: "s", keyName: "X-Key", user: "u" } };
    const auth = (ownKind: "none" | "apiKey" | "bearer" | "basic"): unknown =>
      importOf(URL, open, { ...CHOICE, given, ownKind }).auth;
    assert.equal(auth("none"), undefined);
    assert.deepEqual(auth("apiKey"), { type: "apiKey", in: "header", name: "X-Key", value: "s" });
    assert.deepEqual(auth("bearer"), { type: "bearer", token: "s" });
    assert.deepEqual(auth("basic"), { type: "basic", username: "u", password: "s" });
  });

  test("headers", () => {
    assert.deepEqual(importOf(URL, PREVIEW, { ...CHOICE, headers: [{ name: "A", value: "b" }] }).headers, { A: "b" });
  });
});
