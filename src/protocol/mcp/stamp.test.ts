import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc } from "../../../test/support/seed.ts";
import { cacheable, stampResult, unstampResult } from "./stamp.ts";

/** Without a backslash: once V8 has read {"a":1,"\\\\":2}, it reads the second key of {"a":1,"\\"":3} as a backslash. */
const KEY = fc.string().filter((key) => !key.includes("\\"));

const META = { _meta: '{"from":"here"}' };

describe("a result on its way to a stateless client", () => {
  it("is marked as complete, and keeps every character of its own", () => {
    const result = '{ "content" : [],"big":9007199254740993,"n":1.50 }';
    assert.equal(stampResult(result, {}), `{"resultType":"complete",${result.slice(1)}`);
    assert.equal(stampResult("{}", META), '{"resultType":"complete","_meta":{"from":"here"}}');
  });

  it("keeps what it says itself", () => {
    const own = '{"_meta":{"mine":1},"ttlMs":5}';
    const stamped = stampResult(own, { ...META, ...cacheable(0) });
    assert.equal(stamped, '{"resultType":"complete","cacheScope":"private","_meta":{"mine":1},"ttlMs":5}');
  });

  it("passes as it is if it says itself what it is, however it spells that", () => {
    for (const own of ['{"resultType":"task","taskId":"1"}', '{"result\\u0054ype":"complete"}']) {
      assert.equal(stampResult(own, { ...META, ...cacheable(0) }), own);
    }
  });

  it("is not taken in by the same words deeper inside", () => {
    const result = '{"content":[{"resultType":"x","_meta":{}}],"text":"ttlMs"}';
    assert.equal(
      stampResult(result, { ...META, ttlMs: "0" }),
      `{"resultType":"complete","_meta":{"from":"here"},"ttlMs":0,${result.slice(1)}`,
    );
  });

  it("passes as it is if it is no object", () => {
    for (const result of ["null", "[]", '"{}"', "1"]) assert.equal(stampResult(result, META), result);
  });

  it("is JSON again, and its own members are what they were", () => {
    fc.assert(
      fc.property(fc.dictionary(KEY, fc.jsonValue()), (value) => {
        const { resultType, _meta, ...rest } = JSON.parse(stampResult(JSON.stringify(value), META));
        const { resultType: ownType = "complete", _meta: _, ...own } = JSON.parse(JSON.stringify(value));
        assert.deepEqual([resultType, rest], [ownType, own]);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a result for clients that do not know the marks", () => {
  const INFO = '"io.modelcontextprotocol/serverInfo":{"name":"time"}';

  it("has none of them, and all else as it was written", () => {
    const own = '"content":[{"type":"text","text":"1.0"}],"isError":false';
    const marked = `{"resultType":"complete",${own},"ttlMs":5,"cacheScope":"public","_meta":{${INFO}}}`;
    assert.equal(unstampResult(marked), `{${own}}`);
    assert.equal(unstampResult(`{"resultType":"complete","_meta":{${INFO},"mine":1.0}}`), '{"_meta":{"mine":1.0}}');
    assert.equal(unstampResult('{"_meta":{},"resultType":"complete"}'), '{"_meta":{}}');
  });

  it("stays as it is where it is not marked as complete, or is no object", () => {
    for (const other of [
      '{"resultType":"task","taskId":"1"}',
      `{"_meta":{${INFO}}}`,
      '{"x":{"resultType":"complete"}}',
      "null",
    ]) {
      assert.equal(unstampResult(other), other);
    }
  });
});
