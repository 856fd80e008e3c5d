/**
 * A credential that somebody sends from the hub's own machine, where none is needed: if it is wrong or revoked, the caller is
 * refused at every door, and never becomes the local user.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { WebSocket } from "ws";
import { until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { LATE_MS } from "../support/seed-002.ts";
import { makeKey } from "../support/seed-003.ts";
import { openSocket, refusal } from "../support/socket-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
/** One place of each door that answers over plain HTTP. */
const PLACES: readonly [method: string, path: string, body?: object][] = [
  ["POST", "/mcp", CALL],
  ["POST", "/servers/house/mcp", CALL],
  [
    "POST",
    "/mcp/initialize",
    { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "x", version: "1" } },
  ],
  ["GET", "/sse"],
  ["GET", "/mcp/servers"],
  ["GET", "/agents"],
  ["GET", "/keys"],
  ["GET", "/openapi/tools.json"],
  ["GET", "/api/tools/list"],
  ["GET", "/mcp/status"],
  ["GET", "/house"],
];
const SOCKETS = ["/mcp", "/ws", "/servers/house/mcp", "/xiaozhi/v1/"];

let hub: SpawnedZaguan;
let local: RegistryClient;
let revoked: string;
before(async () => {
  hub = await spawnZaguan();
  local = new RegistryClient(hub.url);
  revoked = await makeKey(hub, "box", "--tools", "get_all_states");
});
after(() => hub?.stop());

/** Every way to send a key in headers. */
function headersWith(key: string): readonly Record<string, string>[] {
  return [{ authorization: `Bearer ${key}` }, { "x-api-key": key }, { "x-handsai-token": key }];
}

describe("on the hub's own machine", () => {
  it("a limited key opens a device's socket while it is valid, and is cut off when it is revoked", async () => {
    const path = `${hub.url}/xiaozhi/v1/?authorization=${encodeURIComponent(`Bearer ${revoked}`)}`;
    const { socket } = await openSocket(path);
    socket.send(JSON.stringify({ type: "hello", version: 1, transport: "websocket", features: { mcp: true } }));
    const keys = await local.done("GET", "/keys");
    const { id } = keys.find(({ name }: { name: string }) => name === "box");
    await local.done("DELETE", `/keys/${id}`);
    await until("the socket is cut", () => socket.readyState === WebSocket.CLOSED, LATE_MS);
  });

  it("a revoked or unknown key is refused at every place that answers over HTTP", async () => {
    for (const key of [revoked, "secreto"]) {
      for (const headers of headersWith(key)) {
        for (const [method, path, body] of PLACES) {
          const { status } = await local.send(method, path, body, headers);
          assert.equal(status, 401, `${method} ${path} with ${Object.keys(headers)}`);
        }
      }
    }
  });

  it("a revoked or unknown key opens no WebSocket", async () => {
    for (const key of [revoked, "secreto", "Token con espacio"]) {
      for (const path of SOCKETS) {
        for (const headers of headersWith(key))
          assert.equal((await refusal(`${hub.url}${path}`, headers)).status, 401, `${path} ${Object.keys(headers)}`);
      }
    }
  });

  it("a revoked key in the query of a device's address opens no socket", async () => {
    for (const said of [revoked, `Bearer ${revoked}`]) {
      const path = `/xiaozhi/v1/?device-id=aa:bb&authorization=${encodeURIComponent(said)}`;
      assert.equal((await refusal(`${hub.url}${path}`)).status, 401);
    }
  });
});
