/** What people write about a link's arguments. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exampleConfig, readConfig, writeConfig } from "./linked-tool.ts";

const LAMP = { type: "object", properties: { name: { type: "string" }, on: { type: "boolean" } } };

describe("a link's arguments", () => {
  it("are whatever is written", () => {
    const config = { fixedArguments: { name: "salon" }, allowedArguments: ["on"] };
    assert.deepEqual(readConfig(JSON.stringify(config), LAMP), { config, strange: [] });
    assert.deepEqual(readConfig(writeConfig(config), LAMP), { config, strange: [] });
  });

  it("are none where nothing is written, or nothing in it", () => {
    for (const text of ["", "  \n", "{}"]) assert.deepEqual(readConfig(text, LAMP), { config: null, strange: [] });
    assert.equal(writeConfig(null), "");
    assert.equal(writeConfig({}), "");
  });

  it("may be none at all", () => {
    assert.deepEqual(readConfig('{"allowedArguments":[]}', LAMP), { config: { allowedArguments: [] }, strange: [] });
  });

  it("name what the tool does not have", () => {
    const text = '{"fixedArguments":{"nmae":1},"allowedArguments":["on","nmae","off"]}';
    assert.deepEqual((readConfig(text, LAMP) as { strange: unknown }).strange, ["nmae", "off"]);
  });

  it("name nothing strange where the tool does not say what it takes", () => {
    for (const schema of [undefined, {}, { properties: [] }]) {
      assert.deepEqual((readConfig('{"allowedArguments":["x"]}', schema) as { strange: unknown }).strange, []);
    }
  });

  const refusals: readonly (readonly [string, string])[] = [
    ["{", "agents.config.noJson"],
    ["[]", "agents.config.noObject"],
    ["null", "agents.config.noObject"],
    ['{"fixed":{}}', "agents.config.unknown"],
    ['{"fixedArguments":["name"]}', "agents.config.fixed"],
    ['{"fixedArguments":null}', "agents.config.fixed"],
    ['{"allowedArguments":"on"}', "agents.config.allowed"],
    ['{"allowedArguments":[1]}', "agents.config.allowed"],
  ];
  for (const [text, wrong] of refusals) it(`refuse ${text}`, () => assert.equal(readConfig(text, LAMP).wrong, wrong));

  it("have an example that is right", () => {
    assert.deepEqual(readConfig(exampleConfig(LAMP), LAMP), {
      config: { fixedArguments: { name: "…" }, allowedArguments: ["on"] },
      strange: [],
    });
    assert.equal(readConfig(exampleConfig(undefined), undefined).wrong, undefined);
  });
});
