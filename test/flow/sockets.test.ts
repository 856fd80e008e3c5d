/** WebSockets and HTTP+SSE at a real hub: keys where they are required, a lamp, and the end. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openSocket, refusal } from "../support/socket-client.ts";
import { spawnZaguan } from "../support/spawn-zaguan.ts";

const SWITCH = { name: "set_light_state", arguments: { name: "salon", on: true } };

describe("sockets of a hub", () => {
  it("are not opened without a key where auth.requireKey says so", async () => {
    const hub = await spawnZaguan({ config: { auth: { requireKey: true } } });
    assert.equal((await refusal(`${hub.url}/mcp`)).status, 401);
    assert.equal((await refusal(`${hub.url}/ws`, { authorization: "Bearer nonsense" })).status, 401);
    assert.equal((await fetch(`${hub.url}/sse`)).status, 401);
    await hub.stop();
  });

  it("switch on a lamp, and are told when the hub ends", async () => {
    const hub = await spawnZaguan();
    const { ask, closed } = await openSocket(`${hub.url}/ws`);
    const { result } = await ask({ jsonrpc: "2.0", id: 1, method: "tools/call", params: SWITCH });
    assert.deepEqual(result?.["structuredContent"], { ok: true });
    await hub.stop();
    assert.equal(await closed, 1001);
  });
});
