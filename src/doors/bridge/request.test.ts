import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readRequest, readWithoutMethod } from "./request.ts";

const LIMITS = { depth: 20, elements: 100 };

describe("a request at a path that says its method", () => {
  for (const text of [
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"lamp"}}',
    '{"jsonrpc":"2.0","id":3,"params":{"name":"lamp"}}',
    ' \n{ "jsonrpc":"2.0","id":3,"params":{"name":"lamp"}}\n',
  ]) {
    it(`is understood: ${text.trim()}`, () => {
      const request = readWithoutMethod(text, "tools/call", LIMITS);
      assert.ok(request.kind === "call", JSON.stringify(request));
      assert.deepEqual([request.id, request.method, request.params.text], ["3", "tools/call", '{"name":"lamp"}']);
    });
  }

  it("keeps every character of its params", () => {
    const params = '{ "name":"lamp", "arguments":{"n":1.50,"big":12345678901234567890} }';
    for (const method of ["", '"method":"tools/call",']) {
      const request = readWithoutMethod(`{"jsonrpc":"2.0","id":1,${method}"params":${params}}`, "tools/call", LIMITS);
      assert.equal(request.kind === "call" && request.params.text, params);
    }
  });

  for (const [written, id] of [
    ['"id":1.0,', "1.0"],
    ['"id":"",', '""'],
    ['"id":null,', "null"],
    ["", "null"],
  ] as const) {
    it(`is answered with the id as it was written: ${written || "none"}`, () => {
      assert.equal(readRequest(`{"jsonrpc":"2.0",${written}"method":"m"}`, "m", LIMITS).id, id);
    });
  }

  for (const [text, code] of [
    ['{"jsonrpc":"2.0","id":9,"method":"tools/list"}', "BAD_REQUEST"],
    ['{"jsonrpc":"2.0","id":9,"method":"tools/lost"}', "UNKNOWN_METHOD"],
    ['{"jsonrpc":"2.0","id":9,"method":5}', "BAD_REQUEST"],
    ['{"jsonrpc":"2.0","id":9,"result":{}}', "BAD_REQUEST"],
    ['{"id":9}', "BAD_REQUEST"],
    ['{"jsonrpc":"2.0","id":9,"params":"x"}', "BAD_REQUEST"],
    [`{"jsonrpc":"2.0","id":9,"params":${"[".repeat(30)}${"]".repeat(30)}}`, "BAD_REQUEST"],
  ] as const) {
    it(`is refused with its id: ${text.slice(0, 60)}`, () => {
      const request = readWithoutMethod(text, "tools/call", LIMITS);
      assert.deepEqual([request.kind, request.id], ["reject", "9"]);
      assert.equal(request.kind === "reject" && request.error.code, code);
    });
  }

  it("must say its method itself where the path is not enough", () => {
    const text = '{"jsonrpc":"2.0","id":3,"params":{"name":"lamp"}}';
    const request = readRequest(text, "tools/call", LIMITS);
    assert.deepEqual([request.id, request.kind === "reject" && request.error.code], ["3", "BAD_REQUEST"]);
  });

  it("is nobody's where it is no JSON", () => {
    const request = readWithoutMethod('{"id":9,', "tools/call", LIMITS);
    assert.deepEqual([request.id, request.kind === "reject" && request.error.code], ["null", "BAD_JSON"]);
  });
});
