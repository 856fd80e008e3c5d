import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeError } from "../../../test/support/make-error.ts";
import { ZaguanError } from "../../errors.ts";
import { errorResult, rpcError, tellable, textOf } from "./failure.ts";

describe("a failure on the JSON-RPC doors", () => {
  it("has the number of the table, a text in the caller's language, and a stable code", () => {
    const error = new ZaguanError("UNKNOWN_TOOL", { params: { tool: "x" }, delivery: "not_sent" });
    assert.deepEqual(rpcError(error, "es"), {
      code: -32602,
      message: "Tool 'x' no encontrada",
      data: { code: "UNKNOWN_TOOL", delivery: "not_sent" },
    });
  });

  it("reads as the contract says for a missing argument", () => {
    const params = { reason: "missing required parameter 'q'" };
    const error = new ZaguanError("INVALID_ARGUMENT", { params });
    assert.equal(rpcError(error, "en").message, "Invalid params: missing required parameter 'q'");
  });

  it("carries what the error offers to the caller, and when to come back in whole milliseconds", () => {
    const data = { queue_size: 3, estimated_wait_ms: 1_500 };
    const error = makeError("NO_CAPACITY", { data, retryAfterMs: 1_499.2 });
    assert.deepEqual(rpcError(error, "en").data, { code: "NO_CAPACITY", ...data, retryAfterMs: 1_500 });
  });

  it("tells `delivery: unknown` where nobody knows whether it ran", () => {
    const error = new ZaguanError("OUTCOME_UNKNOWN", { params: { source: "tv" }, delivery: "unknown" });
    assert.equal((rpcError(error, "en").data as { delivery?: unknown }).delivery, "unknown");
  });

  it("repeats a source's own number, text and data, and names the source", () => {
    const relayed = { code: -32050, message: "no milk", data: { left: 0 } };
    const error = new ZaguanError("SOURCE_ERROR", { params: { source: "shop" }, delivery: "executed", relayed });
    assert.deepEqual(rpcError(error, "fr"), {
      code: -32050,
      message: "no milk",
      data: { code: "SOURCE_ERROR", delivery: "executed", source: "shop", data: { left: 0 } },
    });
    assert.equal(textOf(error, "fr"), "no milk");
  });

  it("never carries the inner reason", () => {
    const cause = new Error("/home/me/.ssh/id_rsa");
    for (const code of ["SOURCE_UNAVAILABLE", "INTERNAL"] as const) {
      const error = new ZaguanError(code, { params: { source: "s", reason: "r", reference: "abc" }, cause });
      assert.doesNotMatch(JSON.stringify([rpcError(error, "en"), errorResult(error, "en").value]), /id_rsa/);
    }
  });

  it("as a tool's result is a text with isError", () => {
    const error = new ZaguanError("RATE_LIMITED", { params: { seconds: 2 } });
    const text = "Rate limit exceeded; try again in 2 s";
    assert.deepEqual(errorResult(error, "en").value, { content: [{ type: "text", text }], isError: true });
  });
});

describe("what nobody expected", () => {
  it("gets a reference, under which its cause is reported once", () => {
    const reported: unknown[] = [];
    const cause = new TypeError("secret");
    const report = (what: unknown) => `r${reported.push(what)}`;
    const error = tellable(cause, report);
    assert.deepEqual(reported, [cause]);
    assert.equal(textOf(error, "en"), "Internal error (reference r1)");
    assert.equal(tellable(error, report), error);
    assert.equal(reported.length, 1);
  });

  it("leaves failures that we know alone", () => {
    const error = new ZaguanError("CANCELLED");
    assert.equal(
      tellable(error, () => assert.fail("nothing to report")),
      error,
    );
  });
});
