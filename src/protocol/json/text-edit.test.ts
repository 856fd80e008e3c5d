import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { membersOf, withMember, withMembers, withoutMembers } from "./text-edit.ts";

describe("changes to a JSON text", () => {
  it("put a member in the place of another, or before all", () => {
    assert.equal(withMember('{ "a" : 1.0, "name":"x" }', "name", '"y"'), '{ "a" : 1.0, "name":"y" }');
    assert.equal(withMember('{ "a" : 1.0 }', "name", '"y"'), '{"name":"y", "a" : 1.0 }');
    assert.equal(withMember("{ }", "name", "1"), '{"name":1}');
  });

  it("add members", () => {
    assert.equal(withMembers("{}", '"a":1'), '{"a":1}');
    assert.equal(withMembers('{"b":9007199254740993}', '"a":1'), '{"a":1,"b":9007199254740993}');
  });

  it("take members away and keep the spelling of the rest", () => {
    const isB = (key: string): boolean => key === "b";
    assert.equal(withoutMembers('{"a":1.50,"b":{},"c":[ 1 ]}', isB), '{"a":1.50,"c":[ 1 ]}');
    assert.equal(withoutMembers('{"b":1}', isB), "{}");
    assert.equal(withoutMembers('{ "a": 1 }', isB), '{ "a": 1 }');
  });

  it("find no members in what is no object", () => {
    assert.deepEqual(membersOf("[1]"), []);
  });
});
