import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Payload } from "../../protocol/json/payload.ts";
import { lawfulPage, readTool, toolsIn } from "./tool-definition.ts";

const ANY = { type: "object" };

describe("a tool of MCP", () => {
  it("stays the very object that it is, fields that we do not know included", () => {
    const tool = {
      name: "on",
      description: "d",
      inputSchema: { type: "object", "x-own": 1 },
      scope: "house",
      icons: [],
    };
    assert.equal(readTool(tool), tool);
  });

  it("stays so where it has a field that others use for something else", () => {
    const tool = { name: "on", inputSchema: ANY, inputSchemaJson: "mine", Namespace: "mine" };
    assert.equal(readTool(tool), tool);
  });
});

describe("a tool that is not quite one", () => {
  it("may spell its keys as seed 001's servers do", () => {
    const tool = { Name: "on", Description: "d", Namespace: "house", InputSchema: { type: "object", properties: {} } };
    assert.deepEqual(readTool(tool), {
      name: "on",
      description: "d",
      scope: "house",
      inputSchema: { type: "object", properties: {} },
    });
  });

  it("is believed most where it spells rightly", () => {
    const both = { name: "right", Name: "wrong", Description: "d", scope: "right", Namespace: "wrong" };
    assert.deepEqual(readTool(both), { name: "right", description: "d", inputSchema: ANY, scope: "right" });
  });

  for (const key of ["inputSchemaJson", "InputSchemaJson", "inputSchema", "InputSchema"]) {
    it(`may have its schema as text in ${key}`, () => {
      const read = readTool({ name: "on", [key]: '{"type":"object","required":["room"]}' });
      assert.deepEqual(read, { name: "on", inputSchema: { type: "object", required: ["room"] } });
    });
  }

  for (const inputSchema of [undefined, null, "", {}]) {
    it(`takes what it is given if its schema is ${JSON.stringify(inputSchema)}`, () => {
      assert.deepEqual(readTool({ name: "on", inputSchema }), { name: "on", inputSchema: ANY });
    });
  }

  it("has an object for its arguments, even if its schema does not say so", () => {
    const read = readTool({ name: "on", inputSchema: { properties: { room: {} } } });
    assert.deepEqual(read?.inputSchema, { type: "object", properties: { room: {} } });
  });

  it("loses what is null or no description, which strict clients would refuse the whole list for", () => {
    const read = readTool({ name: "on", description: 7, title: null, annotations: null, inputSchema: ANY });
    assert.deepEqual(read, { name: "on", inputSchema: ANY });
    assert.deepEqual(readTool({ name: "on", description: null, inputSchema: ANY }), { name: "on", inputSchema: ANY });
  });
});

describe("what cannot be offered", () => {
  const hopeless = [null, "on", 7, [], {}, { name: 7 }, { name: "" }, { name: "x".repeat(257) }];
  const unschooled = ["{", "[]", "null", 7, [], true].map((inputSchema) => ({ name: "on", inputSchema }));
  for (const tool of [...hopeless, ...unschooled]) {
    it(`is ${JSON.stringify(tool).slice(0, 60)}`, () => assert.equal(readTool(tool), undefined));
  }
});

describe("an answer to tools/list", () => {
  it("has its tools under either spelling, or none", () => {
    assert.deepEqual(toolsIn({ tools: [1] }), [1]);
    assert.deepEqual(toolsIn({ Tools: [2] }), [2]);
    for (const none of [null, [], "tools", {}, { tools: {} }]) assert.equal(toolsIn(none), undefined);
  });

  it("passes character for character if all its tools are of MCP", () => {
    const page = Payload.ofText('{"tools": [ {"inputSchema":{"type":"object","default":1e2},"name":"on"} ],"x":1.0}');
    assert.equal(lawfulPage(page), page);
    const none = Payload.ofText('"what?"');
    assert.equal(lawfulPage(none), none);
  });

  it("is made one of MCP if they are not; a bad one does not spoil the others", () => {
    const page = Payload.ofText(
      '{"Tools":[{"Name":"on"},7,{"name":"off","inputSchema":{"type":"object"}}],"_meta":{}}',
    );
    assert.deepEqual(lawfulPage(page).value, {
      _meta: {},
      tools: [
        { name: "on", inputSchema: ANY },
        { name: "off", inputSchema: ANY },
      ],
    });
  });
});
