import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Payload } from "../../protocol/json/payload.ts";
import { asResult, asToolResult } from "./tool-call.ts";

const NO_RESULTS: readonly (readonly [said: string, content: object[]])[] = [
  ['"hola \\"tú\\""', [{ type: "text", text: 'hola "tú"' }]],
  ["21.50", [{ type: "text", text: "21.50" }]],
  ["true", [{ type: "text", text: "true" }]],
  ["[1, 2]", [{ type: "text", text: "[1, 2]" }]],
  ["null", []],
];

describe("the result of a call", () => {
  for (const [said, content] of NO_RESULTS) {
    it(`that is ${said} becomes one of MCP, whoever says it`, () => {
      assert.deepEqual(asResult(Payload.ofText(said)).value, { content });
      assert.deepEqual(asToolResult(Payload.ofText(said)).value, { content });
    });
  }

  it("that is an object of a server of MCP passes unread", () => {
    for (const text of ['{"resultType":"task","n":1.0}', '{ "content":[]}', "{}", '{"not":"even": json}']) {
      const result = Payload.ofText(text);
      assert.equal(asResult(result), result);
    }
  });

  it("that is an object of any other server is what its tool gave, unless it looks like MCP's", () => {
    assert.equal(
      asToolResult(Payload.ofText('{"n":1.0}')).text,
      '{"content":[{"type":"text","text":"{\\"n\\":1.0}"}],"structuredContent":{"n":1.0}}',
    );
    for (const text of ['{"content":[]}', '{"structuredContent":{}}']) {
      const result = Payload.ofText(text);
      assert.equal(asToolResult(result), result);
    }
  });
});
