/** Which fields of an object are drawn. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isFree, membersShown, otherMembers, schemaOfOther } from "./form-members.ts";
import type { ObjectShape } from "./shape.ts";
import { Shapes } from "./shapes.ts";

function objectOf(schema: object): ObjectShape {
  const shape = new Shapes(schema).of({ type: "object", ...schema });
  return shape.kind === "object" ? shape : assert.fail(shape.kind);
}

const PROPERTIES = { room: { title: "Where", description: "The room it is in" }, level: { type: "number" }, odd: true };

describe("members of an object", () => {
  const { members } = objectOf({ properties: PROPERTIES });
  const names = (find: string, limit = 10) => membersShown(members, find, limit).members.map(({ name }) => name);

  it("are shown up to a number, and told how many more there are", () => {
    assert.deepEqual(names(""), ["room", "level", "odd"]);
    assert.deepEqual([names("", 1), membersShown(members, "", 1).more], [["room"], 2]);
  });

  it("are found by name, title and description, by all words of the search", () => {
    assert.deepEqual(names("LEV"), ["level"]);
    assert.deepEqual(names("where"), ["room"]);
    assert.deepEqual(names("room  in"), ["room"]);
    assert.deepEqual(names("room level"), []);
  });
});

describe("other members", () => {
  const shape = objectOf({
    properties: PROPERTIES,
    patternProperties: { "^n_": { type: "number" } },
    additionalProperties: { type: "string" },
  });

  it("are those that the schema does not name", () => {
    assert.deepEqual(otherMembers(shape, { level: 1, n_a: 2, x: "y" }), [
      ["n_a", 2],
      ["x", "y"],
    ]);
    assert.deepEqual(otherMembers(shape, undefined), []);
  });

  it("are what their name makes them", () => {
    assert.deepEqual(schemaOfOther(shape, "n_a"), { type: "number" });
    assert.deepEqual(schemaOfOther(shape, "x"), { type: "string" });
    assert.equal(schemaOfOther(objectOf({ additionalProperties: false, patternProperties: { "^x": {} } }), "y"), true);
  });

  it("are not asked of a pattern that would take for ever, or is none", () => {
    for (const pattern of ["^(a+)+$", "(", "(a)\\1", "x".repeat(1_000), "^(a|a)*b*$"]) {
      const hostile = objectOf({ patternProperties: { [pattern]: { type: "number" } } });
      assert.equal(schemaOfOther(hostile, `${"a".repeat(60)}!`), true);
    }
  });

  it("have a name of their own", () => {
    assert.ok(isFree("new", shape, { x: 1 }) && isFree("toString", shape, {}));
    for (const name of ["", "level", "x"]) assert.ok(!isFree(name, shape, { x: 1 }), name);
  });
});
