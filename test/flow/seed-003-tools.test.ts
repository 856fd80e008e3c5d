/**
 * Seed 003 §2 as a test: `POST /mcp/tools/list` in front of a simulated Home Assistant and nothing else, so that there are
 * the eight tools of the document. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import {
  assertBridged,
  assertBridgeError,
  BridgeClient,
  FRENCH,
  LIST,
  type OpenHome,
  openHome,
  timeIn,
} from "../support/seed-003.ts";

/** As printed. */
const GET_ENTITIES = {
  name: "get_entities",
  description: "Récupère la liste de toutes les entités Home Assistant avec leurs états",
  properties: {
    domain: { type: "string", description: "Filtrer par domaine (optionnel): light, switch, sensor, etc." },
  },
  required: [],
};

/** As printed. */
const CALL_SERVICE = {
  name: "call_service",
  description: "Appelle un service Home Assistant pour contrôler des appareils",
  properties: {
    domain: { type: "string", description: "Domaine du service" },
    service: { type: "string", description: "Service à appeler" },
    entity_id: { type: "string", description: "ID de l'entité cible" },
    data: { type: "object", description: "Données additionnelles" },
  },
  required: ["domain", "service"],
};

const READ_ONLY = ["get_entities", "get_entity_state", "get_history", "get_services", "list_automations"];
const WRITING = ["call_service", "create_automation", "toggle_automation"];

let house: OpenHome;
let client: BridgeClient;
before(async () => {
  house = await openHome({ config: { devices: { house: false } } });
  client = await BridgeClient.open(house.http);
});
after(() => house?.stop());

async function tools(headers: Record<string, string> = {}): Promise<Message[]> {
  return assertBridged(await client.list(headers), 2).result.tools;
}

describe("2. Liste des Outils: POST /mcp/tools/list", () => {
  it("answers the printed request with the eight tools, and says how many", async () => {
    const { result, bridge_info } = assertBridged(await client.list({ "x-cache-control": "max-age=3600" }), 2);
    const names = result.tools.map(({ name }: Message) => name);
    assert.deepEqual(names.sort(), [...READ_ONLY, ...WRITING].sort());
    assert.equal(bridge_info.total_tools, 8);
    assert.equal(typeof bridge_info.cached, "boolean");
  });

  for (const printed of [GET_ENTITIES, CALL_SERVICE]) {
    it(`lists ${printed.name} as printed, to one who reads French`, async () => {
      const tool = (await tools(FRENCH)).find(({ name }) => name === printed.name);
      assert.equal(tool.description, printed.description);
      assert.equal(tool.inputSchema.type, "object");
      // More may be asked for, if nobody has to.
      const names = Object.keys(printed.properties);
      const properties = Object.entries(tool.inputSchema.properties).slice(0, names.length);
      assert.deepEqual(properties, Object.entries(printed.properties));
      assert.deepEqual(tool.inputSchema.required ?? [], printed.required);
    });
  }

  it("describes every tool in each of the four languages", async () => {
    const texts = new Map<string, Set<string>>();
    for (const language of ["en", "es", "fr", "zh"]) {
      for (const { name, description } of await tools({ "accept-language": language })) {
        assert.match(description, /\S/);
        texts.set(name, (texts.get(name) ?? new Set()).add(description));
      }
    }
    for (const [name, spoken] of texts) assert.equal(spoken.size, 4, `${name}: ${[...spoken].join(" / ")}`);
  });

  it("marks as read-only what changes nothing, and nothing else", async () => {
    const readOnly = (await tools()).filter(({ annotations }) => annotations?.readOnlyHint === true);
    assert.deepEqual(readOnly.map(({ name }) => name).sort(), [...READ_ONLY].sort());
  });

  it("asks for the arguments that the server's own table marks", async () => {
    const required = Object.fromEntries(
      (await tools()).map(({ name, inputSchema }) => [name, [...(inputSchema.required ?? [])].sort()]),
    );
    assert.deepEqual(required, {
      get_entities: [],
      get_entity_state: ["entity_id"],
      call_service: ["domain", "service"],
      get_history: ["entity_id"],
      get_services: [],
      create_automation: ["action", "alias", "trigger"],
      list_automations: [],
      toggle_automation: ["automation_id"],
    });
  });

  it("echoes the id as it came", async () => {
    for (const id of [0, "", "req-12345", 9_007_199_254_740_991, -1]) {
      assertBridged(await client.post("/mcp/tools/list", { ...LIST, id }), id);
    }
  });

  it("takes params that are absent or null", async () => {
    const { params: _, ...bare } = LIST;
    assertBridged(await client.post("/mcp/tools/list", bare), 2);
    assertBridged(await client.post("/mcp/tools/list", { ...LIST, params: null }), 2);
  });
});

describe("X-Cache-Control", () => {
  it("max-age: a list that was asked for before comes from the cache, and its end is told", async () => {
    const headers = { "x-cache-control": "max-age=3600" };
    assertBridged(await client.list(headers), 2);
    const { result, bridge_info } = assertBridged(await client.list(headers), 2);
    assert.equal(bridge_info.cached, true);
    assert.ok(timeIn(bridge_info.cache_expires) > Date.now() - 1_000, bridge_info.cache_expires);
    assert.deepEqual([result.tools.length, bridge_info.total_tools], [8, 8]);
  });

  it("no-cache: it is made anew", async () => {
    const { result, bridge_info } = assertBridged(await client.list({ "x-cache-control": "no-cache" }), 2);
    assert.equal(bridge_info.cached, false);
    assert.deepEqual([result.tools.length, bridge_info.total_tools], [8, 8]);
  });

  it("does not give one language's list to another", async () => {
    const headers = { "x-cache-control": "max-age=3600" };
    await client.list({ ...headers, ...FRENCH });
    const { result } = assertBridged(await client.list({ ...headers, "accept-language": "en" }), 2);
    assert.notEqual(
      result.tools.find(({ name }: Message) => name === "get_entities").description,
      GET_ENTITIES.description,
    );
  });
});

describe("X-Session-ID", () => {
  it("is needed for a list, and the answer says so", async () => {
    const { status, text, body } = await house.http.post("/mcp/tools/list", LIST);
    assert.ok(status === 400 || status === 404, text);
    assert.ok([-32600, -32602, -32001].includes(body?.error?.code), text);
    assert.match(text, /X-Session-ID|\/mcp\/initialize/i);
    assert.equal("result" in body, false);
  });

  it("must be one that was opened", async () => {
    const nobody = new BridgeClient(new RegistryClient(house.hub.url), "never-opened");
    const { error } = assertBridgeError(await nobody.list(), 404, -32001, 2);
    assert.equal(error.data.session_id, "never-opened");
    assert.equal(error.data.suggestion, "Call /mcp/initialize to create a new session");
  });
});
