import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeError } from "../../../../test/support/make-error.ts";
import { ERRORS, type ErrorCode, ZaguanError } from "../../../errors.ts";
import { modernError, modernStatus, untouchedModernError } from "./failure.ts";

describe("a failure on the door of 2026-07-28", () => {
  /** The contract's table. */
  const voices: readonly (readonly [ErrorCode, code: number, status: number])[] = [
    ["BAD_JSON", -32700, 400],
    ["BAD_REQUEST", -32600, 400],
    ["UNKNOWN_METHOD", -32601, 404],
    ["UNKNOWN_TOOL", -32602, 200],
    ["INVALID_PARAMS", -32602, 200],
    ["QUEUE_TIMEOUT", 1504, 504],
    ["DEADLINE_EXCEEDED", 1504, 504],
    ["RATE_LIMITED", 1429, 429],
    ["NO_CAPACITY", 1503, 503],
    ["SOURCE_UNAVAILABLE", 1503, 503],
    ["HEADER_MISMATCH", -32020, 400],
    ["MISSING_CAPABILITY", -32021, 400],
    ["UNSUPPORTED_VERSION", -32022, 400],
    ["INTERNAL", -32603, 200],
  ];
  for (const [code, number, status] of voices) {
    it(`${code} is ${number} (${status})`, () => {
      const error = makeError(code);
      assert.deepEqual([modernError(error, "en").code, modernStatus(error)], [number, status]);
    });
  }

  it("always has its stable code, and never a number that the revision forbids", () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      const worded = modernError(makeError(code), "en");
      assert.equal((worded.data as { code?: unknown }).code, code);
      assert.ok(isAllowed(worded.code), `${code}: ${worded.code}`);
    }
  });

  const relayed: readonly (readonly [theirs: number, ours: number])[] = [
    [-32602, -32602],
    [-32601, -32601],
    [-32603, -32603],
    [1234, 1234],
    [-32800, -32800],
    [-31999, -31999],
    [-32002, -32602],
    [-32000, 1502],
    [-32019, 1502],
    [-32042, 1502],
    [-32020, 1502],
    [-32021, -32021],
    [-32022, 1502],
    [-32050, 1502],
    [-32099, 1502],
    [-32768, 1502],
  ];
  for (const [theirs, ours] of relayed) {
    it(`a source's own ${theirs} is told as ${ours}, with its words`, () => {
      const params = { source: "shop" };
      const error = new ZaguanError("SOURCE_ERROR", { params, relayed: { code: theirs, message: "no milk", data: 1 } });
      const { code, message, data } = modernError(error, "es");
      const status = { [-32601]: 404, [-32021]: 400 }[theirs] ?? 200;
      assert.deepEqual([code, message, modernStatus(error)], [ours, "no milk", status]);
      const kept = theirs === ours ? {} : { sourceCode: theirs };
      assert.deepEqual(data, { code: "SOURCE_ERROR", source: "shop", data: 1, ...kept });
      assert.ok(isAllowed(code));
    });
  }

  it("a source's own error arrives as it was sent where nothing is to be touched", () => {
    const told = (code: number): string | undefined => {
      const text = `{"hint":1.0,"code":${code},"message":"no milk","data":{"left":12345678901234567890}}`;
      return untouchedModernError(new ZaguanError("SOURCE_ERROR", { relayed: { code, message: "no milk", text } }));
    };
    const written = (code: number) =>
      `{"hint":1.0,"code":${code},"message":"no milk","data":{"left":12345678901234567890}}`;
    for (const code of [-32602, -32021, 7]) assert.equal(told(code), written(code));
    assert.equal(told(-32002), written(-32602));
    assert.equal(told(-32050), undefined);
  });
});

function isAllowed(code: number): boolean {
  const official = [-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022];
  return official.includes(code) || code < -32768 || code > -32000;
}
