import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SUPPORTED_VERSIONS } from "../../protocol/mcp/versions.ts";
import { readHello } from "./request.ts";

const LIMITS = { depth: 20, elements: 100 };
const VERSION = { protocolVersion: "2024-11-05" };

describe("the body of initialize", () => {
  for (const [what, body] of [
    ["as the seed prints it", { ...VERSION, session_id: "mine" }],
    ["in an envelope", { jsonrpc: "2.0", id: 1, method: "initialize", params: { ...VERSION, session_id: "mine" } }],
    ["in params alone", { params: { ...VERSION, session_id: "mine" } }],
    ["in an envelope without params", { jsonrpc: "2.0", id: 1, ...VERSION, session_id: "mine" }],
  ] as const) {
    it(`is understood ${what}`, () => {
      assert.deepEqual(read(body).wish(), { protocolVersion: "2024-11-05", sessionId: "mine" });
    });
  }

  for (const [text, id] of [
    ["{}", "1"],
    ['{"id":7}', "7"],
    ['{"id":1.50}', "1.50"],
    ['{"id":"a\\u0062"}', '"a\\u0062"'],
    ['{"id":null}', "null"],
  ] as const) {
    it(`${text} is answered with id ${id}`, () => assert.equal(readHello(text, LIMITS).id, id));
  }

  for (const sessionId of [null, ""]) {
    it(`session_id ${JSON.stringify(sessionId)} is none`, () => {
      assert.equal(read({ ...VERSION, session_id: sessionId }).wish().sessionId, undefined);
    });
  }

  it("may name every revision that we speak", () => {
    for (const protocolVersion of SUPPORTED_VERSIONS)
      assert.equal(read({ protocolVersion }).wish().protocolVersion, protocolVersion);
  });
});

describe("what cannot be understood of it", () => {
  for (const text of ["", "{", "[]", '"2024-11-05"', '{"id":{}}', '{"id":true}', '{"a":1,"a":2}']) {
    it(`${text || "nothing"} has no id to answer to`, () => {
      assert.throws(() => readHello(text, LIMITS), { name: "ZaguanError" });
    });
  }

  for (const [what, body, code] of [
    ["another version", { protocolVersion: "1999-01-01" }, "UNSUPPORTED_VERSION"],
    ["no version", {}, "UNSUPPORTED_VERSION"],
    ["a version that is no text", { protocolVersion: 2 }, "UNSUPPORTED_VERSION"],
    ["another method", { ...VERSION, method: "ping" }, "BAD_REQUEST"],
    ["a method that is no text", { ...VERSION, method: 1 }, "BAD_REQUEST"],
    ["another JSON-RPC", { ...VERSION, jsonrpc: "1.0" }, "BAD_REQUEST"],
    ["a session_id with a space", { ...VERSION, session_id: "a b" }, "INVALID_PARAMS"],
    ["a session_id that is too long", { ...VERSION, session_id: "x".repeat(129) }, "INVALID_PARAMS"],
    ["a session_id that is no text", { ...VERSION, session_id: 5 }, "INVALID_PARAMS"],
  ] as const) {
    it(`${what} is ${code}`, () => assert.throws(() => read(body).wish(), { code }));
  }
});

function read(body: object): ReturnType<typeof readHello> {
  return readHello(JSON.stringify(body), LIMITS);
}
