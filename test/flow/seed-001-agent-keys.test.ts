/** The keys of agents, and of others, at a real hub: what each of them sees, may call and may change. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { openSocket, refusal } from "../support/socket-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const ARGS = { prompt: "hola" };
const SAID = "nombre-herramienta: hola";

let hub: SpawnedZaguan;
let standIn: StandIn;
let client: RegistryClient;
let ana: RegistryClient;
let anasKey: string;
before(async () => {
  standIn = await StandIn.start({ tools: [SEED_TOOL, { ...SEED_TOOL, name: "otra" }] });
  hub = await spawnZaguan();
  client = new RegistryClient(hub.url);
  await client.found("letras", standIn.url);
  await client.agent("ana", "letras__nombre-herramienta");
  await client.agent("berta", "letras__otra");
  anasKey = (await client.done("POST", "/agents/ana/key")).key;
  ana = client.withKey(anasKey);
});
after(async () => {
  await hub.stop();
  await standIn.close();
});

describe("an agent's key", () => {
  it("is told once, when it is made", async () => {
    for (const path of ["/agents", "/agents/ana", "/agents/ana/bindings"]) {
      assert.ok(!(await client.get(path)).text.includes(anasKey));
    }
    assert.ok(!(hub.stdout() + hub.stderr()).includes(anasKey));
  });

  it("opens its own door", async () => {
    assert.deepEqual(await ana.names("/agents/ana/mcp"), [SEED_TOOL.name]);
    assert.equal(await ana.textOf("/agents/ana/mcp", SEED_TOOL.name, ARGS), SAID);
  });

  it("sees and calls only its own tools where others see all", async () => {
    for (const path of ["/mcp", "/"]) {
      assert.deepEqual(await ana.names(path), [SEED_TOOL.name]);
      assert.equal(await ana.textOf(path, SEED_TOOL.name, ARGS), SAID);
      for (const hidden of ["otra", "letras__otra", "get_presence"]) {
        const { status, body } = await ana.call(path, hidden, ARGS);
        assert.deepEqual([status, body.error?.code], [400, -32602]);
        assert.equal(
          body.error.message,
          (await ana.call(path, "no-hay", ARGS)).body.error.message.replace("no-hay", hidden),
        );
      }
    }
  });

  it("sees no more over a WebSocket", async () => {
    const headers = { authorization: `Bearer ${anasKey}` };
    for (const path of ["/mcp", "/ws", "/agents/ana/mcp"]) {
      const socket = await openSocket(`${hub.url}${path}`, { headers });
      const { result } = await socket.ask({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      const tools = result?.["tools"] as Message[] | undefined;
      assert.deepEqual(
        tools?.map(({ name }) => name),
        [SEED_TOOL.name],
        path,
      );
      socket.socket.close();
    }
  });

  it("finds no other agent's door, on any transport", async () => {
    const headers = { authorization: `Bearer ${anasKey}` };
    assert.equal((await ana.rpc("/agents/berta/mcp", "tools/list")).status, 404);
    assert.equal((await ana.call("/agents/berta/mcp", "otra", ARGS)).status, 404);
    assert.equal((await ana.get("/agents/berta/sse")).status, 404);
    assert.equal((await refusal(`${hub.url}/agents/berta/mcp`, headers)).status, 404);
    assert.equal((await refusal(`${hub.url}/agents/berta/ws`, headers)).status, 404);
  });

  it("reaches nothing else through a single server's door", async () => {
    const before = standIn.calls.length;
    const { status, body } = await ana.call("/servers/letras/mcp", "otra", ARGS);
    assert.ok(status >= 400 || body.error, JSON.stringify(body));
    assert.equal(standIn.calls.length, before);
  });

  it("cannot change the registry, its own agent included", async () => {
    const { id } = (await client.get("/agents/ana/bindings")).body[0];
    for (const [method, path, body] of [
      ["POST", "/mcp/servers", { name: "mio", baseUrl: "https://example.org/mcp" }],
      ["PATCH", "/mcp/servers/letras", { name: "letras2" }],
      ["DELETE", "/mcp/servers/letras", undefined],
      ["POST", "/mcp/servers/letras/discover", undefined],
      ["POST", "/mcp/servers/letras/refresh", undefined],
      ["POST", "/agents", { name: "carla" }],
      ["PATCH", "/agents/ana", { autonomy: "Auto" }],
      ["DELETE", "/agents/berta", undefined],
      ["POST", "/agents/ana/bindings", { toolId: "letras__otra" }],
      ["PATCH", `/agents/ana/bindings/${id}`, { config: null }],
      ["DELETE", `/agents/ana/bindings/${id}`, undefined],
      ["POST", "/agents/berta/key", undefined],
      ["DELETE", "/agents/ana/key", undefined],
    ] as const) {
      const { status, text } = await ana.send(method, path, body);
      assert.equal(status, 403, `${method} ${path}: ${text}`);
    }
    assert.equal((await client.get("/agents")).body.length, 2);
    assert.equal((await client.get("/agents/ana/bindings")).body.length, 1);
  });

  it("does not read what it may not use", async () => {
    for (const path of ["/mcp/tools/all", "/mcp/tools?serverId=letras", "/agents/berta", "/agents/berta/bindings"]) {
      const { text } = await ana.get(path);
      assert.doesNotMatch(text, /"otra"/, path);
    }
  });

  it("takes part in what happens to the links at once", async () => {
    const { id } = await client.done("POST", "/agents/ana/bindings", { toolId: "letras__otra" });
    assert.equal(await ana.textOf("/mcp", "otra", ARGS), "otra: hola");
    await client.done("DELETE", `/agents/ana/bindings/${id}`);
    assert.equal((await ana.call("/mcp", "otra", ARGS)).body.error.code, -32602);
  });

  it("ends when another is made in its place", async () => {
    const { key } = await client.done("POST", "/agents/ana/key");
    assert.equal((await ana.rpc("/mcp", "tools/list")).status, 401);
    anasKey = key;
    ana = client.withKey(key);
    assert.equal((await ana.rpc("/mcp", "tools/list")).status, 200);
  });

  it("ends by being revoked", async () => {
    const bertas = client.withKey((await client.done("POST", "/agents/berta/key")).key);
    assert.equal((await bertas.rpc("/mcp", "tools/list")).status, 200);
    assert.equal((await client.delete("/agents/berta/key")).status, 204);
    assert.equal((await bertas.rpc("/mcp", "tools/list")).status, 401);
  });

  it("ends with its agent", async () => {
    const { key } = await client.done("POST", "/agents/ana/key");
    const holder = client.withKey(key);
    assert.equal((await holder.rpc("/mcp", "tools/list")).status, 200);
    const refused = await callOnOpenSocket(key, () => client.done("DELETE", "/agents/ana"));
    assert.ok(refused);
    assert.equal((await holder.rpc("/mcp", "tools/list")).status, 401);
    assert.equal((await holder.rpc("/agents/ana/mcp", "tools/list")).status, 401);
  });

  it("ends for a socket that is open, too", async () => {
    await client.agent("eva", "letras__nombre-herramienta");
    const { key } = await client.done("POST", "/agents/eva/key");
    assert.ok(await callOnOpenSocket(key, () => client.done("DELETE", "/agents/eva/key")));
  });

  /** Whether a call is refused that comes when this has been done. */
  async function callOnOpenSocket(key: string, first: () => Promise<unknown>): Promise<boolean> {
    const socket = await openSocket(`${hub.url}/mcp`, { headers: { authorization: `Bearer ${key}` } });
    const before = standIn.calls.length;
    await first();
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: SEED_TOOL.name, arguments: ARGS } };
    const { error } = await socket.ask(call).catch(() => ({ error: "closed" }));
    socket.socket.terminate();
    return error !== undefined && standIn.calls.length === before;
  }

  it("lists in `zaguan key list` without the key itself", async () => {
    const { key } = await client.done("POST", `/agents/${(await client.agent("dora")).id}/key`);
    const { stdout, code } = await runZaguan(["key", "list", "--json", "--data", "data"], hub.folder);
    assert.equal(code, 0);
    assert.ok(!stdout.includes(key));
  });
});
