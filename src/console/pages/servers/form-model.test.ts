/** The form for one server becomes the request that the hub takes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { asHeaders, EMPTY_FORM, requestOf } from "./form-model.ts";

const URL_FORM = { ...EMPTY_FORM, name: " tv ", url: " https://tv.example/mcp ", command: "ignored" };

test("an address", () => {
  assert.deepEqual(requestOf(URL_FORM), {
    name: "tv",
    baseUrl: "https://tv.example/mcp",
    authType: "none",
    headers: {},
  });
});

test("a program: one argument in each line, spaces and all", () => {
  const form = { ...URL_FORM, way: "command", command: " npx ", args: "-y\n\n /my home \n", secret: "x" } as const;
  const env = [
    { name: "KEY", value: " k " },
    { name: " ", value: "nobody" },
  ];
  assert.deepEqual(requestOf({ ...form, env }), {
    name: "tv",
    command: "npx",
    args: ["-y", "/my home"],
    env: { KEY: " k " },
  });
});

test("credentials, in the header that was named", () => {
  const key = { ...URL_FORM, authType: "apikey", secret: "s" } as const;
  assert.equal(requestOf(key).credentials, "s");
  assert.deepEqual(requestOf({ ...key, keyHeader: "X-Other" }).credentials, { header: "X-Other", value: "s" });
  assert.equal(requestOf({ ...key, authType: "oauth", keyHeader: "X-Other" }).credentials, "s");
  assert.equal(requestOf({ ...key, authType: "none" }).credentials, undefined);
});

test("credentials as the headers that they become", () => {
  const headers = (changes: object): unknown => asHeaders(requestOf({ ...URL_FORM, secret: "s", ...changes })).headers;
  assert.deepEqual(headers({ authType: "apikey" }), { "X-API-Key": "s" });
  assert.deepEqual(headers({ authType: "apikey", keyHeader: "X-K" }), { "X-K": "s" });
  assert.deepEqual(headers({ authType: "oauth", headers: [{ name: "A", value: "b" }] }), {
    A: "b",
    Authorization: "Bearer s",
  });
  assert.deepEqual(headers({}), {});
});
