/**
 * Clients who all count their requests alike, through one upstream: each gets its own answers; and two requests with the
 * same id on one connection are answered both, each once. Row 13 of the scorecard.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { until } from "../support/processes.ts";
import { inFlight, RpcOverHttp, type RpcReply } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";
import { openSocket, type SocketClient } from "../support/socket-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { ledgerIn, ledgerServer } from "../support/stub-servers.ts";

const CLIENTS = 64;
const EACH = sized(20, 500);
const PAIRS = sized(50, 1_000);
const PAIRS_AT_ONCE = 10;
const HELLO = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "same", version: "0" } };

type Ask = (id: number, tag: string, ms: number) => Promise<RpcReply>;

describe(`${CLIENTS} clients who count alike`, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-same-ids-"));
  const sockets: SocketClient[] = [];
  let hub: SpawnedZaguan;
  let http: RpcOverHttp;

  before(async () => {
    hub = await spawnZaguan({ config: { mcpServers: { one: ledgerServer(ledgerIn(folder)) } } });
    http = new RpcOverHttp(hub.url, CLIENTS);
    await http.rpc({ id: 0, method: "tools/list" });
  });
  after(async () => {
    for (const { socket } of sockets) socket.terminate();
    await http?.close();
    await hub?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("get each their own answers", async () => {
    const openings = [stateless, withSession, overSocket];
    const clients = await Promise.all(Array.from({ length: CLIENTS }, (_, n) => openings[n % 3]?.() ?? assert.fail()));
    const wrong: string[] = [];
    const ask = async (client: number, id: number): Promise<void> => {
      const tag = `client-${client}-${id}`;
      const reply = await clients[client]?.(id, tag, (client * 7 + id * 13) % 20);
      if (reply?.id !== id || textOf(reply) !== tag) wrong.push(`${tag}: ${JSON.stringify(reply)}`);
    };
    await Promise.all(clients.map((_, client) => inFlight(EACH, 1, (id) => ask(client, id))));
    figure(13, "answers that went astray", `${wrong.length} of ${(CLIENTS * EACH).toLocaleString("en")}`);
    assert.deepEqual(wrong.slice(0, 3), []);
  });

  it("leave none without an answer who use an id twice at a time on one connection", async () => {
    const client = await openedSocket();
    const answers = new Map<unknown, RpcReply[]>();
    client.socket.on("message", (data) => {
      const reply = JSON.parse(String(data)) as RpcReply;
      answers.set(reply.id, [...(answers.get(reply.id) ?? []), reply]);
    });
    await inFlight(PAIRS, PAIRS_AT_ONCE, async (pair) => {
      const id = `pair-${pair}`;
      for (const half of ["first", "second"]) client.send(callOf(id, `${id}-${half}`, 20));
      await until("both are answered", () => answers.get(id)?.length === 2);
    });
    const good = [...answers].filter(([id, both]) => {
      const texts = both.map(textOf).sort();
      return texts.join() === [`${id}-first`, `${id}-second`].join();
    });
    figure(13, "pairs with one id whose both halves were answered once", `${good.length} of ${PAIRS}`);
    assert.equal(good.length, PAIRS, JSON.stringify([...answers].slice(0, 2)));
  });

  async function stateless(): Promise<Ask> {
    return async (id, tag, ms) => (await http.call("one__sleep", { tag, ms }, id)).reply;
  }

  async function withSession(): Promise<Ask> {
    const { headers } = await http.rpc({ id: 0, method: "initialize", params: HELLO });
    const session = { "mcp-session-id": String(headers["mcp-session-id"]), "mcp-protocol-version": "2025-11-25" };
    return async (id, tag, ms) => (await http.rpc(callOf(id, tag, ms), session)).reply;
  }

  async function overSocket(): Promise<Ask> {
    const client = await openedSocket();
    return async (id, tag, ms) => (await client.ask(callOf(id, tag, ms))) as RpcReply;
  }

  async function openedSocket(): Promise<SocketClient> {
    const client = await openSocket(`${hub.url}/mcp`);
    sockets.push(client);
    await client.ask({ jsonrpc: "2.0", id: "hello", method: "initialize", params: HELLO });
    client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return client;
  }
});

function callOf(id: unknown, tag: string, ms: number): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name: "one__sleep", arguments: { tag, ms } } };
}

function textOf(reply: RpcReply): string | undefined {
  return reply.result?.content?.[0]?.text;
}
