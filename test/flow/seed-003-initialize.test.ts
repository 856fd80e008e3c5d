/**
 * Seed 003 §1 as a test, at a real hub: `POST /mcp/initialize` with the body that the document prints. Written from the
 * documents alone. What becomes of a session afterwards is in `seed-003-sessions.test.ts`.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Answered, RegistryClient } from "../support/registry-client.ts";
import { assertBridged, BridgeClient, CALL_HOUSE, INITIALIZE, timeIn } from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const HOUR_MS = 3_600_000;
/** A time may be written in whole seconds. */
const ROUNDING_MS = 1_000;
const HANDSHAKE_REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

let hub: SpawnedZaguan;
let http: RegistryClient;
before(async () => {
  hub = await spawnZaguan();
  http = new RegistryClient(hub.url);
});
after(() => hub?.stop());

function initialize(more: object = {}, headers: Record<string, string> = {}): Promise<Answered> {
  return http.post("/mcp/initialize", { ...INITIALIZE, ...more }, headers);
}

describe("1. Initialisation de Session: POST /mcp/initialize", () => {
  it("answers the printed request with every printed field", async () => {
    const headers = { "x-client-id": "optionnel-client-identifier" };
    const answer = await initialize({ session_id: "custom-session-id" }, headers);
    const { result, bridge_info } = assertBridged(answer, 1);
    assert.equal(result.protocolVersion, "2024-11-05");
    for (const kind of ["tools", "resources", "prompts"])
      assert.equal(typeof result.capabilities[kind], "object", kind);
    for (const field of ["name", "version"]) assert.match(result.serverInfo[field], /./);
    assert.equal(result.session_id, "custom-session-id");
    assert.deepEqual([bridge_info.queue_position, bridge_info.estimated_wait_ms], [0, 0], "nobody else is here");
  });

  it("ends the session one hour ahead", async () => {
    const earliest = Date.now() + HOUR_MS - ROUNDING_MS;
    const { result } = assertBridged(await initialize(), 1);
    const expires = timeIn(result.expires_at);
    assert.ok(expires >= earliest && expires <= Date.now() + HOUR_MS + ROUNDING_MS, result.expires_at);
  });

  it("makes an id that nobody guesses where none is chosen", async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => assertBridged(await initialize(), 1).result.session_id as string),
    );
    assert.equal(new Set(ids).size, 3);
    for (const id of ids) assert.ok(id.length >= 16, id);
  });

  it("opens a session that can be used at once", async () => {
    const { result } = assertBridged(await initialize(), 1);
    const client = new BridgeClient(http, result.session_id);
    assertBridged(await client.list(), 2);
    assertBridged(await client.call(CALL_HOUSE), 1);
  });

  it("takes what the printed Python client sends: no capabilities, a short version, no session_id", async () => {
    const body = { ...INITIALIZE, capabilities: {}, clientInfo: { name: "python-client", version: "1.0" } };
    const { result } = assertBridged(await http.post("/mcp/initialize", body), 1);
    assert.match(result.session_id, /./);
  });
});

describe("protocol versions", () => {
  for (const protocolVersion of HANDSHAKE_REVISIONS) {
    it(`accepts ${protocolVersion}, and answers with it`, async () => {
      const { result } = assertBridged(await initialize({ protocolVersion }), 1);
      assert.equal(result.protocolVersion, protocolVersion);
    });
  }

  for (const protocolVersion of ["1999-01-01", "2.0", ""]) {
    it(`refuses ${JSON.stringify(protocolVersion)}, and names those that are supported`, async () => {
      const { status, text, body } = await initialize({ protocolVersion });
      assert.deepEqual([status, body?.error?.code], [400, -32602], text);
      assert.equal(body.error.message, "Invalid protocol version");
      const supported = body.error.data.supported_versions as string[];
      for (const version of HANDSHAKE_REVISIONS) assert.ok(supported.includes(version), text);
    });
  }

  it("names only versions that it accepts", async () => {
    const { body } = await initialize({ protocolVersion: "1999-01-01" });
    for (const protocolVersion of body.error.data.supported_versions) {
      const { result } = assertBridged(await initialize({ protocolVersion }), 1);
      assert.equal(result.protocolVersion, protocolVersion);
    }
  });
});

describe("what is no initialization", () => {
  it("is refused without a session", async () => {
    for (const [request, status, code] of [
      ['{"protocolVersion":', 400, -32700],
      ["[]", 400, -32600],
      ['"2024-11-05"', 400, -32600],
    ] as const) {
      const { status: got, text, body } = await http.post("/mcp/initialize", request);
      assert.deepEqual([got, body?.error?.code], [status, code], text);
      assert.doesNotMatch(text, /session_id/);
    }
  });

  it("is refused to a page of a foreign origin", async () => {
    assert.equal((await initialize({}, { origin: "https://evil.example" })).status, 403);
  });
});
