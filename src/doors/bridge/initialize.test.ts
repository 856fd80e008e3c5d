/** `POST /mcp/initialize` and `DELETE /mcp/session` over a real socket. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { HELLO, infoOf, type OpenBridge, openBridge } from "../../../test/support/open-bridge.ts";
import { rpc } from "../../../test/support/open-doors.ts";
import { SUPPORTED_VERSIONS } from "../../protocol/mcp/versions.ts";
import { NAME, VERSION } from "../../version.ts";

const HOUR_MS = 3_600_000;
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list" };

let bridge: OpenBridge;
beforeEach(async () => {
  bridge = await openBridge({ limits: { sessions: 5 } });
});
afterEach(() => bridge.close());

describe("opening a session", () => {
  it("is answered field for field as in the seed", async () => {
    const { status, json, headers } = await bridge.initialize({ session_id: "custom-session-id" });
    const { expires_at, ...result } = json.result ?? {};
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "application/json");
    assert.deepEqual(Object.keys(json), ["jsonrpc", "id", "result", "bridge_info"]);
    assert.deepEqual([json["jsonrpc"], json["id"]], ["2.0", 1]);
    assert.deepEqual(result, {
      protocolVersion: "2024-11-05",
      capabilities: { tools: {}, resources: {}, prompts: {} },
      serverInfo: { name: NAME, version: VERSION },
      session_id: "custom-session-id",
    });
    assert.match(String(expires_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const ahead = Date.parse(String(expires_at)) - Date.now();
    assert.ok(ahead > HOUR_MS - 30_000 && ahead <= HOUR_MS + 1_000, String(ahead));
    assert.deepEqual(json["bridge_info"], { queue_position: 0, estimated_wait_ms: 0 });
  });

  it("tells how busy the hub is", async () => {
    bridge.queue = { ...bridge.queue, pending: 12, estimatedWaitMs: 340.4 };
    assert.deepEqual(infoOf(await bridge.initialize()), { queue_position: 12, estimated_wait_ms: 340 });
  });

  it("takes a JSON-RPC request too, and echoes its id", async () => {
    const message = { jsonrpc: "2.0", id: "a-1", method: "initialize", params: { ...HELLO, session_id: "mine" } };
    const { json } = await bridge.post("/mcp/initialize", message);
    assert.deepEqual([json["id"], json.result?.["session_id"]], ["a-1", "mine"]);
  });

  it("accepts every revision, and refuses others by naming them", async () => {
    for (const protocolVersion of SUPPORTED_VERSIONS) {
      const { json } = await bridge.initialize({ protocolVersion, session_id: "mine" });
      assert.equal(json.result?.["protocolVersion"], protocolVersion);
    }
    const { status, json } = await bridge.initialize({ protocolVersion: "1999-01-01", id: 4 });
    assert.deepEqual([status, json["id"], json.error?.code], [400, 4, -32602]);
    assert.equal(json.error?.message, "Invalid protocol version");
    assert.deepEqual(json.error?.data["supported_versions"], SUPPORTED_VERSIONS);
  });

  it("keeps the client's name with the session", async () => {
    await bridge.initialize({}, { "x-client-id": "optionnel-client-identifier" });
    assert.equal((await bridge.store.sessions.list(5))[0]?.clientId, "optionnel-client-identifier");
  });

  it("renews the caller's own, and says no more than that another's is not available", async () => {
    await bridge.initialize({ session_id: "mine" });
    assert.equal((await bridge.initialize({ session_id: "mine" })).status, 200);
    const { status, json, text } = await bridge.initialize({ session_id: "mine" }, { "x-api-key": "alice" });
    assert.deepEqual([status, json.error?.code], [400, -32602]);
    assert.match(json.error?.message ?? "", /not available/);
    assert.doesNotMatch(text, /mine|local|taken/);
  });

  it("is refused when all are taken, with the time of the next try", async () => {
    bridge.queue = { ...bridge.queue, pending: 3 };
    for (let made = 0; made < 4; made++) await bridge.session();
    const { status, json, headers } = await bridge.initialize();
    assert.deepEqual([status, json.error?.code, json.error?.message], [503, -32000, "No MCP sessions available"]);
    assert.equal(json.error?.data["queue_size"], 3);
    const waitMs = Number(json.error?.data["estimated_wait_ms"]);
    assert.ok(waitMs > HOUR_MS - 60_000 && waitMs <= HOUR_MS + 1_000, String(waitMs));
    assert.equal(headers["retry-after"], String(Math.ceil(waitMs / 1_000)));
    await bridge.session({ "x-api-key": "alice" });
  });

  for (const [what, body, status, code] of [
    ["no JSON", "{", 400, -32700],
    ["no object", "[]", 400, -32600],
    ["a session_id of another form", JSON.stringify({ ...HELLO, session_id: "a/b" }), 400, -32602],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { status: seen, json } = await bridge.ask("/mcp/initialize", rpc(body));
      assert.deepEqual([seen, json.error?.code], [status, code]);
      assert.match(String(infoOf({ json } as never)["request_id"]), /^req-/);
    });
  }

  it("speaks the caller's language", async () => {
    const said = async (language: string): Promise<string | undefined> =>
      (await bridge.initialize({ protocolVersion: "x" }, { "accept-language": language })).json.error?.message;
    assert.equal(await said("fr"), "Version de protocole invalide");
    assert.equal(await said("es"), "Versión de protocolo no válida");
    assert.equal(await said("zh"), "协议版本无效");
  });
});

describe("ending a session", () => {
  const end = (headers: Record<string, string>) => bridge.ask("/mcp/session", { method: "DELETE", headers });

  it("is 204, and then it is unknown", async () => {
    const session = await bridge.session();
    const { status, text } = await end(session);
    assert.deepEqual([status, text], [204, ""]);
    assert.deepEqual(await bridge.store.sessions.list(5), []);
    for (const again of [await end(session), await bridge.post("/mcp/tools/list", LIST, session)]) {
      assert.deepEqual([again.status, again.json.error?.code], [404, -32001]);
    }
  });

  it("is nobody else's to do", async () => {
    const session = await bridge.session();
    assert.equal((await end({ ...session, "x-api-key": "alice" })).status, 404);
    assert.equal((await end(session)).status, 204);
  });

  it("needs the header", async () => {
    const { status, json } = await end({});
    assert.deepEqual([status, json.error?.code], [400, -32600]);
    assert.match(json.error?.message ?? "", /X-Session-ID.*\/mcp\/initialize/);
  });
});
