/** `--arg k=v` takes its type from the tool's schema. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { UsageError } from "./failures.ts";
import { typedArguments } from "./typed-arguments.ts";

const SCHEMA = {
  type: "object",
  properties: {
    on: { type: "boolean" },
    name: { type: "string" },
    level: { type: "integer" },
    ratio: { type: "number" },
    list: { type: "array" },
    point: { type: "object" },
    maybe: { type: ["integer", "null"] },
    either: { anyOf: [{ type: "boolean" }, { type: "string" }] },
    referred: { $ref: "#/$defs/Level" },
    loop: { $ref: "#/$defs/Loop" },
    mode: { enum: [1, 2, "auto"] },
    anything: {},
  },
  $defs: { Level: { type: "integer" }, Loop: { anyOf: [{ $ref: "#/$defs/Loop" }] } },
};

describe("an argument takes the type of the schema", () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ["on=true", true],
    ["on=false", false],
    ["name=true", "true"],
    ["name=", ""],
    ["name=a=b", "a=b"],
    ["level=-3", -3],
    ["ratio=0.5", 0.5],
    ["ratio=1e3", 1000],
    ["list=[1,2]", [1, 2]],
    ['point={"x":1}', { x: 1 }],
    ["maybe=null", null],
    ["maybe=7", 7],
    ["either=true", true],
    ["either=yes", "yes"],
    ["referred=4", 4],
    ["loop=4", "4"],
    ["mode=2", 2],
    ["mode=auto", "auto"],
    ["anything=5", "5"],
    ["undescribed=true", "true"],
  ];
  for (const [pair, expected] of cases) {
    test(pair, () => assert.deepEqual(Object.values(typedArguments([pair], SCHEMA)), [expected]));
  }
});

describe("an argument that cannot have the type is wrong usage", () => {
  const cases = ["on=yes", "level=1.5", "level=99999999999999999999", "ratio=", "ratio=x", "list={}", "point=[]"];
  for (const pair of [...cases, "point=1", "list=[", "=x", "on"]) {
    test(pair, () => assert.throws(() => typedArguments([pair], SCHEMA), UsageError));
  }
});

test("a tool without a schema gets text", () => {
  assert.deepEqual(typedArguments(["a=1"], undefined), { a: "1" });
});

test("an argument may be called __proto__", () => {
  assert.deepEqual(Object.entries(typedArguments(["__proto__=x"], SCHEMA)), [["__proto__", "x"]]);
});
