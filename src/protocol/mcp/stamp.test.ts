import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { stampResult, withMembers } from "./stamp.ts";

const META = '"_meta":{"who":"us"}';
const COMPLETE = '"resultType":"complete"';

describe("a stamped result", () => {
  const stamped: Readonly<Record<string, string>> = {
    "{}": `{${COMPLETE},${META}}`,
    "{ \n}": `{${COMPLETE},${META}}`,
    '{ "b": 1.0, "a": 12345678901234567890 }': `{${COMPLETE},${META}, "b": 1.0, "a": 12345678901234567890 }`,
    '{"_meta":{"a":1}}': `{${COMPLETE},"_meta":{"a":1}}`,
    '{"content":[{"_meta":{}}]}': `{${COMPLETE},"content":[{"_meta":{}}]}`,
    '{"resultType":"input_required"}': `{${META},"resultType":"input_required"}`,
    '{"resultType":"task","_meta":{}}': '{"resultType":"task","_meta":{}}',
    '{"text":"resultType"}': `{${COMPLETE},${META},"text":"resultType"}`,
    '{"a":{"resultType":"x"}}': `{${COMPLETE},${META},"a":{"resultType":"x"}}`,
    '{"result\\u0054ype":"task"}': '{"result\\u0054ype":"task"}',
  };
  for (const [result, text] of Object.entries(stamped)) {
    it(`${JSON.stringify(result)} becomes ${text}`, () => assert.equal(stampResult(result, META), text));
  }

  it("passes as it is where it is no object", () => {
    for (const result of ["null", "[]", '"{}"', "1"]) assert.equal(stampResult(result, META), result);
  });

  it("is JSON again, and its own members are what they were", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const { resultType, _meta, ...rest } = JSON.parse(stampResult(JSON.stringify(value), META));
        const { resultType: ownType = "complete", _meta: _, ...own } = JSON.parse(JSON.stringify(value));
        assert.deepEqual([resultType, rest], [ownType, own]);
      }),
      { numRuns: 200 },
    );
  });
});

it("members are put before an object's own", () => {
  assert.equal(withMembers('{"tools":[]}', '"a":1'), '{"a":1,"tools":[]}');
  assert.equal(withMembers("{}", '"a":1'), '{"a":1}');
});
