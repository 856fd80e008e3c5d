import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isAddress, kindOf } from "./kind.ts";

describe("what is imported", () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{"openapi":"3.1.0","paths":{}}', "OpenAPI"],
    ['{ // ours\n "openapi": "3.0.3", "paths": {}, }', "OpenAPI"],
    ["openapi: 3.0.0\npaths: {}\n", "OpenAPI"],
    ["# Pets\n---\ninfo: {}\n'openapi' : 3.0.0\n", "OpenAPI"],
    ['"swagger": "2.0"\n', "OpenAPI"],
    ['[{"name":"w","code":"w","baseUrl":"https://example.org","tools":[]}]', "HandsAI"],
    ['{"name":"w","baseUrl":"https://example.org","tools":[]}', "HandsAI"],
    ['{"mcpServers":{"openapi":{"command":"x"}}}', "servers"],
    ['{\n"mcpServers": {\n"openapi": {"command": "x"}}}', "servers"],
    ["[]", "servers"],
    ["mcpServers:\n  openapi: 1\n", "servers"],
    ["{", "servers"],
    ["", "servers"],
  ];
  for (const [text, expected] of cases) {
    it(`is told by its content: ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.equal(kindOf(text, "file").is, expected);
    });
  }

  it("is a list of providers, also where there is one", () => {
    const one = { baseUrl: "https://a", tools: [] };
    assert.deepEqual(kindOf(JSON.stringify(one), "file"), { is: "HandsAI", providers: [one] });
    assert.deepEqual(kindOf(JSON.stringify([one, one]), "file"), { is: "HandsAI", providers: [one, one] });
  });

  it("is an address only if it begins like one", () => {
    assert.deepEqual(["https://a", "HTTP://a", "./http:", "ftp://a", "a.json"].map(isAddress), [
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
