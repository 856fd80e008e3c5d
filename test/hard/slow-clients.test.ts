/** Clients that drip their headers or their body, or never read what they asked for: all are cut, and hold nobody up meanwhile. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openSockets, peakMb, residentMb } from "../support/memory.ts";
import { until } from "../support/processes.ts";
import { RpcOverHttp } from "../support/rpc-over-http.ts";
import { figure, sized } from "../support/scorecard.ts";
import { SlowClients } from "../support/slow-clients.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";
import { ledgerIn, ledgerServer, readLedger } from "../support/stub-servers.ts";

const ROW = 10;
const IS_LONG = sized(0, 1) === 1;
const HEADERS = sized(100, 500);
const BODIES = sized(0, 500);
const READERS = sized(20, 200);
const BYTES = sized(5_000_000, 10_000_000);
/** What the server gives for headers and for a whole request; Node looks once a second. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
const LATE_MS = 2_000;
const CUT_LIMIT_MS = 200_000;
const SETTLE_LIMIT_MS = sized(0, 120_000);

describe(`${HEADERS} slow headers, ${BODIES} slow bodies and ${READERS} who do not read`, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-slow-"));
  let hub: SpawnedZaguan;
  let client: RpcOverHttp;

  before(async () => {
    // All of them are one caller, and none of their calls is to be refused: it is large answers that are not read.
    const limits = { queueBurst: 2 * READERS };
    const mcpServers = { good: ledgerServer(ledgerIn(folder)) };
    hub = await spawnZaguan({ config: { mcpServers, limits, log: { level: "error" } } });
    client = new RpcOverHttp(hub.url, 1);
    for (let call = 0; call < 200; call++) await probe();
  });
  after(async () => {
    await client?.close();
    await hub?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("are cut, and others notice nothing", async () => {
    await serveReaders();
    const before = { sockets: openSockets(hub.pid), mb: residentMb(hub.pid) };
    const slow = {
      headers: new SlowClients(hub.url),
      bodies: new SlowClients(hub.url),
      readers: new SlowClients(hub.url),
    };
    const { host } = slow.headers;
    // Without the wish to end it, a connection whose answer was small enough for the system to take is kept for the next request.
    const head = `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: application/json\r\n`;
    const params = { name: "good__big", arguments: { tag: "big", bytes: BYTES } };
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const taken: number[] = [];
    try {
      slow.headers.drip(HEADERS, `${head}X: `, "y", 500);
      slow.bodies.drip(BODIES, `${head}Content-Length: 1000\r\n\r\n`, " ", 1_000);
      slow.readers.ignoreAnswer(READERS, `${head}Content-Length: ${call.length}\r\n\r\n${call}`);
      await until("all are connected", () => openSockets(hub.pid) >= before.sockets + HEADERS + BODIES);
      const isOver = (): boolean =>
        slow.headers.open + slow.bodies.open === 0 && openSockets(hub.pid) <= before.sockets + 2;
      for (const startedAt = performance.now(); !isOver(); await sleep(20)) {
        taken.push(await probe());
        assert.ok(performance.now() - startedAt < CUT_LIMIT_MS, `${openSockets(hub.pid) - before.sockets} are left`);
      }
    } finally {
      for (const clients of Object.values(slow)) clients.leave();
    }
    assert.ok(executions("big") > 0);
    const longest = { headers: slow.headers.longestMs, bodies: slow.bodies.longestMs };
    const p99 = taken.sort((a, b) => a - b)[Math.floor(taken.length * 0.99)] ?? Number.NaN;
    figure(
      ROW,
      "slow headers, slow bodies cut after at most",
      `${seconds(longest.headers)}, ${seconds(longest.bodies)}`,
    );
    figure(ROW, "another's calls meanwhile (99th percentile)", `${p99.toFixed(1)} ms of ${taken.length}`);
    const settled = await settledBelow(before.mb * 1.1);
    figure(ROW, "memory before, at most and after", `${before.mb}, ${peakMb(hub.pid)}, ${settled} MB`);
    if (!IS_LONG) return;
    assert.ok(longest.headers <= HEADERS_MS + LATE_MS, `${longest.headers} ms`);
    assert.ok(longest.bodies <= REQUEST_MS + LATE_MS, `${longest.bodies} ms`);
    assert.ok(p99 < 50, `${p99} ms`);
    assert.ok(settled <= before.mb * 1.1, `${before.mb} MB became ${settled}`);
  });

  /** What so many answers of this size take is taken before, by clients who read them: V8 gives back only some of it. */
  async function serveReaders(): Promise<void> {
    const readers = new RpcOverHttp(hub.url, 20);
    await Promise.all(Array.from({ length: READERS }, () => readers.call("good__big", { tag: "read", bytes: BYTES })));
    await readers.close();
  }

  async function probe(): Promise<number> {
    const { text, reply, ms } = await client.call("get_presence");
    assert.ok(reply.result, text);
    return ms;
  }

  function executions(wanted: string): number {
    return readLedger(ledgerIn(folder)).filter(({ tag }) => tag === wanted).length;
  }

  /** A hub that does nothing at all gives nothing back; one that is used a little does. */
  async function settledBelow(mb: number): Promise<number> {
    for (const limit = performance.now() + SETTLE_LIMIT_MS; performance.now() < limit; await sleep(20)) {
      if (residentMb(hub.pid) <= mb) break;
      await probe();
    }
    return residentMb(hub.pid);
  }
});

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
