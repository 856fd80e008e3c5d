/**
 * Seed 003 §4 and §5 as a test: `GET /mcp/status` and `GET /health` field by field, each with its type and with the truth:
 * what is counted here is what was done here. Written from the documents alone. A hub without a Home Assistant, and its
 * queue, are in `seed-003-queue.test.ts`; §6 is in `seed-003-metrics.test.ts`.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { type SimulatedHome, startHomeAssistant } from "../support/home-assistant/index.ts";
import type { Message } from "../support/line-rpc.ts";
import type { Answered } from "../support/registry-client.ts";
import {
  askUntil,
  assertBridged,
  assertBridgeError,
  assertCount,
  assertCounts,
  assertFigure,
  assertFigures,
  BridgeClient,
  CALL_ALL,
  CALL_HOUSE,
  CALL_STATE,
  entitiesIn,
  FRENCH,
  type OpenHome,
  openHome,
  statusOf,
  timeIn,
  toolCall,
} from "../support/seed-003.ts";

const PACKAGE = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };

function assertShare(value: unknown, what: string): void {
  assertFigure(value, what);
  assert.ok((value as number) <= 1, `${what}: ${value}`);
}

describe("with a Home Assistant", () => {
  let house: OpenHome;
  let home: SimulatedHome;
  let returned: SimulatedHome | undefined;
  let client: BridgeClient;
  before(async () => {
    house = await openHome({ policy: { cacheSeconds: { get_entity_state: 600 } } });
    home = house.home;
    client = await BridgeClient.open(house.http);
    assertBridged(await client.call(CALL_ALL), 1);
    for (const _ of [1, 2]) assertBridged(await client.call(CALL_STATE), 3);
  });
  after(async () => {
    await house?.stop();
    await returned?.stop();
  });
  const status = (): Promise<Message> => statusOf(house.http);
  const health = (): Promise<Answered> => house.http.get("/health");

  describe("4. Statut du Bridge: GET /mcp/status", () => {
    it("has every printed field in its printed type", async () => {
      const { bridge, sessions, queue, cache, performance, home_assistant } = await status();
      assert.deepEqual([bridge.status, bridge.version], ["healthy", PACKAGE.version]);
      assertFigure(bridge.uptime_seconds, "uptime_seconds");
      timeIn(bridge.started_at);
      assertCounts(sessions, "sessions", "active", "total", "available");
      assertCounts(sessions.by_status, "by_status", "healthy", "reconnecting", "idle");
      assertCounts(queue, "queue", "pending", "processing", "completed_today");
      assert.deepEqual(Object.keys(queue.by_priority), ["HIGH", "MEDIUM", "LOW", "BULK"]);
      assertCounts(queue.by_priority, "by_priority", "HIGH", "MEDIUM", "LOW", "BULK");
      assertFigure(queue.avg_wait_time_ms, "avg_wait_time_ms");
      assertShare(cache.hit_rate, "hit_rate");
      assertCounts(cache, "cache", "size", "max_size", "evictions_today");
      assert.ok(cache.max_size > 0);
      assertFigures(performance, "performance", "avg_response_time_ms", "requests_per_second", "p95_response_time_ms");
      assertShare(performance.error_rate, "error_rate");
      assert.equal(home_assistant.url.replace(/\/$/, ""), home.url.replace(/\/$/, ""));
      assert.equal(home_assistant.status, "connected");
      assertCount(home_assistant.entities_count, "entities_count");
    });

    it("bridge: it has been up since it was started", async () => {
      const askedAt = Date.now();
      const { bridge } = await status();
      const [least = 0, most = 0] = [askedAt, Date.now()].map((at) => (at - timeIn(bridge.started_at)) / 1_000);
      const { uptime_seconds: told } = bridge;
      assert.ok(told > least - 3 && told < most + 3, `${told} of ${least} to ${most}`);
      await askUntil("time goes on", status, (later) => later.bridge.uptime_seconds > bridge.uptime_seconds);
      assert.equal((await status()).bridge.started_at, bridge.started_at);
    });

    it("sessions: one more when one is opened, one less when it ends", async () => {
      const before = (await status()).sessions;
      const another = await BridgeClient.open(house.http);
      const during = (await status()).sessions;
      assert.ok(during.total === before.total + 1 || during.active === before.active + 1, JSON.stringify(during));
      await another.end();
      const after = (await status()).sessions;
      assert.deepEqual([after.total, after.active], [before.total, before.active]);
    });

    it("queue: what was completed today is what was called", async () => {
      const before = (await status()).queue.completed_today;
      for (const _ of [1, 2, 3]) assertBridged(await client.call(CALL_HOUSE), 1);
      assert.equal((await status()).queue.completed_today, before + 3);
    });

    it("cache: an answer is kept, and used", async () => {
      const before = (await status()).cache;
      const another = toolCall(4, "get_entity_state", { entity_id: "light.salon_lamp" });
      assertBridged(await client.call(another), 4);
      assert.ok((await status()).cache.size > before.size, String(before.size));
      assertBridged(await client.call(another), 4);
      assert.ok((await status()).cache.hit_rate > 0);
    });

    it("cache: the rate falls with what is not found in it", async () => {
      for (const _ of [1, 2, 3]) await client.call(CALL_STATE);
      const before = (await status()).cache.hit_rate;
      for (const n of [1, 2, 3, 4, 5, 6]) {
        await client.call(toolCall(n, "get_entity_state", { entity_id: `sensor.no_such_${n}` }));
      }
      assert.ok((await status()).cache.hit_rate < before, String(before));
    });

    it("performance: it is measured", async () => {
      for (let call = 0; call < 20; call++) assertBridged(await client.call(CALL_HOUSE), 1);
      const { performance } = await status();
      for (const name of ["avg_response_time_ms", "requests_per_second", "p95_response_time_ms"]) {
        assert.ok(performance[name] > 0, `${name}: ${performance[name]}`);
      }
      assert.ok(performance.avg_response_time_ms < 30_000 && performance.p95_response_time_ms < 30_000);
    });

    it("home_assistant: its entities are counted, and those that come later", async () => {
      const answer = await client.call(CALL_ALL, FRENCH);
      const { total } = entitiesIn(answer.body.result.content[0].text);
      assert.equal((await status()).home_assistant.entities_count, total);
      home.setState("sensor.just_added", "1");
      await askUntil("one more", status, ({ home_assistant }) => home_assistant.entities_count === total + 1);
      home.removeState("sensor.just_added");
      await askUntil("one less", status, ({ home_assistant }) => home_assistant.entities_count === total);
    });

    it("home_assistant: it has been pinged", async () => {
      const isPinged = ({ home_assistant }: Message): boolean => typeof home_assistant.last_ping_ms === "number";
      const { home_assistant } = await askUntil("a ping was answered", status, isPinged);
      assertFigure(home_assistant.last_ping_ms, "last_ping_ms");
    });

    it("tells no secret", async () => {
      for (const path of ["/mcp/status", "/health", "/metrics"]) {
        const { text } = await house.http.get(path);
        for (const secret of [home.token, client.sessionId]) assert.ok(!text.includes(secret), path);
      }
    });
  });

  describe("5. Health Check: GET /health", () => {
    it("is 200 with every printed field while all is well", async () => {
      const { status: http, text, body } = await health();
      assert.deepEqual([http, body.status], [200, "healthy"], text);
      assert.ok(Math.abs(timeIn(body.timestamp) - Date.now()) < 10_000);
      const { home_assistant, mcp_sessions } = body.dependencies;
      assert.equal(home_assistant.status, "ok");
      assertFigure(home_assistant.response_time_ms, "response_time_ms");
      assert.equal(mcp_sessions.status, "ok");
      assertCounts(mcp_sessions, "mcp_sessions", "healthy_count", "total_count");
      assert.ok(mcp_sessions.healthy_count <= mcp_sessions.total_count);
    });

    it("is 503 while Home Assistant is away, and tells since when; so does the status", async () => {
      const lastSeen = Date.now();
      await house.stopHome();
      const { body } = await askUntil("it is unhealthy", health, ({ status: http }) => http === 503);
      assert.equal(body.status, "unhealthy");
      timeIn(body.timestamp);
      const { home_assistant, mcp_sessions } = body.dependencies;
      assert.equal(home_assistant.status, "error");
      assert.match(home_assistant.error, /\S/);
      assert.ok(Math.abs(timeIn(home_assistant.last_success) - lastSeen) < 60_000, home_assistant.last_success);
      assert.ok(["ok", "degraded"].includes(mcp_sessions.status), mcp_sessions.status);
      assertCounts(mcp_sessions, "mcp_sessions", "healthy_count", "total_count");
      assert.notEqual((await status()).home_assistant.status, "connected");
    });

    it("counts what fails meanwhile as errors", async () => {
      const failed = await askUntil(
        "a call fails",
        () => client.call(CALL_ALL),
        ({ status: http }) => http !== 200,
      );
      assertBridgeError(failed, 503, -32004);
      assert.ok((await status()).performance.error_rate > 0);
    });

    it("is 200 again, and the status connected, when it is back", async () => {
      returned = await startHomeAssistant({ port: home.port, token: home.token });
      await askUntil("it is healthy", health, ({ status: http, body }) => http === 200 && body.status === "healthy");
      await askUntil("it is connected", status, ({ home_assistant }) => home_assistant.status === "connected");
      assertBridged(await client.call(CALL_ALL), 1);
    });
  });
});
