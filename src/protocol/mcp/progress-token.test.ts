import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type RpcCall, readMessage } from "../json-rpc/message.ts";
import { progressTokenOfCall, swapProgressToken } from "./progress-token.ts";

const LIMITS = { depth: 64, elements: 10_000 };

describe("the progress token", () => {
  it("is exchanged, and every other character stays", () => {
    const params = '{ "name":"a", "_meta" : {"progressToken": "t\\u0031" , "x":1.50}, "big":9007199254740993 }';
    assert.equal(token(params), '"t\\u0031"');
    assert.equal(
      swapProgressToken(params, 7),
      '{ "name":"a", "_meta" : {"progressToken": 7 , "x":1.50}, "big":9007199254740993 }',
    );
  });

  for (const params of [
    "{}",
    '{"progressToken":1}',
    '{"arguments":{"_meta":{"progressToken":1}}}',
    '{"text":"progressToken"}',
  ]) {
    it(`is not where it has no business: ${params}`, () => {
      assert.equal(token(params), undefined);
      assert.equal(swapProgressToken(params, 7), params);
    });
  }

  it("is found as it was written", () => {
    assert.equal(token('{"x":1,"_meta":{"y":{},"progressToken": "t\\u0031" }}'), '"t\\u0031"');
    assert.equal(token('{"_meta":{"progressToken":1.50}}'), "1.50");
    for (const params of ["{}", "[]", '{"_meta":1}', '{"_meta":{"progressToken":[]}}', '{"progressToken":1}']) {
      assert.equal(token(params), undefined, params);
    }
  });

  it("is found in a long text, and not where it is only part of a word", () => {
    const long = "a progressToken is a word ".repeat(100);
    assert.equal(token(`{"text":"${long}","_meta":{"progressToken":7}}`), "7");
    assert.equal(token(`{"text":"${long}\\n","_meta":{"progressTokens":7}}`), undefined);
  });

  it("must be a string or a number", () => {
    assert.equal(token('{"_meta":{"progressToken":{}}}'), undefined);
  });
});

function token(params: string): string | undefined {
  const message = readMessage(`{"jsonrpc":"2.0","id":1,"method":"m","params":${params}}`, LIMITS);
  assert.equal(message.kind, "call");
  return progressTokenOfCall(message as RpcCall);
}
