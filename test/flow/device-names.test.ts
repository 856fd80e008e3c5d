/** The name of a device that is away, at a real hub: another key's device does not get what was meant for it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { WebSocket } from "ws";
import { until } from "../support/processes.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { makeKey } from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const NAME = "device-box";
const REFUSED = "the device id is somebody else's";
const HELLO = '{"type":"hello","version":1,"features":{"mcp":true},"transport":"websocket"}';
const ANSWERS: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "box", version: "1" } },
  "tools/list": { tools: [{ name: "ring", inputSchema: { type: "object" } }] },
};

it("keeps the name of a device for its key over a restart, until its entry is removed or that key is revoked", async (test) => {
  const folder = await mkdtemp(join(tmpdir(), "device-names-"));
  test.after(() => rm(folder, { recursive: true, force: true }));
  const first = await spawnZaguan({ folder });
  const [kitchen, other, third] = [
    await makeKey(first, "kitchen"),
    await makeKey(first, "other"),
    await makeKey(first, "third"),
  ];
  await comeAndGo(first, kitchen);
  assert.equal(await refusalOf(first, other), REFUSED);
  await first.stop();
  const hub = await spawnZaguan({ folder });
  test.after(() => hub.stop());
  assert.equal(await refusalOf(hub, other), REFUSED);
  await comeAndGo(hub, kitchen);
  const local = new RegistryClient(hub.url);
  await local.done("DELETE", `/mcp/servers/${NAME}`);
  await until("the name is free", async () => (await refusalOf(hub, other)) === undefined);
  await comeAndGo(hub, other);
  assert.equal(await refusalOf(hub, kitchen), REFUSED);
  await local.done("DELETE", "/keys/other");
  await comeAndGo(hub, third);
});

/** A device that answers what it is asked, and hears why it is sent away. */
function dial({ url }: SpawnedZaguan, key: string): WebSocket {
  const headers = { "device-id": "box", authorization: `Bearer ${key}` };
  const socket = new WebSocket(`${url.replace("http", "ws")}/xiaozhi/v1/`, { headers });
  socket.on("open", () => socket.send(HELLO));
  socket.on("message", (data) => {
    const { id, method } = JSON.parse(String(data)).payload ?? {};
    if (id === undefined) return;
    const payload = { jsonrpc: "2.0", id, result: ANSWERS[method] ?? {} };
    socket.send(JSON.stringify({ type: "mcp", payload }));
  });
  return socket;
}

/** Until it stands in the registry, and has left it. */
async function comeAndGo(hub: SpawnedZaguan, key: string): Promise<void> {
  const local = new RegistryClient(hub.url);
  const stands = async (): Promise<boolean> => (await local.get("/mcp/servers")).text.includes(`"name":"${NAME}"`);
  await until("it is let in", async () => {
    const socket = dial(hub, key);
    const reason = await Promise.race([
      once(socket, "close").then(([, text]) => String(text)),
      until("it is in the registry", stands),
    ]);
    socket.terminate();
    return reason === undefined;
  });
  await until("it has left", async () => !(await stands()));
}

/** Undefined where it is let in: then it is asked who it is. */
async function refusalOf(hub: SpawnedZaguan, key: string): Promise<string | undefined> {
  const socket = dial(hub, key);
  const welcomed = new Promise<undefined>((resolve) =>
    socket.on("message", (data) => String(data).includes('"initialize"') && resolve(undefined)),
  );
  const reason = await Promise.race([once(socket, "close").then(([, text]) => String(text)), welcomed]);
  socket.terminate();
  return reason;
}
