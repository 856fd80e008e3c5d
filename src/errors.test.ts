import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeError } from "../test/support/make-error.ts";
import { ERRORS, type ErrorCode, type ErrorRow, toZaguanError, ZaguanError } from "./errors.ts";

/** The table "One failure, many voices" of the contract: bridge and bare JSON-RPC, HTTP, 2026-07-28. */
const CONTRACT: readonly (readonly [ErrorCode, number, number, number])[] = [
  ["BAD_JSON", -32700, 400, -32700],
  ["BAD_REQUEST", -32600, 400, -32600],
  ["UNKNOWN_METHOD", -32601, 404, -32601],
  ["UNKNOWN_TOOL", -32602, 400, -32602],
  ["INVALID_ARGUMENT", -32602, 400, -32602],
  ["NO_CAPACITY", -32000, 503, 1503],
  ["UNKNOWN_SESSION", -32001, 404, 1404],
  ["QUEUE_TIMEOUT", -32002, 504, 1504],
  ["RATE_LIMITED", -32003, 429, 1429],
  ["SOURCE_UNAVAILABLE", -32004, 503, 1503],
  ["INTERNAL", -32603, 500, -32603],
];

describe("the table of errors", () => {
  for (const [code, rpc, http, modern] of CONTRACT) {
    it(`${code} is ${rpc} (${http}), and ${modern} for 2026-07-28`, () => {
      const row = makeError(code).row;
      assert.deepEqual([row.rpc, row.http, row.modern], [rpc, http, modern]);
    });
  }

  const rows: readonly (readonly [string, ErrorRow])[] = Object.entries(ERRORS);

  it("keeps 2026-07-28 to the codes of its own specification, or outside the reserved range", () => {
    const official = [-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022];
    for (const [code, { modern }] of rows) {
      assert.ok(official.includes(modern) || modern < -32768 || modern > -32000, `${code}: ${modern}`);
    }
  });

  it("gives every failure a status that is a failure", () => {
    for (const [code, { http }] of rows) assert.ok(http >= 400 && http < 600, code);
  });

  it("lets nobody try again what may have run", () => {
    assert.equal(ERRORS.OUTCOME_UNKNOWN.retryable, false);
    assert.equal(ERRORS.INTERNAL.retryable, false);
  });
});

describe("a ZaguanError", () => {
  it("tells the log what it is, with its values and the inner reason", () => {
    const cause = new Error("ECONNREFUSED");
    const error = new ZaguanError("OUTCOME_UNKNOWN", { params: { source: "tv" }, delivery: "not_sent", cause });
    assert.equal(error.message, 'OUTCOME_UNKNOWN {"source":"tv"}: ECONNREFUSED');
    assert.deepEqual([error.name, error.cause, error.delivery], ["ZaguanError", cause, "not_sent"]);
  });

  it("tells the log a source's own words", () => {
    const relayed = { code: -32050, message: "out of milk" };
    assert.equal(new ZaguanError("SOURCE_ERROR", { relayed }).message, "SOURCE_ERROR: out of milk");
  });

  it("stays itself when it is caught", () => {
    const error = new ZaguanError("CANCELLED");
    assert.equal(toZaguanError(error), error);
  });

  for (const cause of [new TypeError("secret path"), "text", undefined, null, { code: "CANCELLED" }]) {
    it(`is INTERNAL when what was caught is ${cause instanceof Error ? "an Error" : JSON.stringify(cause)}`, () => {
      const error = toZaguanError(cause);
      assert.equal(error.code, "INTERNAL");
      assert.equal(error.cause, cause);
      assert.equal(error.details.params, undefined);
    });
  }
});
