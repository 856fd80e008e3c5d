/**
 * Seed 001 §5: every endpoint of the registry over real sockets, in the forms of the real system where its document is
 * silent. A name stands for an id wherever one is asked for.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { fieldsIn, RegistryClient } from "../support/registry-client.ts";
import { SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const SPANISH = { "accept-language": "es" };

let hub: SpawnedZaguan;
let standIn: StandIn;
let client: RegistryClient;
before(async () => {
  standIn = await StandIn.start({ tools: [SEED_TOOL, { ...SEED_TOOL, name: "segunda", description: "otra cosa" }] });
  hub = await spawnZaguan();
  client = new RegistryClient(hub.url);
});
after(async () => {
  await hub.stop();
  await standIn.close();
});

describe("POST /mcp/servers", () => {
  let made: Message;

  it("answers 201 with the server and where it is; it says nothing of credentials", async () => {
    const body = { name: "uno", baseUrl: standIn.url, authType: "none", credentials: null };
    const { status, headers, body: server } = await client.post("/mcp/servers", body);
    assert.equal(status, 201);
    made = server;
    assert.equal(headers.get("location"), `/mcp/servers/${made.id}`);
    assert.deepEqual([made.name, made.status, made.baseUrl], ["uno", "active", standIn.url]);
    for (const field of ["id", "transport", "lastSeenUtc"]) assert.ok(field in made, field);
    assert.ok(!("credentials" in made) && !("headers" in made));
  });

  it("is followed by GET at that place, by id and by name", async () => {
    for (const key of [made.id, "uno"]) {
      const { status, body } = await client.get(`/mcp/servers/${key}`);
      assert.deepEqual([status, body.id, body.name], [200, made.id, "uno"]);
      assert.match(body.updatedUtc, UTC);
    }
    assert.equal((await client.get("/mcp/servers/nadie")).status, 404);
  });
});

describe("GET /mcp/kinds", () => {
  it("tells of each kind of server once how it is shown, in the language asked for", async () => {
    const { status, body } = await client.get("/mcp/kinds", SPANISH);
    assert.equal(status, 200);
    const kinds = body as unknown as { kind: string; title: string; icon: string }[];
    assert.deepEqual(
      kinds.map(({ kind, title }) => [kind, title]),
      [
        ["house", "casa simulada"],
        ["http", "servidor remoto"],
      ],
    );
    for (const { icon } of kinds) assert.match(icon, /^M[\d .a-zA-Z-]+$/);
  });
});

describe("GET /mcp/servers", () => {
  it("lists them all, the house too", async () => {
    const { status, body } = await client.get("/mcp/servers");
    assert.equal(status, 200);
    assert.deepEqual(namesOf(body), ["house", "uno"]);
  });

  it("shows pages, and searches", async () => {
    const page = await client.get("/mcp/servers?offset=1&limit=1");
    assert.deepEqual(namesOf(page.body), ["uno"]);
    assert.equal(page.headers.get("x-total-count"), "2");
    assert.deepEqual(namesOf((await client.get("/mcp/servers?search=UN")).body), ["uno"]);
    assert.deepEqual((await client.get("/mcp/servers?search=nada")).body, []);
  });

  it("refuses a page that cannot be", async () => {
    for (const query of ["limit=0", "limit=x", "offset=-1"]) {
      const answer = await client.get(`/mcp/servers?${query}`);
      assert.equal(answer.status, 400, query);
      assert.deepEqual(fieldsIn(answer), [query.split("=")[0]]);
    }
  });
});

describe("POST /mcp/servers/{id}/discover", () => {
  it("finds the tools and gives them with their ids; by name it is the same", async () => {
    const { status, body } = await client.post("/mcp/servers/uno/discover");
    assert.equal(status, 200);
    assert.deepEqual(namesOf(body.tools), ["nombre-herramienta", "segunda"]);
    const [tool] = body.tools;
    assert.deepEqual([tool.description, tool.scope], ["descripción", "global"]);
    assert.deepEqual(JSON.parse(tool.inputSchemaJson), SEED_TOOL.inputSchema);
    assert.deepEqual(tool.inputSchema, SEED_TOOL.inputSchema);
    const { id } = (await client.get("/mcp/servers/uno")).body;
    const again = await client.post(`/mcp/servers/${id}/discover`, {});
    assert.deepEqual(idsOf(again.body.tools), idsOf(body.tools));
  });

  it("leaves when the server was seen last, and by which transport", async () => {
    const { lastSeenUtc, transport, status } = (await client.get("/mcp/servers/uno")).body;
    assert.match(lastSeenUtc, UTC);
    assert.ok(transport, "a transport is remembered");
    assert.equal(status, "active");
  });

  it("has no answer but 404 for a server that is not there", async () => {
    for (const verb of ["discover", "refresh"]) {
      assert.equal((await client.post(`/mcp/servers/nadie/${verb}`)).status, 404);
    }
    assert.equal((await client.get("/mcp/servers/nadie/discovery")).status, 404);
  });
});

describe("POST /mcp/servers/{id}/refresh", () => {
  it("says so in the real system's words, and gives the tools inside", async () => {
    const { status, body } = await client.post("/mcp/servers/uno/refresh", undefined, SPANISH);
    assert.equal(status, 200);
    assert.equal(body.message, "Herramientas refrescadas exitosamente");
    assert.deepEqual(namesOf(body.tools.tools), ["nombre-herramienta", "segunda"]);
  });
});

describe("GET /mcp/tools?serverId=", () => {
  it("lists one server's tools, by id and by name", async () => {
    const { id } = (await client.get("/mcp/servers/uno")).body;
    const byId = await client.get(`/mcp/tools?serverId=${id}`);
    assert.equal(byId.status, 200);
    assert.deepEqual(namesOf(byId.body), ["nombre-herramienta", "segunda"]);
    assert.ok(byId.body.every((tool: Message) => tool.serverId === id && tool.serverName === "uno"));
    assert.deepEqual((await client.get("/mcp/tools?serverId=uno")).body, byId.body);
  });

  it("is a bad request without it, and 404 for one that is not there", async () => {
    for (const path of ["/mcp/tools", "/mcp/tools?serverId="]) {
      const answer = await client.get(path);
      assert.equal(answer.status, 400);
      assert.match(answer.text, /serverId/);
    }
    assert.equal((await client.get("/mcp/tools?serverId=nadie")).status, 404);
  });
});

describe("GET /mcp/tools/all", () => {
  it("lists every tool of every server, each with the fields of the contract", async () => {
    const { status, body } = await client.get("/mcp/tools/all");
    assert.equal(status, 200);
    assert.equal(body.length, 8);
    for (const tool of body) {
      assert.equal(typeof tool.inputSchemaJson, "string");
      assert.deepEqual(JSON.parse(tool.inputSchemaJson), tool.inputSchema);
      for (const field of ["id", "name", "description", "serverId", "serverName"]) assert.ok(tool[field], field);
      assert.equal(tool.scope, "global");
    }
    assert.equal(new Set(idsOf(body)).size, 8);
  });

  it("searches names and descriptions, and shows pages", async () => {
    assert.deepEqual(namesOf((await client.get("/mcp/tools/all?search=SEGUNDA")).body), ["segunda"]);
    assert.deepEqual(namesOf((await client.get("/mcp/tools/all?search=otra%20cosa")).body), ["segunda"]);
    const page = await client.get("/mcp/tools/all?offset=6&limit=1");
    assert.deepEqual(namesOf(page.body), ["nombre-herramienta"]);
    assert.equal(page.headers.get("x-total-count"), "8");
    assert.match(page.headers.get("link") ?? "", /rel="?next"?/);
  });

  it("has an ETag that changes with the list", async () => {
    const etag = (await client.get("/mcp/tools/all")).headers.get("etag") ?? "";
    assert.ok(etag);
    const unchanged = await client.get("/mcp/tools/all", { "if-none-match": etag });
    assert.deepEqual([unchanged.status, unchanged.text], [304, ""]);
    await client.found("dos", standIn.url);
    assert.equal((await client.get("/mcp/tools/all", { "if-none-match": etag })).status, 200);
  });
});

describe("PATCH and DELETE /mcp/servers/{id}", () => {
  it("give another name and keep the tools' ids", async () => {
    const before = (await client.get("/mcp/tools?serverId=dos")).body;
    const { status, body } = await client.patch("/mcp/servers/dos", { name: "tres" });
    assert.deepEqual([status, body.name], [200, "tres"]);
    assert.equal((await client.get("/mcp/servers/dos")).status, 404);
    const renamed = (await client.get("/mcp/tools?serverId=tres")).body;
    assert.deepEqual(idsOf(renamed), idsOf(before));
    assert.ok(renamed.every((tool: Message) => tool.serverName === "tres"));
    assert.equal(await client.textOf("/mcp", "tres__segunda", { prompt: "x" }), "segunda: x");
  });

  it("forget the server and its tools, everywhere", async () => {
    assert.equal((await client.delete("/mcp/servers/tres")).status, 204);
    assert.equal((await client.get("/mcp/servers/tres")).status, 404);
    assert.equal((await client.get("/mcp/tools?serverId=tres")).status, 404);
    assert.equal((await client.get("/mcp/tools/all")).body.length, 8);
    assert.equal((await client.call("/mcp", "tres__segunda", { prompt: "x" })).body.error.code, -32602);
    assert.equal((await client.rpc("/servers/tres/mcp", "tools/list")).status, 404);
    assert.equal((await client.delete("/mcp/servers/tres")).status, 404);
  });
});

describe("a name that is the id of another", () => {
  it("hides nothing: the id is meant", async () => {
    const { id } = (await client.get("/mcp/servers/uno")).body;
    await client.post("/mcp/servers", { name: id, baseUrl: standIn.url });
    assert.equal((await client.get(`/mcp/servers/${id}`)).body.name, "uno");
    const agent = await client.agent("Ana");
    await client.post("/agents", { name: agent.id });
    assert.equal((await client.get(`/agents/${agent.id}`)).body.name, "Ana");
  });
});

describe("GET /openapi.json and /docs", () => {
  it("describe all of it", async () => {
    const { paths } = (await client.get("/openapi.json")).body;
    const described = ["/mcp/servers", "/mcp/servers/{id}/discover", "/mcp/servers/{id}/refresh", "/mcp/tools"];
    for (const path of [...described, "/mcp/tools/all", "/agents", "/agents/{id}/bindings"])
      assert.ok(paths[path], path);
    const page = await client.get("/docs");
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
  });
});

function namesOf(things: readonly { name: string }[]): string[] {
  return things.map(({ name }) => name);
}

function idsOf(things: readonly { id: string }[]): string[] {
  return things.map(({ id }) => id);
}
