import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { decodeHeader, encodeHeader, lawfulParamHeaders } from "./headers.ts";
import { requestHeaders } from "./request-headers.ts";

describe("the headers of a request", () => {
  const named: readonly (readonly [method: string, params: string, name: string | undefined])[] = [
    ["tools/call", '{"name":"lamp","arguments":{}}', "lamp"],
    ["tools/call", '{"name":"l\\u00e1mpara"}', "=?base64?bMOhbXBhcmE=?="],
    ["prompts/get", '{"name":"p"}', "p"],
    ["resources/read", '{"uri":"test://a b"}', "test://a b"],
    ["tasks/get", '{"taskId":"t-1"}', "t-1"],
    ["tasks/update", '{"taskId":"t-1"}', "t-1"],
    ["tasks/cancel", '{"taskId":"t-1"}', "t-1"],
    ["tools/call", '{"name":7}', undefined],
    ["tools/list", '{"name":"lamp"}', undefined],
    ["constructor", '{"name":"lamp"}', undefined],
  ];
  for (const [method, params, name] of named) {
    it(`name ${name} for ${method} ${params}`, () => {
      const headers = requestHeaders(method, params, "2026-07-28");
      assert.equal(headers["mcp-name"], name);
      assert.equal(headers["mcp-method"], method);
      assert.equal(headers["mcp-protocol-version"], "2026-07-28");
    });
  }

  it("repeat the arguments that the tool wants repeated, if they are there", () => {
    const wanted = [
      { header: "mcp-param-a", path: ["a"] },
      { header: "mcp-param-b", path: ["deep", "b"] },
      { header: "mcp-param-c", path: ["c"] },
      { header: "mcp-param-d", path: ["d"] },
    ];
    const params = '{"name":"t","arguments":{"a":"","deep":{"b":true},"c":null,"d":{}}}';
    const { "mcp-param-a": a, "mcp-param-b": b, ...rest } = requestHeaders("tools/call", params, "v", wanted);
    assert.deepEqual([a, b], ["=?base64??=", "true"]);
    assert.deepEqual(Object.keys(rest), ["mcp-protocol-version", "mcp-method", "mcp-name"]);
  });
});

describe("a value in a header", () => {
  for (const plain of ["lamp", "a b", "42", "=?base64?x", "~!*"]) {
    it(`stays as it is: ${plain}`, () => assert.equal(encodeHeader(plain), plain));
  }

  for (const awkward of ["", " lamp", "lamp\t", "a\nb", "ñ", "🏠", "=?base64?bGFtcA==?=", "a\u0000"]) {
    it(`is hidden where it would not arrive as it is: ${JSON.stringify(awkward)}`, () => {
      assert.match(encodeHeader(awkward), /^=\?base64\?[A-Za-z0-9+/]*=*\?=$/);
    });
  }

  it("is read again as what it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (value) => assert.equal(decodeHeader(encodeHeader(value)), value)),
      { numRuns: 500 },
    );
  });
});

describe("a tool over HTTP", () => {
  const marked = { type: "string", "x-mcp-header": "X" };
  const lawful: Readonly<Record<string, unknown>> = {
    "no marks": { type: "object", properties: { a: { type: "string" } } },
    "a mark": { properties: { a: marked } },
    "a mark deep down": { properties: { a: { type: "object", properties: { b: marked } } } },
    "a property of that name": { properties: { "x-mcp-header": { type: "string" } } },
    "no schema to speak of": null,
  };
  for (const [what, schema] of Object.entries(lawful)) {
    it(`may be offered with ${what}`, () => assert.notEqual(lawfulParamHeaders(schema), undefined));
  }

  const unlawful: Readonly<Record<string, unknown>> = {
    "no token": { properties: { a: { ...marked, "x-mcp-header": "a b" } } },
    "an empty name": { properties: { a: { ...marked, "x-mcp-header": "" } } },
    "a name that is none": { properties: { a: { ...marked, "x-mcp-header": null } } },
    "the same name twice": { properties: { a: marked, b: { ...marked, "x-mcp-header": "x" } } },
    "a number that need not be whole": { properties: { a: { ...marked, type: "number" } } },
    "no type": { properties: { a: { "x-mcp-header": "X" } } },
    "a mark on the whole": marked,
    "a mark in items": { properties: { a: { type: "array", items: marked } } },
    "a mark in a choice": { anyOf: [{ properties: { a: marked } }] },
    "a mark in a definition": { $defs: { a: marked } },
    "a mark behind a pattern": { patternProperties: { "^a": marked } },
    "a mark in a condition": { if: { properties: { a: marked } } },
  };
  for (const [what, schema] of Object.entries(unlawful)) {
    it(`must be dropped for ${what}`, () => assert.equal(lawfulParamHeaders(schema), undefined));
  }
});
