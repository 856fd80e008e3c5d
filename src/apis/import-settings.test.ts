import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openApisInMemory } from "../../test/support/open-apis.ts";
import { ADMIN } from "../../test/support/registry-ports.ts";

function documentOn(...urls: readonly string[]): string {
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    servers: urls.map((url) => ({ url })),
    paths: { "/pets": { get: { responses: {} } } },
  });
}

describe("where an API is", () => {
  for (const [what, urls, baseUrl] of [
    ["a whole address", ["https://a.example.org/v1", "https://b.example.org"], "https://a.example.org/v1"],
    ["no address of the web", ["ftp://a.example.org"], null],
    ["an address with a password", ["https://me:secret@a.example.org"], null],
    ["only a path, though another one is whole", ["/v1", "https://b.example.org"], null],
  ] as const) {
    it(`a preview says the same as the import: its first server is ${what}`, async () => {
      const apis = await openApisInMemory();
      const input = { document: documentOn(...urls) };
      assert.equal((await apis.imports.preview(input, ADMIN)).baseUrl, baseUrl);
      if (baseUrl) assert.equal((await apis.imports.create(input, ADMIN)).baseUrl, baseUrl);
      else await assert.rejects(apis.imports.create(input, ADMIN), { code: "INVALID_PARAMS", message: /baseUrl/ });
      await apis.store.close();
    });
  }
});
