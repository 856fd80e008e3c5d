/** A form and a text that say the same. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ArgsState, faultIn, textOf, withText, withValue } from "./arguments.ts";
import { Draft } from "./values.ts";

const START: ArgsState = { view: "json", value: { on: true } };

describe("what is to be sent", () => {
  it("is written as JSON from the form", () => {
    assert.equal(textOf(START), '{\n  "on": true\n}');
    assert.equal(textOf(withValue(START, { n: new Draft("1x") })), '{\n  "n": "1x"\n}');
  });

  it("is what was typed, and stays as it was typed", () => {
    const typed = withText(START, '{"on":false , "n":12345678901234567890}');
    assert.equal(textOf(typed), '{"on":false , "n":12345678901234567890}');
    assert.equal(JSON.stringify(typed.value), '{"on":false,"n":12345678901234567890}');
    assert.equal(faultIn(typed), undefined);
  });

  it("is written anew when the form is touched", () => {
    const typed = withText(START, "{");
    assert.equal(textOf(withValue(typed, { on: false })), '{\n  "on": false\n}');
    assert.equal(faultIn(withValue(typed, { on: false })), undefined);
  });

  it("stays the last that could be read while something else is typed", () => {
    const typed = withText(START, '{"on": fal');
    assert.deepEqual([typed.value, textOf(typed)], [{ on: true }, '{"on": fal']);
    assert.deepEqual(faultIn(typed), { code: "json", line: 1, column: 8 });
  });

  it("is an object and nothing else; nothing at all is an empty one", () => {
    for (const text of ["[]", "1", "null", '"x"', "12345678901234567890"])
      assert.equal(faultIn(withText(START, text))?.code, "object");
    assert.deepEqual(withText(START, "  ").value, {});
  });
});
