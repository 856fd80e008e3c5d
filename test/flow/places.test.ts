/** One key does not take every place at a door: another's clients still come in. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import WebSocket from "ws";
import { RegistryClient } from "../support/registry-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const PLACES = 5;
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

let hub: SpawnedZaguan;
let keys: string[];
const opened: (() => void)[] = [];
before(async () => {
  hub = await spawnZaguan({ config: { limits: { sessions: PLACES } } });
  const local = new RegistryClient(hub.url);
  const create = async (name: string): Promise<string> => (await local.done("POST", "/keys", { name })).key;
  keys = [await create("greedy"), await create("other")];
});
after(async () => {
  for (const close of opened) close();
  await hub.stop();
});

/** Each comes in at a door and stays there; resolves with the status. */
const WAYS: Readonly<Record<string, (headers: Record<string, string>) => Promise<number>>> = {
  "a session of streamable HTTP": async (headers) => {
    const post = { method: "POST", headers: { ...headers, accept: "application/json, text/event-stream" } };
    const type = { "content-type": "application/json" };
    const answer = await fetch(`${hub.url}/mcp`, {
      ...post,
      headers: { ...post.headers, ...type },
      body: JSON.stringify(INITIALIZE),
    });
    await answer.text();
    const session = { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "" };
    const body = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    if (answer.ok) await fetch(`${hub.url}/mcp`, { ...post, headers: { ...post.headers, ...type, ...session }, body });
    return answer.status;
  },
  "a stream of HTTP+SSE": async (headers) => {
    const leaving = new AbortController();
    opened.push(() => leaving.abort());
    return (await fetch(`${hub.url}/sse`, { headers, signal: leaving.signal })).status;
  },
  "a WebSocket": (headers) =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${hub.url.replace("http", "ws")}/mcp/ws`, { headers });
      opened.push(() => socket.terminate());
      socket.on("open", () => resolve(200)).on("error", () => {});
      socket.on("unexpected-response", (_, { statusCode }) => resolve(statusCode ?? 0));
    }),
};

for (const [what, open] of Object.entries(WAYS)) {
  describe(what, () => {
    it("is refused to a key that has four fifths of them, and not to another", async () => {
      const statuses = [];
      for (const key of [...Array.from({ length: PLACES }, () => keys[0]), keys[1]])
        statuses.push(await open({ authorization: `Bearer ${key}` }));
      assert.deepEqual(statuses, [200, 200, 200, 200, 503, 200]);
    });
  });
}
