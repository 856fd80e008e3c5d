/** Arguments of other types than a tool's schema says, at a real hub: an MCP server may coerce them, our own kinds do not. */
import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type Answered, RegistryClient } from "../support/registry-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const SERVER = fileURLToPath(new URL("../support/coercing-server.mjs", import.meta.url));
const mcpServers = { counter: { command: process.execPath, args: [SERVER] } };

let hub: SpawnedZaguan;
before(async () => {
  hub = await spawnZaguan({ config: { mcpServers } });
});
after(() => hub?.stop());

function call(name: string, args: object, { url }: SpawnedZaguan = hub): Promise<Answered> {
  const params = { name, arguments: args };
  return new RegistryClient(url).post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params });
}

describe("arguments of another type", () => {
  for (const args of [{ n: "5" }, { n: 5, on: "true" }, { n: 5, names: "ana" }, { n: "5", on: null, size: "small" }]) {
    it(`${JSON.stringify(args)} reaches an MCP server as it was sent`, async () => {
      const { status, text, body } = await call("count", args);
      assert.equal(status, 200, text);
      assert.equal(body.result.content[0].text, JSON.stringify(args));
    });
  }

  for (const args of [{}, { n: null }, { n: "five" }, { n: "5", size: "huge" }, { n: {} }]) {
    it(`${JSON.stringify(args)} cannot be mended, and is refused before the server sees it`, async () => {
      const { status, body } = await call("count", args);
      assert.deepEqual([status, body.error.code, body.error.data.delivery], [400, -32602, "not_sent"]);
    });
  }

  it("are refused for a tool of the house", async () => {
    const { status, body } = await call("set_light_state", { name: "salon", on: "true" });
    assert.deepEqual([status, body.error.code], [400, -32602]);
  });

  it("are refused for everybody where limits.strictArguments says so", async () => {
    const strict = await spawnZaguan({ config: { mcpServers, limits: { strictArguments: true } } });
    try {
      assert.equal((await call("count", { n: "5" }, strict)).status, 400);
      assert.equal((await call("count", { n: 5 }, strict)).status, 200);
    } finally {
      await strict.stop();
    }
  });
});
