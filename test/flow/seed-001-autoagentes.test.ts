/**
 * What seed 001's own program sends and reads: names with spaces, messages that say `Jsonrpc`, and `/ws` behind whatever
 * address it was given. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { RegistryClient } from "../support/registry-client.ts";
import { SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import { openSocket } from "../support/socket-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

let hub: SpawnedZaguan;
let server: StandIn;
let client: RegistryClient;
before(async () => {
  server = await StandIn.start();
  const entry = { url: server.url, description: "notes", zaguan: { allowPrivate: true } };
  hub = await spawnZaguan({ config: { mcpServers: { "My Files": entry } }, args: ["--allow-private"] });
  client = new RegistryClient(hub.url);
});
after(async () => {
  await hub?.stop();
  await server?.close();
});

describe("a server whose name is any text", () => {
  const NAME = "Servidor de la casa nº 1";
  const SLUG = "servidor-de-la-casa-no-1";

  it("is registered, with a description, and has a slug for addresses", async () => {
    const input = { name: NAME, description: "lo de casa", baseUrl: server.url, authType: "none" };
    const { status, headers, body } = await client.post("/mcp/servers", input);
    assert.equal(status, 201);
    assert.deepEqual([body.name, body.slug, body.description], [NAME, SLUG, "lo de casa"]);
    assert.equal(headers.get("location"), `/mcp/servers/${body.id}`);
    assert.equal((await client.post("/mcp/servers", input)).status, 409, "a name is taken once");
  });

  it("is found by its id, its name and its slug, and so is its door", async () => {
    const { id } = await client.done("GET", `/mcp/servers/${SLUG}`);
    for (const said of [id, encodeURIComponent(NAME), SLUG, encodeURIComponent(NAME.toUpperCase())]) {
      assert.equal((await client.done("GET", `/mcp/servers/${said}`)).id, id, said);
      assert.equal((await client.done("POST", `/mcp/servers/${said}/discover`)).tools.length, 1);
      assert.equal((await client.done("GET", `/mcp/tools?serverId=${said}`)).length, 1);
    }
    for (const said of [SLUG, encodeURIComponent(NAME)]) {
      assert.deepEqual(await client.names(`/servers/${said}/mcp`), [SEED_TOOL.name]);
      const socket = await openSocket(`${hub.url}/servers/${said}/mcp`);
      assert.ok((await socket.ask({ jsonrpc: "2.0", id: 1, method: "tools/list" })).result);
      socket.socket.close();
    }
  });

  it("gives its tools its slug to be called by, and its name to be read", async () => {
    const said = await client.textOf("/mcp", `${SLUG}__${SEED_TOOL.name}`, { prompt: "hola" });
    assert.equal(said, `${SEED_TOOL.name}: hola`);
    const [tool] = await client.done("GET", `/mcp/tools?serverId=${SLUG}`);
    assert.deepEqual([tool.serverName, tool.serverSlug], [NAME, SLUG]);
  });

  it("gets another slug where one has it already", async () => {
    const other = await client.done("POST", "/mcp/servers", {
      name: "Servidor de la casa, no 1!",
      baseUrl: server.url,
    });
    assert.equal(other.slug, `${SLUG}-2`);
    await client.done("DELETE", `/mcp/servers/${SLUG}-2`);
  });

  it("moves with its name", async () => {
    const changed = await client.done("PATCH", `/mcp/servers/${SLUG}`, { name: "La casa", description: "otra" });
    assert.deepEqual([changed.name, changed.slug, changed.description], ["La casa", "la-casa", "otra"]);
    assert.equal((await client.get(`/mcp/servers/${SLUG}`)).status, 404);
    assert.deepEqual(await client.names("/servers/la-casa/mcp"), [SEED_TOOL.name]);
    await client.done("DELETE", "/mcp/servers/La%20casa");
    assert.equal((await client.rpc("/servers/la-casa/mcp", "tools/list")).status, 404);
  });

  it("may stand in the configuration file, too", async () => {
    assert.deepEqual(await client.names("/servers/my-files/mcp"), [SEED_TOOL.name]);
    const { name, slug, description, origin } = await client.done("GET", "/mcp/servers/My%20Files");
    assert.deepEqual([name, slug, description, origin], ["My Files", "my-files", "notes", "configured"]);
  });
});

describe("a list for who says `Jsonrpc`", () => {
  const LIST = { Jsonrpc: "2.0", id: "guid-unico", method: "tools/list", params: {} };

  interface Listed {
    readonly [key: string]: unknown;
    readonly name: string;
  }
  const inPascal = ({ name, description, scope, inputSchema }: Listed) => [name, description, scope, inputSchema];
  const checkPascal = (tools: readonly Listed[]): void => {
    assert.ok(tools.length > 6);
    for (const tool of tools)
      assert.deepEqual([tool["Name"], tool["Description"], tool["Namespace"], tool["InputSchema"]], inPascal(tool));
  };

  for (const path of ["/mcp", "/"]) {
    it(`has the names that its program reads, beside MCP's own: POST ${path}`, async () => {
      checkPascal((await client.post(path, LIST)).body.result.tools);
    });
  }

  it("has them on sockets, after the greeting, too", async () => {
    const { socket, ask } = await openSocket(`${hub.url}/mcp/ws`);
    const params = {
      protocolVersion: "2024-11-05",
      capabilities: {},
      clientInfo: { name: "AutoAgentes", version: "1" },
    };
    await ask({ Jsonrpc: "2.0", id: 1, method: "initialize", params });
    checkPascal((await ask({ ...LIST, id: 2 })).result?.["tools"] as Listed[]);
    socket.close();
  });

  it("has the scope of every tool without a greeting, and MCP's own fields alone in a session", async () => {
    const { body } = await client.rpc("/mcp", "tools/list");
    const scopes = body.result.tools.map(({ scope }: Listed) => scope);
    assert.ok(scopes.every((scope: unknown) => scope === "global"));
    assert.ok(body.result.tools.every((tool: Listed) => !("Name" in tool)));
    const { socket, ask } = await openSocket(`${hub.url}/mcp`);
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "other", version: "1" } };
    await ask({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const listed = (await ask({ jsonrpc: "2.0", id: 2, method: "tools/list" })).result?.["tools"] as Listed[];
    assert.equal(listed.find(({ name }) => name === "get_presence")?.["scope"], undefined);
    socket.close();
  });
});

describe("`/ws` behind an address", () => {
  before(() => client.agent("mayordomo", "get_presence"));

  for (const [path, count] of [
    ["/ws", 7],
    ["//ws", 7],
    ["/mcp/ws", 7],
    ["/mcp//ws", 7],
    ["/agents/mayordomo/mcp/ws", 1],
    ["/agents/mayordomo/mcp//ws", 1],
    ["/servers/my-files/mcp/ws", 1],
  ] as const) {
    it(`is a socket to what is there: ${path}`, async () => {
      const { socket, ask } = await openSocket(`${hub.url}${path}`);
      const { result } = await ask({ Jsonrpc: "2.0", id: 2, method: "tools/list", params: {} });
      assert.equal((result as { tools: unknown[] }).tools.length, count);
      socket.close();
    });
  }
});

describe("a link to a tool", () => {
  it("takes the tool's id, its name in the list of all tools, and `server__tool` by slug or name", async () => {
    const tools = await client.done("GET", "/mcp/tools/all");
    const { id } = tools.find(({ name }: { name: string }) => name === SEED_TOOL.name);
    for (const [index, toolId] of [
      id,
      SEED_TOOL.name,
      `my-files__${SEED_TOOL.name}`,
      `My Files__${SEED_TOOL.name}`,
    ].entries()) {
      const agent = await client.agent(`agente ${index}`, toolId);
      const [binding] = await client.done("GET", `/agents/${agent.id}/bindings`);
      assert.equal(binding.toolId, id, toolId);
    }
    const agent = await client.agent("agente vacío");
    assert.equal((await client.post(`/agents/${agent.id}/bindings`, { toolId: "nada" })).status, 404);
  });
});
