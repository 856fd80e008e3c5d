import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findId } from "./find-id.ts";

describe("the id of a refused message", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["a number before what was refused", '{"jsonrpc":"2.0","id":7,"params":[[[]]]}', "7"],
    [
      "a number behind it",
      `{"params":${"[".repeat(100)}${"]".repeat(100)},"id": 9007199254740993 }`,
      "9007199254740993",
    ],
    ["a string with escapes", '{"id" : "a\\"}{\\u0041"}', '"a\\"}{\\u0041"'],
    ["an id further inside is none", '{"params":{"id":1}}', "null"],
    ["nor is one inside a string", '{"a":"\\"id\\":1"}', "null"],
    ["an object is no id", '{"id":{}}', "null"],
    ["two ids are none", '{"id":1,"a":[],"id":2}', "null"],
    ["a value that is called id is no key", '{"a":"id","id":3}', "3"],
    ["garbage has none", '{"id":1x', "1"],
    ["nor has nothing", "", "null"],
    ["a string that never ends", '{"id":"a', "null"],
  ];
  for (const [name, text, id] of cases) it(name, () => assert.equal(findId(text), id));

  it("is found in linear time", () => {
    assert.equal(findId(`{"a":"${"\\\\".repeat(500_000)}","b":${"[".repeat(500_000)}`), "null");
  });
});
