/** A call whose time is over, at each door: −32002 means "resource not found" to clients of the official revisions. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { makeError } from "../../test/support/make-error.ts";
import { type OpenDoors, openDoors, rpc } from "../../test/support/open-doors.ts";
import { oneServer, streamableHttp } from "./streamable-http.ts";

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "lamp", arguments: {} } };
const MISSING = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: "none:1" } };
const OFFICIAL = ["2025-03-26", "2025-06-18", "2025-11-25"];
const PATHS = ["/mcp", "/servers/house/mcp"];

describe("a call whose time is over", () => {
  let doors: OpenDoors;
  beforeEach(async () => {
    doors = await openDoors([streamableHttp, oneServer]);
  });
  afterEach(() => doors.close());

  for (const code of ["QUEUE_TIMEOUT", "DEADLINE_EXCEEDED"] as const) {
    for (const path of PATHS) {
      for (const version of OFFICIAL) {
        it(`${code} is 1504 for a client of ${version} at ${path}`, async () => {
          const headers = await greeted(doors, path, version);
          doors.gateway.answer = () => Promise.reject(makeError(code));
          const { json } = await doors.ask(path, rpc(CALL, headers));
          assert.deepEqual([json.error?.code, json.error?.data["code"]], [1504, code]);
        });
      }

      it(`${code} is -32002 (504) for bare JSON-RPC at ${path}`, async () => {
        doors.gateway.answer = () => Promise.reject(makeError(code));
        const { status, json } = await doors.ask(path, rpc(CALL));
        assert.deepEqual([status, json.error?.code, json.error?.data["code"]], [504, -32002, code]);
      });
    }
  }

  it("leaves -32002 to a resource that is not there", async () => {
    const headers = await greeted(doors, "/servers/house/mcp", "2025-11-25");
    const relayed = { code: -32002, message: "Resource not found: none:1" };
    doors.gateway.passAnswer = () => Promise.reject(makeError("SOURCE_ERROR", { relayed }));
    const { json } = await doors.ask("/servers/house/mcp", rpc(MISSING, headers));
    assert.equal(json.error?.code, -32002);
  });
});

async function greeted(doors: OpenDoors, path: string, version: string): Promise<Record<string, string>> {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const { headers } = await doors.ask(path, rpc({ jsonrpc: "2.0", id: 0, method: "initialize", params }));
  return { "mcp-session-id": String(headers["mcp-session-id"]), "mcp-protocol-version": version };
}
