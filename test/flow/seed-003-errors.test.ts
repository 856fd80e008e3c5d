/**
 * Seed 003's "Gestion d'erreurs" as a test: each code of its two tables that can be brought about from outside, with the
 * HTTP status of the contract and the form that the document prints. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { type Answered, RegistryClient } from "../support/registry-client.ts";
import { bare, SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import {
  askUntil,
  assertBridged,
  assertBridgeError,
  assertCount,
  assertFigure,
  type Begun,
  BridgeClient,
  CALL,
  CALL_HOUSE,
  FRENCH,
  INITIALIZE,
  type OpenHome,
  openHome,
  toolCall,
  untilListed,
} from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const SLOW = toolCall(9, SEED_TOOL.name, { prompt: "hola" });

function assertRetryAfter({ headers, text }: Answered): void {
  assert.match(headers.get("retry-after") ?? "none", /^[1-9]\d*$/, text);
}

describe("Codes d'Erreur Standards", () => {
  let house: OpenHome;
  let client: BridgeClient;
  before(async () => {
    house = await openHome();
    client = await BridgeClient.open(house.http);
  });
  after(() => house?.stop());

  for (const [what, request, status, code, id] of [
    ["JSON invalide", '{"jsonrpc":"2.0",', 400, -32700, null],
    ["requête invalide: no method", '{"jsonrpc":"2.0","id":7}', 400, -32600, undefined],
    ["requête invalide: another version", '{"jsonrpc":"1.0","id":7,"method":"tools/call"}', 400, -32600, undefined],
    ["requête invalide: no object", "7", 400, -32600, undefined],
    ["méthode inconnue", '{"jsonrpc":"2.0","id":7,"method":"tools/lost","params":{}}', 404, -32601, 7],
    ["outil inconnu", toolCall(7, "no_such_tool", {}), 400, -32602, 7],
    ["paramètre manquant", toolCall(7, "call_service", { service: "turn_on" }), 400, -32602, 7],
    ["paramètre d'un autre type", toolCall(7, "get_entities", { domain: 7 }), 400, -32602, 7],
  ] as const) {
    it(`${what} is ${code} with HTTP ${status}`, async () => {
      assertBridgeError(await client.call(request), status, code, id);
    });
  }

  it("names the argument that is missing, and does not bother the house", async () => {
    const before = house.home.services.length;
    const answer = await client.call(toolCall(7, "call_service", { service: "turn_on" }));
    const { error } = assertBridgeError(answer, 400, -32602, 7);
    assert.match(error.message, /^Invalid params: missing required parameter 'domain'/);
    assert.equal(house.home.services.length, before);
  });

  it("names the tool that is unknown", async () => {
    for (const headers of [{}, FRENCH]) {
      const { error } = assertBridgeError(await client.call(toolCall(7, "no_such_tool", {}), headers), 400, -32602);
      assert.match(error.message, /no_such_tool/);
    }
  });

  it("is the same for a list", async () => {
    assertBridgeError(await client.post("/mcp/tools/list", "{"), 400, -32700);
    assertBridgeError(await client.post("/mcp/tools/list", '{"jsonrpc":"2.0","id":7}'), 400, -32600);
  });

  it("-32004 while Home Assistant is away, without its token", async () => {
    assertBridged(await client.call(CALL), 3);
    await house.stopHome();
    const away = await askUntil(
      "the call fails",
      () => client.call(CALL),
      ({ status }) => status === 503,
    );
    assertBridgeError(away, 503, -32004, 3);
    assert.ok(!away.text.includes(house.home.token));
    const light = toolCall(4, "call_service", { domain: "light", service: "turn_on", entity_id: "light.salon_lamp" });
    assertBridgeError(await client.call(light), 503, -32004, 4);
    assertBridged(await client.call(CALL_HOUSE), 1);
  });
});

describe("Codes d'Erreur Bridge", () => {
  const opened: SpawnedZaguan[] = [];
  after(() => Promise.all(opened.map((hub) => hub.stop())));

  async function openHub(config: object): Promise<RegistryClient> {
    const hub = await spawnZaguan({ config });
    opened.push(hub);
    return new RegistryClient(hub.url);
  }

  it("-32000: no session can be had, and how long to wait", async () => {
    const http = await openHub({ limits: { sessions: 1 } });
    const first = await BridgeClient.open(http);
    const refused = await http.post("/mcp/initialize", INITIALIZE);
    assert.deepEqual([refused.status, refused.body?.error?.code], [503, -32000], refused.text);
    assert.equal(refused.body.error.message, "No MCP sessions available");
    assertCount(refused.body.error.data.queue_size, "queue_size");
    assertFigure(refused.body.error.data.estimated_wait_ms, "estimated_wait_ms");
    assertRetryAfter(refused);
    assertBridged(await first.call(CALL_HOUSE), 1);
    await first.end();
    await BridgeClient.open(http);
  });

  it("-32001: the session is unknown, and what to do", async () => {
    const http = await openHub({});
    const nobody = new BridgeClient(http, "never-opened");
    const { error } = assertBridgeError(await nobody.call(CALL_HOUSE), 404, -32001, 1);
    assert.equal(error.data.session_id, "never-opened");
    assert.equal(error.data.suggestion, "Call /mcp/initialize to create a new session");
  });

  it("-32003: more calls than the limit allows", async () => {
    const client = await BridgeClient.open(await openHub({ limits: { callsPerMinute: 3 } }));
    const refused = await askUntil(
      "a call is refused",
      () => client.call(CALL_HOUSE),
      ({ status }) => status !== 200,
    );
    assertBridgeError(refused, 429, -32003, 1);
    assertRetryAfter(refused);
  });
});

describe("a source that is busy", () => {
  let slow: StandIn;
  let hub: SpawnedZaguan;
  let client: BridgeClient;
  const begun: Begun[] = [];
  before(async () => {
    slow = await StandIn.start({
      http: (told, server) => (told.method === "tools/call" ? undefined : bare(told, server)),
    });
    const entry = { url: slow.url, zaguan: { allowPrivate: true, concurrency: 1 } };
    hub = await spawnZaguan({ config: { mcpServers: { slow: entry }, limits: { queueLength: 1 } } });
    const http = new RegistryClient(hub.url);
    await untilListed(http, SEED_TOOL.name);
    client = await BridgeClient.open(http);
    begun.push(client.begin(SLOW));
    await askUntil(
      "one call is with the source",
      async () => slow.calls.length,
      (count) => count === 1,
    );
  });
  after(async () => {
    await Promise.all(begun.map((call) => call.leave()));
    await hub?.stop();
    await slow?.close();
  });

  it("-32002: waited too long in the queue, and never reached the source", async () => {
    assertBridgeError(await client.call(SLOW, { "x-timeout": "1" }), 504, -32002, 9);
    assert.equal(slow.calls.length, 1);
  });

  it("-32000: the queue is full, how many wait, and for how long", async () => {
    begun.push(client.begin(SLOW));
    const pending = async (): Promise<Message> => (await client.http.get("/mcp/status")).body.queue.pending;
    await askUntil("one call waits", pending, (count) => count === 1);
    const refused = await client.call(SLOW);
    const { error } = assertBridgeError(refused, 503, -32000, 9);
    assert.equal(error.data.queue_size, 1);
    assertFigure(error.data.estimated_wait_ms, "estimated_wait_ms");
    assertRetryAfter(refused);
    assert.equal(slow.calls.length, 1);
  });

  it("does not hold up the others", async () => {
    assertBridged(await client.call(CALL_HOUSE), 1);
  });
});

describe("paths", () => {
  let hub: SpawnedZaguan;
  before(async () => {
    hub = await spawnZaguan();
  });
  after(() => hub?.stop());

  it("that are for POST say so to others", async () => {
    const http = new RegistryClient(hub.url);
    const { status, headers } = await http.get("/mcp/initialize");
    assert.equal(status, 405);
    assert.match(headers.get("allow") ?? "", /POST/);
  });

  it("are closed to pages of a foreign origin", async () => {
    const http = new RegistryClient(hub.url, { origin: "https://evil.example" });
    for (const [method, path] of [
      ["POST", "/mcp/tools/list"],
      ["POST", "/mcp/tools/call"],
      ["DELETE", "/mcp/session"],
      ["GET", "/mcp/status"],
      ["GET", "/metrics"],
    ] as const) {
      const body = method === "POST" ? CALL_HOUSE : undefined;
      assert.equal((await http.send(method, path, body)).status, 403, path);
    }
  });
});
