/**
 * Servers that are not quite of MCP, over every transport: clients of the hub get tools and results that are. What a proper
 * server says is not touched, which `fidelity.test.ts` shows.
 */
import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openQuirkySite, type QuirkySite } from "../support/quirky-site.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const STDIO = fileURLToPath(new URL("../support/quirky-server.ts", import.meta.url));
const ANY = { type: "object" };
const MEASURE = { type: "object", properties: { room: { type: "string" } } };

const TOOLS = [
  { name: "say", description: "Says hello", inputSchema: { type: "object", properties: {} }, scope: "voices" },
  { name: "measure", inputSchema: MEASURE },
  { name: "list", inputSchema: ANY, scope: "lists" },
  { name: "nothing", description: "Takes no arguments that it would speak of", inputSchema: ANY },
  { name: "official", inputSchema: ANY },
];

const RESULTS: Readonly<Record<string, object>> = {
  say: { content: [{ type: "text", text: "hola" }] },
  measure: { content: [{ type: "text", text: "21.5" }] },
  list: { content: [{ type: "text", text: '[1,"two"]' }] },
  nothing: { content: [] },
  official: { content: [], isError: false },
};

describe("a server that is not quite of MCP", () => {
  let site: QuirkySite;
  let hub: SpawnedZaguan;
  let client: RpcOverHttp;

  before(async () => {
    site = await openQuirkySite();
    const at = (path: string): object => ({ url: `${site.url}/${path}`, zaguan: { allowPrivate: true } });
    const mcpServers = {
      bare: at("bare"),
      http: at("http"),
      sse: at("sse"),
      websocket: at("socket"),
      stdio: { command: process.execPath, args: [STDIO] },
    };
    hub = await spawnZaguan({ config: { mcpServers, log: { level: "error" } } });
    client = new RpcOverHttp(hub.url);
  });

  after(async () => {
    await client?.close();
    await hub?.stop();
    await site?.stop();
  });

  for (const server of ["bare", "http", "sse", "websocket", "stdio"]) {
    describe(`over ${server}`, () => {
      it("has its tools listed as MCP's, without those that are none", async () => {
        const { tools } = await ask(`/servers/${server}/mcp`, "tools/list", {});
        assert.deepEqual(tools, TOOLS);
      });

      it("has them in the list of all and in the registry, with what they are for", async () => {
        const { tools } = await ask("/mcp", "tools/list", {});
        const names = (tools as { name: string }[]).map(({ name }) => name);
        for (const { name } of TOOLS) assert.ok(names.includes(server === "bare" ? name : `${server}__${name}`), name);
        const kept = (await registered(server)).map(({ name, scope }) => [name, scope]);
        const wanted = TOOLS.map(({ name, scope = "global" }) => [name, scope]);
        assert.deepEqual(kept, wanted);
      });

      for (const [name, result] of Object.entries(RESULTS)) {
        it(`answers ${name} with a result of MCP`, async () => {
          assert.deepEqual(await ask("/mcp", "tools/call", { name: `${server}__${name}`, arguments: {} }), result);
          assert.deepEqual(await ask(`/servers/${server}/mcp`, "tools/call", { name, arguments: {} }), result);
        });
      }
    });
  }

  async function ask(path: string, method: string, params: object): Promise<Record<string, unknown>> {
    const { text } = await client.send("POST", path, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    const { result } = JSON.parse(text) as { result?: Record<string, unknown> };
    assert.ok(result, text);
    return result;
  }

  /** The registry learns of them a moment after the hub. */
  async function registered(server: string): Promise<readonly { name: string; scope: string }[]> {
    for (const end = performance.now() + 20_000; ; await sleep(20)) {
      const { status, text } = await client.get(`/mcp/tools?serverId=${server}`);
      assert.equal(status, 200, text);
      const tools = JSON.parse(text) as readonly { name: string; scope: string }[];
      if (tools.length > 0 || performance.now() > end) return tools;
    }
  }
});
