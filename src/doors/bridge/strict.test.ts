/** What the bridge's paths are without `X-Session-ID`: seed 004's strict JSON-RPC. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type OpenBridge, openBridge } from "../../../test/support/open-bridge.ts";
import { rpc } from "../../../test/support/open-doors.ts";
import { ZaguanError } from "../../errors.ts";
import { Payload } from "../../protocol/json/payload.ts";

let bridge: OpenBridge;
beforeEach(async () => {
  bridge = await openBridge();
});
afterEach(() => bridge.close());

describe("POST /mcp/tools/call without a session", () => {
  for (const id of ["1", "0", '""', '"internal-go-1"', "1.50", "12345678901234567890"]) {
    it(`answers with jsonrpc, id ${id} as it was written, result, and nothing else`, async () => {
      const result = '{ "content":[ ], "n":1.0 }';
      bridge.gateway.answer = async () => Payload.ofText(result);
      const body = `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"lamp"},"id":${id}}`;
      const { status, text, headers } = await bridge.ask("/mcp/tools/call", rpc(body));
      assert.deepEqual([status, text], [200, `{"jsonrpc":"2.0","id":${id},"result":${result}}`]);
      assert.equal(headers["x-request-id"], undefined);
    });
  }

  it("needs no method, and refuses another", async () => {
    const params = { name: "lamp" };
    assert.equal((await bridge.post("/mcp/tools/call", { jsonrpc: "2.0", id: 1, params })).status, 200);
    const other = await bridge.post("/mcp/tools/call", { jsonrpc: "2.0", id: 1, method: "tools/list", params });
    assert.deepEqual([other.status, other.json.error?.code], [400, -32600]);
    assert.match(other.json.error?.message ?? "", /'tools\/list'.*'tools\/call'/);
    const none = await bridge.post("/mcp/tools/call", { jsonrpc: "2.0", id: 1, method: "tools/lost", params });
    assert.deepEqual([none.status, none.json.error?.code], [404, -32601]);
  });

  it("fails with jsonrpc, id and error, and nothing else", async () => {
    const reason = "missing required parameter 'q'";
    bridge.gateway.answer = () => Promise.reject(new ZaguanError("INVALID_ARGUMENT", { params: { reason } }));
    for (const [body, status, code, id] of [
      ['{"jsonrpc":"2.0","id":"e","params":{"name":"lamp"}}', 400, -32602, "e"],
      ['{"jsonrpc":"2.0","id":"e","params":{}}', 400, -32602, "e"],
      ["{", 400, -32700, null],
      ["[]", 400, -32600, null],
    ] as const) {
      const { status: seen, json } = await bridge.ask("/mcp/tools/call", rpc(body));
      assert.deepEqual(Object.keys(json), ["jsonrpc", "id", "error"]);
      assert.deepEqual([seen, json.error?.code, json["id"]], [status, code, id]);
    }
    const { json } = await bridge.post("/mcp/tools/call", { jsonrpc: "2.0", id: 1, params: { name: "lamp" } });
    assert.equal(json.error?.message, "Invalid params: missing required parameter 'q'");
  });

  it("does so before the door is reached, too", async () => {
    const { status, json } = await bridge.ask("/mcp/tools/call", { method: "POST", body: "{}" });
    assert.deepEqual([status, Object.keys(json)], [415, ["jsonrpc", "id", "error"]]);
  });

  it("leaves the bridge's headers aside", async () => {
    const headers = { "x-priority": "HIGH", "x-timeout": "5", "x-cache-control": "no-cache" };
    await bridge.post("/mcp/tools/call", { jsonrpc: "2.0", id: 1, params: { name: "lamp" } }, headers);
    const { priority, timeoutMs, freshness } = bridge.gateway.calls[0] ?? {};
    assert.deepEqual([priority, timeoutMs, freshness], [undefined, undefined, undefined]);
  });
});

describe("GET /mcp/tools/list", () => {
  it("is the list, with no id", async () => {
    const { status, json } = await bridge.ask("/mcp/tools/list");
    assert.deepEqual([status, json], [200, { jsonrpc: "2.0", result: { tools: bridge.gateway.tools } }]);
  });
});
