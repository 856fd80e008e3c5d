/** Messages that are small to send and large to read, at each door and from a server: each is refused, and costs next to nothing. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { BOMB_KINDS, type Bomb, BombSite, bombCall, makeBomb } from "../support/bombs.ts";
import { LineChild } from "../support/line-child.ts";
import { peakMb } from "../support/memory.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";
import { Random } from "../support/seed.ts";
import { openSocket } from "../support/socket-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const ROW = 11;
const IS_LONG = sized(0, 1) === 1;
const COUNT = sized(2 * BOMB_KINDS, 1_000);
const MOST_MS = 100;
const MOST_MB = 100;

const site = new BombSite();
let hub: SpawnedZaguan;
let client: RpcOverHttp;
before(async () => {
  hub = await spawnZaguan({ config: { mcpServers: { bombs: await site.start() }, log: { level: "error" } } });
  client = new RpcOverHttp(hub.url, 1);
  await client.call("bombs__act", { bomb: makeBomb(7, new Random()) });
});
after(async () => {
  await client?.close();
  await hub?.stop();
  site.stop();
});

describe(`${COUNT} messages that are large to read`, () => {
  it("are refused over HTTP", async () => {
    await throwAt("HTTP", hub.pid, async (message) => {
      const { status, text } = await client.send("POST", "/mcp", message);
      assert.ok([400, 413].includes(status) && text.length < 4_096, `${message.slice(0, 150)}: ${status} ${text}`);
    });
    for (const encoding of ["gzip", "br", "deflate"]) {
      const body = gzipSync('{"jsonrpc":"2.0","id":1,"method":"ping"}');
      assert.equal((await client.send("POST", "/mcp", body, { "content-encoding": encoding })).status, 415);
    }
    await assertAlive();
  });

  it("are refused on a WebSocket, where one that is too long ends it", async () => {
    let socket = await openSocket(`${hub.url}/mcp`);
    await throwAt("WebSocket", hub.pid, async (message) => {
      socket.send(message);
      const said = await Promise.race([socket.next(), socket.closed]).catch(() => socket.closed);
      if (typeof said === "string") return assertRefused(said, message);
      assert.equal(said, 1009, message.slice(0, 150));
      socket = await openSocket(`${hub.url}/mcp`);
    });
    socket.socket.terminate();
    await assertAlive();
  });

  it("are refused on stdio", async () => {
    const child = new LineChild(["stdio"]);
    let heard: (text: string) => void = () => {};
    child.onMessage((message) => heard(JSON.stringify(message)));
    const ask = (message: string): Promise<string> => {
      const answer = new Promise<string>((resolve) => {
        heard = resolve;
      });
      return child.write(`${message}\n`).then(() => answer);
    };
    try {
      await ask('{"jsonrpc":"2.0","id":0,"method":"ping"}');
      await throwAt("stdio", child.pid, async (message) => assertRefused(await ask(message), message));
      child.assertRunning();
      assert.equal(await child.end(), 0);
    } finally {
      child.kill();
    }
  });

  it("end no more than their own call where a server sends them", async () => {
    await throwAt("a server's answers", hub.pid, async (_, id, bomb) => {
      const packed = id % 10 === 0 ? { packed: id % 20 === 0 ? "gzip" : "br" } : undefined;
      const params = { name: "bombs__act", arguments: packed ?? { bomb } };
      const call = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
      const { text } = await client.send("POST", "/mcp", call);
      const ms = performance.now() - site.answeredAt;
      const reply = JSON.parse(text) as { result?: unknown; error?: unknown };
      assert.ok(reply.result || reply.error);
      if (packed) assert.ok(reply.error, "what was packed was passed on");
      return ms;
    });
    await assertAlive();
  });
});

/** Resolves with the milliseconds that the hub took, if it knows them: elsewhere all the time that passes is the hub's. */
type Throw = (message: string, id: number, bomb: Bomb) => Promise<unknown>;

async function throwAt(door: string, pid: number, send: Throw): Promise<void> {
  const random = new Random();
  const before = peakMb(pid);
  const taken: number[] = [];
  for (let id = 1; id <= COUNT; id++) {
    const bomb = makeBomb(id, random);
    const message = bombCall(id, "get_presence", bomb);
    const startedAt = performance.now();
    const known = await send(message, id, bomb);
    taken.push(typeof known === "number" ? known : performance.now() - startedAt);
  }
  const slowest = Math.max(...taken);
  const grown = peakMb(pid) - before;
  figure(ROW, `${door}: refused`, `${COUNT} of ${COUNT}, the slowest in ${slowest.toFixed(0)} ms`);
  figure(ROW, `${door}: peak of memory`, `+${grown} MB`);
  if (!IS_LONG) return;
  assert.ok(slowest < MOST_MS, `${slowest} ms`);
  assert.ok(grown < MOST_MB, `${grown} MB`);
}

function assertRefused(answer: string, message: string): void {
  const { error } = JSON.parse(answer) as { error?: { code: number } };
  assert.ok([-32600, -32700].includes(error?.code ?? 0), `${message.slice(0, 150)}: ${answer.slice(0, 200)}`);
}

async function assertAlive(): Promise<void> {
  const { reply } = await client.call("get_presence");
  assert.ok(reply.result, JSON.stringify(reply));
  assert.equal((await client.get("/health")).status, 200);
}
