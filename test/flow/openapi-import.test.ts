/** An OpenAPI document at a running hub: imported from its address, called, refreshed under its links, and still there later. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { DocumentSite, documentOf } from "../support/document-site.ts";
import type { Message } from "../support/line-rpc.ts";
import { until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const SECRET = "llave-de-mascotas";
const BARE = { devices: { house: false }, limits: { listWaitSeconds: 1 } };
const folder = mkdtempSync(join(tmpdir(), "zaguan-openapi-"));
let site: DocumentSite;
let hub: SpawnedZaguan;
let client: RegistryClient;

async function start(config: object = BARE): Promise<void> {
  hub = await spawnZaguan({ folder, config, args: ["--allow-private"] });
  client = new RegistryClient(hub.url);
}

before(async () => {
  site = await DocumentSite.start();
  site.document = documentOf({ listPets: "GET /pets", getPet: "GET /pets/{id}", removePet: "DELETE /pets/{id}" });
  await start();
});
after(async () => {
  await hub?.stop();
  await site?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The hub follows its file in its own time. */
function untilListed(names: string): Promise<void> {
  return until(`${names} are listed`, async () => (await client.names("/mcp")).join() === names);
}

async function toolId(name: string): Promise<string> {
  const tools: Message[] = (await client.get("/mcp/tools?serverId=pets")).body;
  return tools.find((tool) => tool.name === name)?.id ?? assert.fail(name);
}

describe("an OpenAPI document", () => {
  let agent: Message;

  it("is imported from its address, and its operations are tools at every door", async () => {
    const auth = { key: { type: "apiKey", in: "header", name: "X-Key", value: SECRET } };
    const made = await client.done("POST", "/admin/apis", { url: `${site.url}/openapi.json`, auth });
    assert.deepEqual([made.name, made.tools, made.baseUrl], ["pets", 3, site.url]);
    assert.deepEqual(await client.names("/mcp"), ["listPets", "getPet", "removePet"]);
    const server = (await client.get("/mcp/servers/pets")).body;
    assert.deepEqual([server.origin, server.tools, server.id], ["api", 3, made.id]);
  });

  it("is called with its credentials, which nobody is told", async () => {
    const { status, text } = await client.rpc("/mcp", "tools/call", { name: "getPet", arguments: { id: "a/b" } });
    assert.equal(status, 200, text);
    const { method, target, headers } = site.asked.at(-1) ?? assert.fail();
    assert.deepEqual([method, target, headers["x-key"]], ["GET", "/pets/a%2Fb", SECRET]);
    for (const path of ["/admin/apis", "/admin/apis/pets", "/mcp/servers/pets", "/mcp/tools", "/openapi/tools.json"]) {
      assert.ok(!(await client.get(path)).text.includes(SECRET), path);
    }
  });

  it("is refreshed: what changed is told, ids and links stay, and what is gone is gone", async () => {
    agent = await client.done("POST", "/agents", { name: "vet" });
    await client.done("POST", `/agents/${agent.id}/bindings`, { toolId: await toolId("getPet") });
    const before = await toolId("getPet");
    site.document = documentOf({ getPet: "GET /animals/{id}", addPet: "POST /pets" });
    const look = await client.done("POST", "/admin/apis/pets/refresh", { dryRun: true });
    const expected = {
      added: ["addPet"],
      removed: ["listPets", "removePet"],
      changed: [{ name: "getPet", members: ["description", "path"] }],
    };
    assert.deepEqual(look.changes, expected);
    assert.equal((await client.names("/mcp")).length, 3, "a look changes nothing");
    const done = await client.done("POST", "/admin/apis/pets/refresh", {});
    assert.deepEqual([done.changes, done.api.tools], [expected, 2]);
    assert.deepEqual(await client.names("/mcp"), ["getPet", "addPet"]);
    assert.equal(await toolId("getPet"), before);
    assert.deepEqual(await client.names("/agents/vet/mcp"), ["getPet"]);
    await client.rpc("/agents/vet/mcp", "tools/call", { name: "getPet", arguments: { id: "7" } });
    assert.equal(site.asked.at(-1)?.target, "/animals/7");
  });

  it("is there after a restart, with its credentials and its links, and nothing was asked for it", async () => {
    await hub.stop();
    const asked = site.asked.length;
    await start();
    assert.deepEqual(await client.names("/agents/vet/mcp"), ["getPet"]);
    assert.equal(site.asked.length, asked);
    await client.rpc("/mcp", "tools/call", { name: "getPet", arguments: { id: "8" } });
    assert.equal(site.asked.at(-1)?.headers["x-key"], SECRET);
  });

  it("waits while the configuration file has its name, and comes back with it", async () => {
    const file = join(folder, "zaguan.json");
    const own = { baseUrl: site.url, tools: [{ name: "own", description: "d", path: "/own" }] };
    writeFileSync(file, JSON.stringify({ ...BARE, apiTools: { pets: own } }));
    await untilListed("own");
    await client.rpc("/mcp", "tools/call", { name: "own", arguments: {} });
    assert.deepEqual([site.asked.at(-1)?.target, site.asked.at(-1)?.headers["x-key"]], ["/own", undefined]);
    writeFileSync(file, JSON.stringify(BARE));
    await untilListed("getPet,addPet");
  });

  it("is removed with its tools and links", async () => {
    assert.equal((await client.delete("/admin/apis/pets")).status, 204);
    assert.deepEqual(await client.names("/mcp"), []);
    assert.deepEqual((await client.get(`/agents/${agent.id}/bindings`)).body, []);
    assert.equal((await client.get("/mcp/servers/pets")).status, 404);
  });
});

describe("an OpenAPI document in the configuration file", () => {
  it("is read with the first use; what is wrong with it is told, and the hub runs all the same", async () => {
    await hub.stop();
    site.document = documentOf({ listPets: "GET /pets" });
    writeFileSync(join(folder, "broken.yaml"), "openapi: 4.0.0\n");
    await start({
      ...BARE,
      apiTools: {
        mascotas: { openapi: `${site.url}/openapi.json`, auth: { type: "bearer", token: SECRET } },
        rota: { openapi: "./broken.yaml", baseUrl: "https://api.example.org" },
      },
    });
    await untilListed("listPets");
    await client.rpc("/mcp", "tools/call", { name: "listPets", arguments: {} });
    assert.equal(site.asked.at(-1)?.headers.authorization, `Bearer ${SECRET}`);
    const lastError = async (): Promise<string> => String((await client.get("/mcp/servers/rota")).body.lastError);
    await until("what is wrong is told", async () => /version 4\.0\.0 is not read/.test(await lastError()));
  });
});
