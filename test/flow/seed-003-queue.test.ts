/**
 * Seed 003 §4 and §5 at a hub without a Home Assistant: what a fresh hub tells, and the queue as it fills and empties, with
 * the priorities of those who wait. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Message } from "../support/line-rpc.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { bare, SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import {
  askUntil,
  assertBridged,
  assertCount,
  assertCounts,
  assertFigure,
  type Begun,
  BridgeClient,
  INITIALIZE,
  statusOf,
  toolCall,
  untilListed,
} from "../support/seed-003.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

const SLOW = toolCall(9, SEED_TOOL.name, { prompt: "hola" });

describe("without a Home Assistant", () => {
  let slow: StandIn;
  let hub: SpawnedZaguan;
  let http: RegistryClient;
  let client: BridgeClient;
  const begun: Begun[] = [];
  before(async () => {
    slow = await StandIn.start({
      http: (told, server) => (told.method === "tools/call" ? undefined : bare(told, server)),
    });
    const entry = { url: slow.url, zaguan: { allowPrivate: true, concurrency: 1 } };
    hub = await spawnZaguan({ config: { mcpServers: { slow: entry } } });
    http = new RegistryClient(hub.url);
  });
  after(async () => {
    await Promise.all(begun.map((call) => call.leave()));
    await hub?.stop();
    await slow?.close();
  });
  const queue = async (): Promise<Message> => (await statusOf(http)).queue;

  it("it is null in the status", async () => {
    const status = await statusOf(http);
    assert.equal(status.home_assistant, null);
    assert.equal(status.bridge.status, "healthy");
  });

  it("a fresh hub has done nothing yet", async () => {
    const { queue: waiting, cache, performance } = await statusOf(http);
    assert.deepEqual([waiting.pending, waiting.processing, waiting.completed_today], [0, 0, 0]);
    assert.deepEqual(waiting.by_priority, { HIGH: 0, MEDIUM: 0, LOW: 0, BULK: 0 });
    assert.deepEqual([waiting.avg_wait_time_ms, cache.evictions_today], [0, 0]);
    // A share of nothing may be none.
    for (const share of [cache.hit_rate, performance.error_rate]) assert.equal(share ?? 0, 0);
  });

  it("the hub is healthy all the same", async () => {
    const { status, text, body } = await http.get("/health");
    assert.deepEqual([status, body.status], [200, "healthy"], text);
    assert.equal(body.dependencies.home_assistant ?? null, null);
    assertCounts(body.dependencies.mcp_sessions, "mcp_sessions", "healthy_count", "total_count");
  });

  it("the queue shows who works and who waits, and a priority that there is not counts as MEDIUM", async () => {
    await untilListed(http, SEED_TOOL.name);
    client = await BridgeClient.open(http);
    begun.push(client.begin(SLOW, { "x-priority": "HIGH" }));
    await askUntil("one works", queue, ({ processing, pending }) => processing === 1 && pending === 0);
    let waiting = 0;
    for (const [asked, counted] of [
      ["URGENT", "MEDIUM"],
      ["LOW", "LOW"],
      ["BULK", "BULK"],
    ] as const) {
      begun.push(client.begin(SLOW, { "x-priority": asked }));
      waiting++;
      const told = await askUntil(`${asked} waits`, queue, ({ pending }) => pending === waiting);
      assert.equal(told.by_priority[counted], 1, JSON.stringify(told));
    }
    assert.equal((await queue()).processing, 1);
  });

  it("whoever comes now is told what to expect", async () => {
    const { body } = await http.post("/mcp/initialize", INITIALIZE);
    assertCount(body.bridge_info.queue_position, "queue_position");
    assertFigure(body.bridge_info.estimated_wait_ms, "estimated_wait_ms");
  });

  it("those who leave are gone from it", async () => {
    await Promise.all(begun.splice(1).map((call) => call.leave()));
    await askUntil("nobody waits", queue, ({ pending }) => pending === 0);
    await begun.pop()?.leave();
    const { by_priority } = await askUntil("nobody works", queue, ({ processing }) => processing === 0);
    assert.deepEqual(by_priority, { HIGH: 0, MEDIUM: 0, LOW: 0, BULK: 0 });
    assert.equal(slow.calls.length, 1, "those who waited never reached the source");
  });

  it("a call that waited makes the average of waiting", async () => {
    slow.http = bare;
    assertBridged(await client.call(SLOW), 9);
    assertFigure((await queue()).avg_wait_time_ms, "avg_wait_time_ms");
  });
});
