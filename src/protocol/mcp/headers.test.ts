import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import {
  decodeHeader,
  encodeHeader,
  lawfulParamHeaders,
  paramHeaders,
  paramMismatch,
  requestHeaders,
} from "./headers.ts";

describe("the value of a header", () => {
  const values: readonly (readonly [string, string | undefined])[] = [
    ["lamp", "lamp"],
    [" \tlamp  ", "lamp"],
    ["", ""],
    ["=?base64?bMOhbXBhcmE=?=", "lámpara"],
    ["  =?base64?IGxhbXAg?=  ", " lamp "],
    ["=?base64??=", ""],
    ["=?base64?=", "=?base64?="],
    ["=?BASE64?bGFtcA==?=", "=?BASE64?bGFtcA==?="],
    ["=?base64?bGFtcA==", "=?base64?bGFtcA=="],
    ["=?base64?77u/YQ==?=", "\ufeffa"],
    ["=?base64?bGFtcA?=", undefined],
    ["=?base64?bGFt cA==?=", undefined],
    ["=?base64?bGFtcA__?=", undefined],
    ["=?base64?/////w==?=", undefined],
  ];
  for (const [raw, decoded] of values) {
    it(`${JSON.stringify(raw)} is ${decoded === undefined ? "malformed" : JSON.stringify(decoded)}`, () => {
      assert.equal(decodeHeader(raw), decoded);
    });
  }
});

describe("arguments in headers", () => {
  it("are those that the schema marks, however deep", () => {
    const region = { type: "string", "x-mcp-header": "Region" };
    const inner = { type: "object", properties: { level: { type: "integer", "x-mcp-header": "Level" } } };
    assert.deepEqual(paramHeaders({ type: "object", properties: { region, plain: { type: "string" }, inner } }), [
      { header: "mcp-param-region", path: ["region"] },
      { header: "mcp-param-level", path: ["inner", "level"] },
    ]);
  });

  const marked = { type: "string", "x-mcp-header": "X" };
  const none: Readonly<Record<string, unknown>> = {
    "not reachable through properties": { items: marked, anyOf: [{ properties: { a: marked } }], $defs: { a: marked } },
    "on the arguments as a whole": marked,
    "with a name that is no token": { properties: { a: { ...marked, "x-mcp-header": "a b" } } },
    "with an empty name": { properties: { a: { ...marked, "x-mcp-header": "" } } },
    "with a name that is no text": { properties: { a: { ...marked, "x-mcp-header": 1 } } },
    "on an object": { properties: { a: { ...marked, type: "object" } } },
    "twice under one name": { properties: { a: marked, b: { ...marked, "x-mcp-header": "x" } } },
    "in no schema at all": null,
  };
  for (const [what, schema] of Object.entries(none)) {
    it(`are not asked for ${what}`, () => assert.deepEqual(paramHeaders(schema), []));
  }

  const agreements: readonly (readonly [argument: unknown, header: string | undefined, agree: boolean])[] = [
    ["eu", "eu", true],
    ["eu", "us", false],
    ["eu", "EU", false],
    ["eu", undefined, false],
    ["", "", true],
    ["ñ", "=?base64?w7E=?=", true],
    ["ñ", "=?base64?w7E?=", false],
    [42, "42", true],
    [42, "42.0", true],
    [42, "0042", true],
    [42, "43", false],
    [42, "0x2a", false],
    [42, "", false],
    [-1.5, "-1.5", true],
    ["42", "42.0", false],
    [true, "true", true],
    [true, "True", false],
    [false, undefined, false],
    [undefined, undefined, true],
    [undefined, "eu", true],
    [null, undefined, true],
    [{ a: 1 }, undefined, true],
    [2 ** 60, undefined, true],
  ];
  for (const [argument, header, agree] of agreements) {
    it(`${JSON.stringify(argument)} and ${JSON.stringify(header)} ${agree ? "agree" : "do not agree"}`, () => {
      const wanted = [{ header: "mcp-param-x", path: ["a", "b"] }];
      const wrong = paramMismatch(wanted, { a: { b: argument } }, (name) => (name === "mcp-param-x" ? header : "?"));
      assert.equal(wrong?.code, agree ? undefined : "HEADER_MISMATCH");
      assert.equal(wrong?.details.params?.["header"], agree ? undefined : "mcp-param-x");
    });
  }

  it("are not looked for in what an object inherits", () => {
    const wanted = [{ header: "mcp-param-x", path: ["constructor", "name"] }];
    assert.equal(
      paramMismatch(wanted, {}, () => undefined),
      undefined,
    );
    assert.equal(
      paramMismatch(wanted, [], () => undefined),
      undefined,
    );
  });
});

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
