import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeHeader, paramHeaders, paramMismatch } from "./headers.ts";

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
