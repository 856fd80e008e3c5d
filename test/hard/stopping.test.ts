/**
 * A hub that is asked to stop while much is under way: calls that end within the grace are answered, everybody else is
 * told, and it goes in time without leaving a process behind. Row 22 of the scorecard.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { HttpExchange } from "../support/clients/http-exchange.ts";
import { isRunning, until } from "../support/processes.ts";
import { RpcOverHttp, type RpcReply } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";
import { openSocket, type SocketClient } from "../support/socket-client.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { ledgerIn, ledgerServer, readLedger } from "../support/stub-servers.ts";

/** In flight over HTTP, and as many more on sockets, one on each. */
const CALLS = sized(20, 100);
const STREAMS = sized(20, 100);
const SERVERS = 4;
/** The short form runs where others work too. */
const GRACE_SECONDS = sized(40, 8);
/** How long each call takes. */
const WORK_MS = sized(1_500, 4_000);
const END_MS = sized(60_000, (GRACE_SECONDS + 1) * 1_000);
const GOING_AWAY = 1_001;
const HELLO = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "stop", version: "0" } };

describe(`a hub that is asked to stop with ${2 * CALLS} calls in flight, ${CALLS} sockets and ${STREAMS} streams`, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-stopping-"));
  const ledgers = Array.from({ length: SERVERS }, (_, n) => ledgerIn(folder, `s${n}`));
  let hub: SpawnedZaguan;
  let http: RpcOverHttp;
  let sockets: SocketClient[] = [];
  let streams: HttpExchange[] = [];
  let below: number[] = [];
  let answers: RpcReply[] = [];
  let endedMs = Number.NaN;

  before(async () => {
    const servers = ledgers.map((file, n) => [`s${n}`, ledgerServer(file)]);
    const limits = { graceSeconds: GRACE_SECONDS };
    hub = await spawnZaguan({ config: { mcpServers: Object.fromEntries(servers), limits } });
    http = new RpcOverHttp(hub.url, CALLS + STREAMS);
    await http.rpc({ id: 0, method: "tools/list" });
    sockets = await Promise.all(Array.from({ length: CALLS }, () => openSocket(`${hub.url}/mcp`)));
    streams = await Promise.all(Array.from({ length: STREAMS }, openStream));
    below = hub.descendants();
    const calls = [...overHttp(), ...overSockets()];
    await until("all are under way", () => ledgers.flatMap(readLedger).length === calls.length);
    const askedAt = performance.now();
    const stopped = hub.stop();
    answers = await Promise.all(calls);
    await stopped;
    endedMs = performance.now() - askedAt;
  });
  after(async () => {
    for (const { socket } of sockets) socket.terminate();
    await http?.close();
    await hub?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it("answers every call that ends within the grace", () => {
    const good = answers.filter((reply) => reply.result?.content?.[0]?.text === reply.id);
    figure(22, "calls that were dropped", `${answers.length - good.length} of ${answers.length}`);
    assert.equal(good.length, 2 * CALLS, JSON.stringify(answers.find((reply) => !good.includes(reply))));
  });

  it("says goodbye on every socket, and ends every stream", async () => {
    const codes = await Promise.all(sockets.map(({ closed }) => closed));
    await Promise.all(streams.map(({ ended }) => ended));
    const polite = codes.filter((code) => code === GOING_AWAY).length;
    figure(22, "sockets closed as going away", `${polite} of ${codes.length}, ${streams.length} streams ended`);
    assert.equal(polite, codes.length, `${[...new Set(codes)]}`);
  });

  it("ends well, in time, and with everything below it", () => {
    const left = below.filter(isRunning).length;
    figure(22, "ended with code 0 after", `${(endedMs / 1_000).toFixed(1)} s, calls of ${WORK_MS / 1_000} s`);
    figure(22, "processes left", `${left} of ${below.length}`);
    assert.ok(endedMs < END_MS, `${endedMs} ms`);
    assert.ok(below.length >= SERVERS && left === 0, `${left} of ${below.length}`);
  });

  function overHttp(): Promise<RpcReply>[] {
    return Array.from({ length: CALLS }, async (_, n) => (await http.rpc(callOf(`http-${n}`, n))).reply);
  }

  function overSockets(): Promise<RpcReply>[] {
    return sockets.map(async (client, n) => (await client.ask(callOf(`socket-${n}`, n))) as RpcReply);
  }

  async function openStream(): Promise<HttpExchange> {
    const { headers } = await http.rpc({ id: 0, method: "initialize", params: HELLO });
    const stream = new HttpExchange({
      method: "GET",
      url: `${hub.url}/mcp`,
      headers: { accept: "text/event-stream", "mcp-session-id": String(headers["mcp-session-id"]) },
    });
    assert.equal((await stream.head).status, 200);
    return stream;
  }
});

function callOf(id: string, n: number): object {
  const params = { name: `s${n % SERVERS}__sleep`, arguments: { tag: id, ms: WORK_MS } };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}
