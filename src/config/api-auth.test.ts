import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiAuth } from "../contract/api.ts";
import { parseConfig } from "./load.ts";
import { checkFileForm } from "./schema.ts";

const key = { type: "apiKey", in: "header", name: "X-Key", value: "hunter2" };
const client = { type: "oauth2", tokenUrl: "https://a/token", clientId: "me", clientSecret: "hunter2" };

describe("credentials for an API", () => {
  it("are the usual ones if they stand alone", () => {
    assert.deepEqual(accepted(key), { "": key });
    assert.deepEqual(accepted({ type: "bearer", token: "t" }), { "": { type: "bearer", token: "t" } });
    const basic = { type: "basic", username: "me", password: "" };
    assert.deepEqual(accepted(basic), { "": basic });
  });

  it("may be several by the names of schemes", () => {
    assert.deepEqual(accepted({ api_key: key, type: { type: "bearer", token: "t" } }), {
      api_key: key,
      type: { type: "bearer", token: "t" },
    });
    assert.deepEqual(accepted({}), {});
  });

  it("fetch a token with every default", () => {
    assert.deepEqual(accepted(client), { "": { ...client, scopes: [], sendAs: "header" } });
    const other = { ...client, scopes: ["read:pets", "write:pets"], sendAs: "body" };
    assert.deepEqual(accepted({ oauth: other }), { oauth: other });
  });

  it("are refused where they are wrong, in the form that was written", () => {
    assert.deepEqual(refused({ type: "bearer" }), ["auth.token: expected a text, found nothing"]);
    assert.deepEqual(refused({ pets: { type: "bearer" } }), ["auth.pets.token: expected a text, found nothing"]);
    assert.deepEqual(refused({ type: "bearer", tokn: "t" }), [
      "auth.token: expected a text, found nothing",
      'auth.tokn: unknown key "tokn" (did you mean "token"?)',
    ]);
    const types = 'expected one of "none", "apiKey", "bearer", "basic", "oauth2"';
    assert.deepEqual(refused({ type: "digest" }), [`auth.type: ${types}`]);
    assert.deepEqual(refused({ token: "t" }), [`auth.type: ${types}`]);
    assert.deepEqual(refused({ pets: {} }), [`auth.pets.type: ${types}`]);
    assert.deepEqual(refused("Bearer t"), ["auth: expected an object, found a text"]);
    assert.deepEqual(refused({ ...key, in: "path" }), ['auth.in: expected one of "header", "query", "cookie", "body"']);
    assert.deepEqual(refused({ ...client, tokenUrl: "a/token" }), ["auth.tokenUrl: must be an http or https URL"]);
  });

  it("are what can be sent", () => {
    assert.deepEqual(refused({ ...key, name: "X Key" }), ["auth.name: is not a possible name of a header"]);
    assert.deepEqual(refused({ ...key, in: "cookie", name: "a;b" }), ["auth.name: is not a possible name of a cookie"]);
    assert.deepEqual(refused({ ...key, value: "a\nb" }), [
      "auth.value: must be one line of characters that a header can have",
    ]);
    assert.deepEqual(refused({ ...key, value: "" }), ["auth.value: must not be empty"]);
    assert.deepEqual(refused({ type: "bearer", token: "a b" }), [
      "auth.token: must be one word of visible ASCII characters",
    ]);
    assert.deepEqual(refused({ type: "basic", username: "a:b", password: "" }), [
      "auth.username: must be one line without a colon",
    ]);
    assert.deepEqual(refused({ ...client, scopes: ["a b"] }), ["auth.scopes[0]: must be one word"]);
    accepted({ ...key, in: "query", name: "api key", value: "a\nb" });
  });

  it("have no names where no document gives them a meaning", () => {
    const tools = [{ name: "t", description: "d", path: "/" }];
    const form = (auth: unknown) => ({ apiTools: { a: { baseUrl: "https://a", tools, auth } } });
    assert.deepEqual(problems(form({ pets: key })), [
      "apiTools.a.auth: has names of a document's schemes, and there is none",
    ]);
    assert.ok("config" in checkFileForm(form(key)));
  });

  it("are never repeated in a message", () => {
    const wrong = [{ ...key, value: "hunter2\n" }, { ...key, name: "hunter 2" }, { type: "hunter2" }, "hunter2"];
    for (const auth of wrong) {
      const text = JSON.stringify({ apiTools: { a: { openapi: "a.json", auth } } });
      assert.throws(
        () => parseConfig(text, "zaguan.json", {}),
        (error: Error) => !/hunter/.test(error.message),
      );
    }
  });
});

function accepted(auth: unknown): Readonly<Record<string, ApiAuth>> {
  const checked = checkFileForm({ apiTools: { a: { openapi: "a.json", auth } } });
  assert.ok("config" in checked, JSON.stringify(checked));
  return checked.config.apiTools["a"]?.auths ?? assert.fail();
}

function refused(auth: unknown): string[] {
  return problems({ apiTools: { a: { openapi: "a.json", auth } } }).map((line) => line.replace("apiTools.a.", ""));
}

function problems(form: unknown): string[] {
  const checked = checkFileForm(form);
  assert.ok("problems" in checked, "was accepted");
  return checked.problems.map(({ path, text }) => `${path}: ${text}`);
}
