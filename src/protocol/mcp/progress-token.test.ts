import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { progressTokenIn, swapProgressToken } from "./progress-token.ts";

describe("the progress token", () => {
  it("is exchanged, and every other character stays", () => {
    const params = '{ "name":"a", "_meta" : {"progressToken": "t\\u0031" , "x":1.50}, "big":9007199254740993 }';
    assert.equal(progressTokenIn(params), '"t\\u0031"');
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
      assert.equal(progressTokenIn(params), undefined);
      assert.equal(swapProgressToken(params, 7), params);
    });
  }

  it("must be a string or a number", () => {
    assert.equal(progressTokenIn('{"_meta":{"progressToken":{}}}'), undefined);
  });
});
