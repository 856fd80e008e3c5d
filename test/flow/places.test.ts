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

/** Under which paths a key takes its places, one after another. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  "by its own name": ["", "", "", "", ""],
  "as agents": ["/agents/ana", "/agents/ana", "/agents/bea", "/agents/bea", "/agents/ana"],
};

let hub: SpawnedZaguan;
let keys: string[];
const opened: (() => void)[] = [];

async function open(): Promise<void> {
  hub = await spawnZaguan({ config: { limits: { sessions: PLACES } } });
  const local = new RegistryClient(hub.url);
  const create = async (name: string): Promise<string> => (await local.done("POST", "/keys", { name })).key;
  keys = [await create("greedy"), await create("other")];
  for (const name of ["ana", "bea"]) await local.agent(name);
}

async function close(): Promise<void> {
  for (const leave of opened.splice(0)) leave();
  await hub.stop();
}

/** Each comes in at a door and stays there, under an agent's path as that agent; resolves with the status. */
const WAYS: Readonly<Record<string, (headers: Record<string, string>, path: string) => Promise<number>>> = {
  "a session of streamable HTTP": async (headers, path) => {
    const post = { method: "POST", headers: { ...headers, accept: "application/json, text/event-stream" } };
    const type = { "content-type": "application/json" };
    const answer = await fetch(`${hub.url}${path}/mcp`, {
      ...post,
      headers: { ...post.headers, ...type },
      body: JSON.stringify(INITIALIZE),
    });
    await answer.text();
    const session = { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "" };
    const body = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    if (answer.ok)
      await fetch(`${hub.url}${path}/mcp`, { ...post, headers: { ...post.headers, ...type, ...session }, body });
    return answer.status;
  },
  "a stream of HTTP+SSE": async (headers, path) => {
    const leaving = new AbortController();
    opened.push(() => leaving.abort());
    return (await fetch(`${hub.url}${path}/sse`, { headers, signal: leaving.signal })).status;
  },
  "a WebSocket": (headers, path) =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${hub.url.replace("http", "ws")}${path}/mcp/ws`, { headers });
      opened.push(() => socket.terminate());
      socket.on("open", () => resolve(200)).on("error", () => {});
      socket.on("unexpected-response", (_, { statusCode }) => resolve(statusCode ?? 0));
    }),
};

for (const [how, paths] of Object.entries(PATHS)) {
  describe(`for a key that comes ${how}`, () => {
    before(open);
    after(close);
    for (const [what, enter] of Object.entries(WAYS)) {
      it(`${what} is refused when it has four fifths of them, and not to another`, async () => {
        const statuses = [];
        for (const path of paths) statuses.push(await enter({ authorization: `Bearer ${keys[0]}` }, path));
        statuses.push(await enter({ authorization: `Bearer ${keys[1]}` }, paths[0] ?? ""));
        assert.deepEqual(statuses, [200, 200, 200, 200, 503, 200]);
      });
    }
  });
}
