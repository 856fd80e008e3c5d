import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkTool } from "./check.ts";
import { integer } from "./index.ts";
import type { AnyUserTool } from "./tool.ts";

const GOOD = { name: "roll", description: "Rolls a die", handler: () => 4 };

describe("a tool that cannot be registered is refused with the reason", () => {
  const refusals: readonly (readonly [string, unknown, string])[] = [
    ["no object", 7, "addTool(7): expected an object with name, description and handler"],
    ["no name", { ...GOOD, name: undefined }, "addTool(undefined): the name must be 1 to 128 letters"],
    ["a name with a space", { ...GOOD, name: "roll dice" }, 'addTool("roll dice"): the name must be'],
    ["a name with an accent", { ...GOOD, name: "tirá" }, 'addTool("tirá"): the name must be'],
    ["a long name", { ...GOOD, name: "x".repeat(129) }, "the name must be 1 to 128"],
    ["no description", { ...GOOD, description: " " }, 'addTool("roll"): the description is missing'],
    ["no handler", { ...GOOD, handler: "roll" }, 'addTool("roll"): the handler must be a function'],
    ["readOnly as a text", { ...GOOD, readOnly: "yes" }, "readOnly must be true or false"],
    ["a list of properties", { ...GOOD, properties: [] }, "the properties must be an object"],
    ["an unknown language", { ...GOOD, descriptions: { de: "W" } }, 'descriptions: "de" is none of en, es, fr, zh'],
    ["no text in a language", { ...GOOD, descriptions: { es: 1 } }, "descriptions: es must be a text"],
    ["a property's bad name", property("a b", { type: "string" }), 'property "a b": a name has'],
    ["a property without a type", property("n", {}), 'property "n": its type must be one of "boolean", "integer"'],
    ["a type of all objects", property("n", { type: "constructor" }), "its type must be one of"],
    ["a number", property("n", { type: "number" }), "its type must be one of"],
    ["a range of a text", property("n", { type: "string", minimum: 1 }), "minimum is for integers only"],
    ["a range of a flag", property("n", { type: "boolean", maximum: 1 }), "maximum is for integers only"],
    ["min for minimum", property("n", { type: "integer", min: 1 }), 'unknown key "min"; "integer" has type, default'],
    ["choices of integers", property("n", { type: "integer", enum: [1] }), 'unknown key "enum"'],
    ["a range of fractions", property("n", { type: "integer", minimum: 0.5 }), "its minimum must be an integer"],
    ["a range upside down", property("n", integer({ min: 5, max: 1 })), "minimum 5 is above maximum 1"],
    ["a default below", property("n", integer({ min: 2, default: 1 })), "default 1 is below minimum 2"],
    ["a default above", property("n", integer({ max: 2, default: 3 })), "default 3 is above maximum 2"],
    ["a default of another kind", property("n", { type: "integer", default: "3" }), "its default must be an integer"],
    ["a flag that is a text", property("n", { type: "boolean", default: "no" }), "its default must be true or false"],
    ["a text that is null", property("n", { type: "string", default: null }), "its default must be a text"],
    ["no choices", property("n", { type: "string", enum: [] }), "its enum must be a list of different texts"],
    ["a choice twice", property("n", { type: "string", enum: ["a", "a"] }), "its enum must be"],
    ["a default that is no choice", property("n", { type: "string", enum: ["a"], default: "b" }), '"b" is not in its'],
    ["a description that is none", property("n", { type: "string", description: 1 }), "its description must be a text"],
  ];
  for (const [what, tool, reason] of refusals) {
    test(what, () => {
      assert.throws(
        () => checkTool(tool as AnyUserTool),
        (error: Error) => {
          assert.ok(error instanceof TypeError && error.message.includes(reason), error.message);
          return true;
        },
      );
    });
  }

  test("its own __proto__ as a property", () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"}}') as Record<string, never>;
    assert.throws(() => checkTool({ ...GOOD, properties }), /property "__proto__"/);
  });
});

describe("a tool is accepted", () => {
  test("with the names of devices", () => checkTool({ ...GOOD, name: "self.audio_speaker.set-volume" }));
  test("with a default at each end of its range", () => {
    checkTool({ ...GOOD, properties: { a: integer({ min: 1, max: 3, default: 1 }) } });
    checkTool({ ...GOOD, properties: { a: integer({ min: 1, max: 3, default: 3 }) } });
  });
  test("with what is left undefined", () => {
    checkTool({ ...GOOD, properties: { a: { type: "string", default: undefined, enum: undefined } } });
  });
});

function property(name: string, value: unknown): unknown {
  return { ...GOOD, properties: { [name]: value } };
}
