/** Clients that ask for large answers and read none: together they may hold only so much of our memory, and nobody else notices. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import WebSocket from "ws";
import { until } from "../support/processes.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { evilServer } from "../support/stub-servers.ts";

const MOST = 33_554_432;
const CLIENTS = 12;
/** More than the system itself keeps for a connection. */
const BYTES = 10_000_000;
const CALL = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "large__act", arguments: { bytes: BYTES } },
});

let hub: SpawnedZaguan;
let client: RpcOverHttp;
before(async () => {
  const limits = { unreadBytes: MOST };
  hub = await spawnZaguan({ config: { mcpServers: { large: evilServer("large-answers") }, limits } });
  client = new RpcOverHttp(hub.url);
  await client.call("large__act", { bytes: 1 });
});
after(async () => {
  await client?.close();
  await hub?.stop();
});

/** Asks, and never reads. */
const WAYS = {
  "plain HTTP": () => posted("application/json"),
  "an event stream": () => posted("application/json, text/event-stream", '"_meta":{"progressToken":1},'),
  WebSocket: asked,
};

for (const [way, ask] of Object.entries(WAYS)) {
  describe(`answers over ${way} that nobody reads`, () => {
    it("are never more than the bound, and others get theirs", async () => {
      const silent = await Promise.all(Array.from({ length: CLIENTS }, () => ask()));
      const peaks: number[] = [];
      let isOver = false;
      const watching = (async () => {
        for (; !isOver; await sleep(50)) peaks.push(await gauge("zaguan_unread_bytes"));
      })();
      do {
        const { reply } = await client.call("large__act", { bytes: BYTES });
        assert.equal(reply.result?.content?.[0]?.text?.length, BYTES, JSON.stringify(reply).slice(0, 300));
      } while ((await gauge("zaguan_calls_in_flight")) > 0);
      await until("they hold much, or did", () => peaks.some((peak) => peak > MOST / 4));
      isOver = true;
      await watching;
      for (const leave of silent) leave();
      const peak = Math.max(...peaks);
      assert.ok(peak > MOST / 4 && peak <= MOST, peaks.join());
    });
  });
}

async function gauge(name: string): Promise<number> {
  const { text } = await client.get("/metrics");
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

/** Resolves, once it has asked, with what ends it. */
async function posted(accept: string, meta = ""): Promise<() => void> {
  const { host, port } = new URL(hub.url);
  const socket = connect(Number(port), "127.0.0.1").pause();
  socket.on("error", () => {});
  await once(socket, "connect");
  const body = CALL.replace('"params":{', `"params":{${meta}`);
  const head = ["POST /mcp HTTP/1.1", `host: ${host}`, "content-type: application/json", `accept: ${accept}`];
  socket.write(`${[...head, `content-length: ${body.length}`].join("\r\n")}\r\n\r\n${body}`);
  return () => socket.destroy();
}

async function asked(): Promise<() => void> {
  const socket = new WebSocket(`${hub.url.replace("http", "ws")}/mcp/ws`);
  socket.on("error", () => {});
  await once(socket, "open");
  socket.send(CALL);
  socket.pause();
  return () => socket.terminate();
}
