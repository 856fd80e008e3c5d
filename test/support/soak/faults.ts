/** What goes wrong while a soak lasts: each fault, and whose calls it may cost something. */
import assert from "node:assert/strict";
import process from "node:process";
import { WebSocket } from "ws";
import { throwGarbage } from "../raw-garbage.ts";
import { inFlight } from "../rpc-over-http.ts";
import { Random } from "../seed.ts";
import type { Origin } from "./work.ts";
import type { World } from "./world.ts";

export interface Fault {
  readonly name: string;
  /** Calls of these sources may fail for a while. */
  readonly hits: readonly Origin[];
  happen(world: World, boxes: number): Promise<unknown>;
}

const FLOOD = 300;
const random = new Random();

export const FAULTS: readonly Fault[] = [
  {
    name: "kill -9 of a server",
    hits: ["ledger"],
    happen: async ({ http }) => {
      const { reply } = await http.call("ledger__whoami", { tag: "who" });
      process.kill(Number(reply.result?.content?.[0]?.text), "SIGKILL");
    },
  },
  {
    name: "a server by URL resets its connections",
    hits: ["remote"],
    happen: ({ remoteOrigin }) => fetch(`${remoteOrigin}/reset`, { method: "POST" }),
  },
  {
    name: "a server floods",
    hits: [],
    // It is ended, and this call with it.
    happen: async ({ http }) => assert.ok((await http.call("flooding__act")).reply.error),
  },
  {
    name: "clients flood",
    hits: [],
    happen: ({ url }) => inFlight(FLOOD, 50, () => throwGarbage(new URL(url), random, {})),
  },
  { name: "a key is revoked", hits: [], happen: revokeKey },
  {
    name: "the file is taken up again",
    hits: [],
    happen: async (world) => {
      for (const isLonger of [true, false]) {
        world.reload(isLonger);
        await listed(world, isLonger);
      }
    },
  },
  {
    name: "boxes vanish and come back",
    hits: ["box"],
    happen: (world, boxes) => world.boxesCome(0, Math.ceil(boxes / 5)),
  },
];

/** Whoever came with it is gone with it, and the next request is refused. */
async function revokeKey({ registry, http, url }: World): Promise<void> {
  const { key } = await registry.done("POST", "/keys", { name: "passing" });
  const headers = { authorization: `Bearer ${key}` };
  const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, { headers });
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.on("error", () => {});
  await new Promise((resolve) => socket.on("open", resolve));
  await registry.done("DELETE", "/keys/passing");
  assert.equal((await http.rpc({ id: 1, method: "tools/list" }, headers)).status, 401);
  await closed;
}

async function listed({ http }: World, isThere: boolean): Promise<void> {
  for (const until = performance.now() + 60_000; performance.now() < until; ) {
    const { text } = await http.get("/mcp/servers");
    if (text.includes('"name":"more"') === isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail("the file was not taken up");
}
