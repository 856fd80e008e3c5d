/**
 * Seed 001 §6 from end to end over real sockets: found, stored, linked to an agent, called over HTTP, and over WebSocket
 * when HTTP is gone; what a refresh keeps; what a restart keeps.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { always, bare, greeted, HANG_UP, SEED_TOOL, StandIn, type Told } from "../support/registry-servers.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const ARGS = { prompt: "mensaje del usuario" };
const SAID = "nombre-herramienta: mensaje del usuario";
const OTHER_TOOL = { ...SEED_TOOL, name: "otra-herramienta" };

const folder = mkdtempSync(join(tmpdir(), "zaguan-seed-001-"));
const standIns: StandIn[] = [];
let hub: SpawnedZaguan;
let client: RegistryClient;
const open = async (): Promise<void> => {
  hub = await spawnZaguan({ folder, config: { limits: { discoverySeconds: 20 } } });
  client = new RegistryClient(hub.url);
};
before(open);
after(async () => {
  await hub.stop();
  for (const standIn of standIns) await standIn.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(...options: Parameters<typeof StandIn.start>): Promise<StandIn> {
  const standIn = await StandIn.start(...options);
  standIns.push(standIn);
  return standIn;
}

describe("6. Flujo de Ejecución", () => {
  let standIn: StandIn;
  let tool: Message;
  let agent: Message;

  it("1. Descubrimiento y 2. almacenamiento: what was found is in the database", async () => {
    standIn = await start();
    [tool] = await client.found("flujo", standIn.url);
    const stored = (await client.get("/mcp/tools?serverId=flujo")).body;
    assert.deepEqual(
      stored.map(({ id, name }: Message) => [id, name]),
      [[tool.id, SEED_TOOL.name]],
    );
    const one = (await client.get(`/mcp/tools/${tool.id}`)).body;
    assert.deepEqual([one.name, one.serverName], [SEED_TOOL.name, "flujo"]);
  });

  it("3. Vinculación: an agent is linked with a tool", async () => {
    agent = await client.agent("agente");
    const body = { toolId: tool.id, config: null, enabled: true };
    const { status, body: binding } = await client.post(`/agents/${agent.id}/bindings`, body);
    assert.equal(status, 201);
    assert.ok(binding.id);
    assert.deepEqual([binding.agentId, binding.toolId, binding.enabled], [agent.id, tool.id, true]);
  });

  it("4. Ejecución: a call with JSON-RPC 2.0 over HTTP", async () => {
    assert.equal(await client.textOf("/agents/agente/mcp", SEED_TOOL.name, ARGS), SAID);
    const [call] = standIn.calls as readonly [Told & { jsonrpc?: string }];
    assert.deepEqual([call.over, call.jsonrpc, call.params?.name], ["http", "2.0", SEED_TOOL.name]);
  });

  it("keeps all of that over a restart: ids, links, and that it works", async () => {
    const links = (await client.get("/agents/agente/bindings")).body;
    await hub.stop();
    await open();
    assert.equal((await client.get("/mcp/servers/flujo")).body.id, tool.serverId);
    assert.deepEqual(
      (await client.get("/mcp/tools?serverId=flujo")).body.map(({ id }: Message) => id),
      [tool.id],
    );
    const after = (await client.get("/agents/agente/bindings")).body;
    assert.deepEqual(
      after.map(({ id }: Message) => id),
      links.map(({ id }: Message) => id),
    );
    assert.deepEqual(await client.names("/agents/agente/mcp"), [SEED_TOOL.name]);
    assert.equal(await client.textOf("/agents/agente/mcp", SEED_TOOL.name, ARGS), SAID);
  });

  it("5. Fallback: the same server, back with WebSocket only, answers the next call", async () => {
    const { port } = standIn;
    await standIn.close();
    standIns.splice(standIns.indexOf(standIn), 1);
    standIn = await start({ port, http: always(404), frames: greeted });
    assert.equal(await client.textOf("/agents/agente/mcp", SEED_TOOL.name, ARGS), SAID);
    assert.deepEqual(standIn.calls.filter(({ over }) => over === "websocket").length, 1);
  });

  it("and so does one whose HTTP is gone while it stays", async () => {
    const both = await start({ frames: greeted });
    await client.found("ambos", both.url);
    assert.equal(await client.textOf("/mcp", "ambos__nombre-herramienta", ARGS), SAID);
    both.http = always(404);
    assert.equal(await client.textOf("/mcp", "ambos__nombre-herramienta", ARGS), SAID);
    assert.equal(both.calls.filter(({ over }) => over === "websocket").length, 1);
  });

  it("but a call that may have run is not repeated over WebSocket", async () => {
    const dying = await start({ frames: greeted });
    await client.found("fragil", dying.url);
    dying.http = (told, server) => (told.method === "tools/call" ? HANG_UP : bare(told, server));
    const { body } = await client.call("/mcp", "fragil__nombre-herramienta", ARGS);
    assert.equal(body.error?.data?.delivery, "unknown", JSON.stringify(body));
    assert.equal(dying.calls.length, 1);
  });
});

describe("a server that is away", () => {
  let standIn: StandIn;
  let port: number;
  const stored = async (): Promise<string[]> =>
    (await client.get("/mcp/tools?serverId=ausente")).body.map(({ name }: Message) => name);

  it("keeps its tools, and a call is told that it is unavailable, not that there is no such tool", async () => {
    standIn = await StandIn.start();
    port = standIn.port;
    await client.found("ausente", standIn.url);
    await standIn.close();
    await assertUnavailable();
  });

  it("is no different after a restart", async () => {
    await hub.stop();
    await open();
    assert.deepEqual(await stored(), [SEED_TOOL.name]);
    await assertUnavailable();
  });

  it("works again at once when it is back and somebody refreshes it", async () => {
    await start({ port });
    await client.done("POST", "/mcp/servers/ausente/refresh");
    assert.equal(await client.textOf("/mcp", TOOL, ARGS), SAID);
  });

  it("is no different when its address was changed to one where nothing is", async () => {
    await client.done("PATCH", "/mcp/servers/ausente", { baseUrl: "http://127.0.0.1:1/" });
    assert.deepEqual(await stored(), [SEED_TOOL.name]);
    await assertUnavailable();
  });

  const TOOL = "ausente__nombre-herramienta";
  async function assertUnavailable(): Promise<void> {
    const { status, body } = await client.call("/mcp", TOOL, ARGS);
    assert.deepEqual([status, body.error?.code], [503, -32004], JSON.stringify(body));
    assert.ok((await client.names("/mcp")).includes(TOOL));
  }
});

describe("refreshing", () => {
  let standIn: StandIn;
  let tool: Message;
  let binding: Message;

  before(async () => {
    standIn = await start({ tools: [OTHER_TOOL, { ...SEED_TOOL, name: "vaivén" }] });
    const tools = await client.found("cambiante", standIn.url);
    tool = tools.find(({ name }) => name === "vaivén");
    await client.agent("fiel", tool.id);
    [binding] = (await client.get("/agents/fiel/bindings")).body;
  });

  const refresh = async (): Promise<Message[]> =>
    (await client.done("POST", "/mcp/servers/cambiante/refresh")).tools.tools;

  it("keeps ids and links, and takes up what has changed", async () => {
    standIn.tools = [{ ...SEED_TOOL, name: "vaivén", description: "mejor" }, OTHER_TOOL];
    const refreshed = (await refresh()).find(({ name }) => name === "vaivén");
    assert.deepEqual([refreshed.id, refreshed.description], [tool.id, "mejor"]);
    const links = (await client.get("/agents/fiel/bindings")).body;
    assert.deepEqual(
      links.map(({ id, toolId }: Message) => [id, toolId]),
      [[binding.id, tool.id]],
    );
    const [listed] = (await client.rpc("/agents/fiel/mcp", "tools/list")).body.result.tools;
    assert.equal(listed.description, "mejor");
  });

  it("marks a tool that vanished as missing: nobody is offered it, its link stays", async () => {
    standIn.tools = [OTHER_TOOL];
    await refresh();
    assert.ok(!(await client.names("/mcp")).includes("vaivén"));
    assert.deepEqual(await client.names("/agents/fiel/mcp"), []);
    assert.equal((await client.call("/agents/fiel/mcp", "vaivén", ARGS)).body.error.code, -32602);
    assert.equal((await client.call("/mcp", "cambiante__vaivén", ARGS)).body.error.code, -32602);
    const listed = (await client.get("/mcp/tools?serverId=cambiante")).body;
    assert.ok(listed.every(({ name, missing }: Message) => name !== "vaivén" || missing === true));
    assert.equal((await client.get(`/mcp/tools/${tool.id}`)).body.missing, true);
    assert.deepEqual(
      (await client.get("/agents/fiel/bindings")).body.map(({ id }: Message) => id),
      [binding.id],
    );
  });

  it("keeps it missing over a restart", async () => {
    await hub.stop();
    await open();
    assert.deepEqual(await client.names("/agents/fiel/mcp"), []);
    assert.equal((await client.get(`/mcp/tools/${tool.id}`)).body.missing, true);
  });

  it("brings it back with the same id, and its link works again", async () => {
    standIn.tools = [OTHER_TOOL, { ...SEED_TOOL, name: "vaivén" }];
    const back = (await refresh()).find(({ name }) => name === "vaivén");
    assert.equal(back.id, tool.id);
    assert.notEqual((await client.get(`/mcp/tools/${tool.id}`)).body.missing, true);
    assert.deepEqual(await client.names("/agents/fiel/mcp"), ["vaivén"]);
    assert.equal(await client.textOf("/agents/fiel/mcp", "vaivén", ARGS), "vaivén: mensaje del usuario");
  });

  it("that fails leaves the tools as they were", async () => {
    standIn.http = always(500);
    assert.equal((await client.post("/mcp/servers/cambiante/refresh")).status, 503);
    standIn.http = bare;
    assert.deepEqual(await client.names("/agents/fiel/mcp"), ["vaivén"]);
    assert.equal(await client.textOf("/agents/fiel/mcp", "vaivén", ARGS), "vaivén: mensaje del usuario");
  });

  it("is done with by forgetting the server: its links go with it", async () => {
    await client.done("DELETE", "/mcp/servers/cambiante");
    assert.deepEqual((await client.get("/agents/fiel/bindings")).body, []);
    assert.equal((await client.get(`/mcp/tools/${tool.id}`)).status, 404);
  });
});
