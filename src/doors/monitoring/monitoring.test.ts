/** `/mcp/status`, `/health` and `/metrics` over a real port: each figure is what the hub says when it is asked. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { aClusterApi, NODE } from "../../../test/support/cluster-api.ts";
import { aCacheOf, aHouse, aSource, callEnded, monitored } from "../../../test/support/monitored.ts";
import { type Answered, type OpenDoors, openDoors } from "../../../test/support/open-doors.ts";
import { PrometheusText } from "../../../test/support/prometheus-text.ts";
import type { Principal } from "../../core/call.ts";
import { ZaguanError } from "../../errors.ts";
import { Statistics } from "../../observe/statistics.ts";
import type { DoorContext, EndpointStatus, HouseStatus, SourceSummary } from "../door.ts";
import { MONITORING_OPERATIONS } from "../rest/monitoring-operations.ts";
import type { Monitored } from "./health.ts";
import { monitoring } from "./index.ts";

let doors: OpenDoors | undefined;
afterEach(() => doors?.close());

async function ask(path: string, looked: Monitored, principal?: Principal): Promise<Answered> {
  await doors?.close();
  const authenticate = principal && (() => principal);
  doors = await openDoors([monitoring], {
    context: looked as Partial<DoorContext>,
    ...(authenticate && { authenticate }),
  });
  return doors.ask(path);
}

function health(sources: readonly SourceSummary[], houses: readonly HouseStatus[] = []): Promise<Answered> {
  return ask("/health", monitored({ sources, houses: () => houses }));
}

const LIMITED: Principal = { id: "key:bob", kind: "key", name: "bob", allow: ["lamp_*"] };
const QUEUE = { pending: 3, processing: 2, byPriority: { HIGH: 1, MEDIUM: 2, LOW: 0, BULK: 0 }, estimatedWaitMs: 9 };

describe("GET /mcp/status", () => {
  it("has every field of the seed, measured", async () => {
    const statistics = new Statistics({ now: () => Date.parse("2026-01-02T12:00:00Z"), memoryBytes: () => 1 });
    statistics.watch({ queue: () => QUEUE.byPriority, cache: () => aCacheOf(5) });
    statistics.take(callEnded({ ms: 100, queuedMs: 40 }));
    statistics.take(callEnded({ ms: 300, queuedMs: 5, error: "SOURCE_ERROR" }));
    statistics.answered("GET", "/health", 200, 1);
    for (const _ of [1, 2, 3]) statistics.cacheHit();
    statistics.cacheMiss();
    statistics.evicted(6);
    const counts = () => ({ total: 6, available: 4, healthy: 3, reconnecting: 1, idle: 2 });
    const houses = () => [aHouse()];
    const looked = monitored({ statistics, houses, queue: () => QUEUE, bridgeSessions: { counts } });
    const { status, json } = await ask("/mcp/status", looked);
    statistics.close();
    const { performance, ...rest } = json as { performance: Record<string, number> };
    assert.equal(status, 200);
    assert.deepEqual(rest, {
      bridge: {
        status: "healthy",
        version: "9.9.9",
        uptime_seconds: 7,
        started_at: "2026-01-01T00:00:00.000Z",
      },
      sessions: { active: 3, total: 6, available: 4, by_status: { healthy: 3, reconnecting: 1, idle: 2 } },
      queue: {
        pending: 3,
        processing: 2,
        completed_today: 1,
        by_priority: QUEUE.byPriority,
        avg_wait_time_ms: 22.5,
      },
      cache: { hit_rate: 0.75, size: 5, max_size: 100, evictions_today: 6, bytes: 1_000, max_bytes: 20_000 },
      home_assistant: {
        url: "http://192.168.1.22:8123",
        status: "connected",
        last_ping_ms: 23,
        entities_count: 42,
      },
    });
    const { p95_response_time_ms: p95 = 0, ...others } = performance;
    assert.deepEqual(others, {
      avg_response_time_ms: 200,
      requests_per_second: 2,
      error_rate: 0.5,
      http_requests_per_second: 1,
    });
    assert.ok(Math.abs(p95 - 300) < 300 / 16, `${p95}`);
  });

  it("of a fresh hub tells that nothing has happened, and that there is no house", async () => {
    const { json } = await ask("/mcp/status", monitored());
    const { queue, cache, performance, home_assistant } = json as Record<string, Record<string, unknown>>;
    assert.deepEqual([queue?.["completed_today"], queue?.["avg_wait_time_ms"], cache?.["hit_rate"]], [0, 0, 0]);
    assert.deepEqual([...new Set(Object.values(performance ?? {}))], [0]);
    assert.equal(home_assistant, null);
  });

  it("names every house where there are several", async () => {
    const away = aHouse({ name: "playa", url: "http://10.0.0.9:8123", state: "waiting", pingMs: undefined });
    const { json } = await ask("/mcp/status", monitored({ houses: () => [aHouse({ name: "madrid" }), away] }));
    const told = json["home_assistant"] as Record<string, Record<string, unknown>>;
    assert.equal(told["status"], "connected");
    assert.deepEqual(Object.keys(told["houses"] ?? {}), ["madrid", "playa"]);
    assert.deepEqual(told["houses"]?.["playa"], {
      url: "http://10.0.0.9:8123",
      status: "reconnecting",
      last_ping_ms: null,
      entities_count: 42,
    });
    assert.equal((json["bridge"] as { status: string }).status, "unhealthy");
  });

  it("does not tell a limited caller where the house stands", async () => {
    const { status, json } = await ask("/mcp/status", monitored({ houses: () => [aHouse()] }), LIMITED);
    assert.deepEqual([status, json["home_assistant"]], [200, null]);
  });

  it("tells how every endpoint stands that is dialled, and of none to a limited caller", async () => {
    const endpoint: EndpointStatus = {
      name: "cloud",
      url: "wss://api.example.org/mcp/",
      as: "endpoint",
      agent: undefined,
      state: "waiting",
      sinceUtc: "2026-01-01T00:00:00.000Z",
      attempts: 3,
      lastError: "connection refused",
      tools: null,
    };
    const looked = { ...monitored(), xiaozhi: () => [endpoint] };
    const { json } = await ask("/mcp/status", looked);
    assert.deepEqual(json["xiaozhi"], [
      {
        name: "cloud",
        url: "wss://api.example.org/mcp/",
        as: "endpoint",
        agent: null,
        state: "waiting",
        since: "2026-01-01T00:00:00.000Z",
        attempts: 3,
        last_error: "connection refused",
        tools_count: null,
      },
    ]);
    assert.deepEqual((await ask("/mcp/status", looked, LIMITED)).json["xiaozhi"], []);
  });

  it("is for callers with a key", async () => {
    doors = await openDoors([monitoring], { context: monitored() as Partial<DoorContext> });
    for (const path of ["/mcp/status", "/metrics"]) {
      const { status, headers } = await doors.ask(path, { headers: { "x-api-key": "wrong" } });
      assert.deepEqual([status, headers["content-type"]], [401, "application/problem+json"]);
    }
  });
});

it("GET /mcp/status has a row of each node of a cluster, for those who may use everything", async () => {
  const looked = { ...monitored(), cluster: aClusterApi({}) };
  const { json } = await ask("/mcp/status", looked);
  assert.deepEqual([json["node"], json["missing_nodes"]], ["uno", ["dos"]]);
  assert.deepEqual(json["nodes"], [
    {
      node: "uno",
      version: "9.9.9",
      uptime_seconds: 7,
      started_at: "2026-01-01T00:00:00.000Z",
      load_percent: 1.5,
      calls_in_flight: 2,
      open: 4,
      sources_owned: 1,
      draining: false,
    },
  ]);
  const { json: limited } = await ask("/mcp/status", looked, LIMITED);
  assert.deepEqual(
    ["node", "nodes", "missing_nodes"].map((name) => name in limited),
    [false, false, false],
  );
});

describe("GET /health", () => {
  const ILL = aSource({ name: "tv", state: "broken", lastError: "cannot read /home/me/.token", log: ["secret"] });
  const SOME: Principal = { id: "key:1", kind: "key", name: "some", allow: ["lamp__*"] };

  it("is open to everybody, and names sources neither without a key nor for a limited one", async () => {
    for (const authenticate of [() => Promise.reject(new ZaguanError("UNAUTHORIZED")), () => SOME]) {
      const looked = monitored({ sources: [aSource({ name: "lamp" }), ILL] });
      const open = await openDoors([monitoring], { context: looked as Partial<DoorContext>, authenticate });
      const { status, text, json } = await open.ask("/health");
      await open.close();
      assert.deepEqual([status, json["status"]], [200, "healthy"]);
      assert.doesNotMatch(text, /lamp|tv|sources/);
      assert.deepEqual(json["dependencies"], {
        mcp_sessions: { status: "degraded", healthy_count: 1, total_count: 2 },
        store: { status: "ok" },
      });
    }
  });

  it("tells neither reasons nor logs", async () => {
    const looked = monitored({ sources: [aSource({ name: "lamp" }), ILL] });
    doors = await openDoors([monitoring], { context: looked as Partial<DoorContext> });
    const { status, json } = await doors.ask("/health");
    const { timestamp, ...rest } = json;
    assert.equal(status, 200);
    assert.ok(Math.abs(Date.parse(String(timestamp)) - Date.now()) < 60_000);
    assert.deepEqual(rest, {
      status: "healthy",
      dependencies: { mcp_sessions: { status: "degraded", healthy_count: 1, total_count: 2 }, store: { status: "ok" } },
      version: "9.9.9",
      uptimeSeconds: 7,
      callsInFlight: 2,
      sources: [
        { name: "lamp", kind: "stdio", state: "ready", tools: 3 },
        { name: "tv", kind: "stdio", state: "broken", tools: 3 },
      ],
    });
  });

  const SESSIONS: readonly (readonly [string, readonly Partial<SourceSummary>[], number, string, number])[] = [
    ["nothing to depend on", [], 200, "ok", 0],
    ["all of them up, asked or not", [{ state: "ready" }, { state: "idle" }], 200, "ok", 2],
    ["one that installs for the first time", [{ state: "ready" }, { state: "installing" }], 200, "ok", 1],
    ["one that starts for the first time", [{ state: "ready" }, { state: "starting" }], 200, "ok", 1],
    ["one that is lost", [{ state: "ready" }, { state: "waiting" }], 200, "degraded", 1],
    ["one that starts again", [{ state: "ready" }, { state: "starting", restarts: 1 }], 200, "degraded", 1],
    ["all of them lost", [{ state: "waiting" }, { state: "broken" }], 503, "error", 0],
    ["the only one lost", [{ state: "starting", lastError: "exit 1" }], 503, "error", 0],
  ];
  for (const [what, sources, http, told, healthy_count] of SESSIONS) {
    it(`with ${what} is ${http}, sessions ${told}`, async () => {
      const { status, json } = await health(sources.map(aSource));
      assert.deepEqual([status, json["status"]], [http, http === 200 ? "healthy" : "unhealthy"]);
      assert.deepEqual(json["dependencies"], {
        mcp_sessions: { status: told, healthy_count, total_count: sources.length },
        store: { status: "ok" },
      });
    });
  }

  it("is degraded, but served with 200, while nothing can be stored, and unhealthy where no source is up either", async () => {
    const storeFault = () => "the disk is full";
    const { status, json } = await ask("/health", monitored({ sources: [aSource()], storeFault }));
    const { store } = json["dependencies"] as Record<string, unknown>;
    const error = { status: "error", error: "the disk is full" };
    assert.deepEqual([status, json["status"], store], [200, "degraded", error]);
    const worse = await ask("/health", monitored({ sources: [aSource({ state: "broken" })], storeFault }));
    assert.deepEqual([worse.status, worse.json["status"]], [503, "unhealthy"]);
  });

  for (const passing of ["starting", "stopping"] as const) {
    it(`is 503 while the hub is ${passing}, so that a balancer turns elsewhere`, async () => {
      const { status, json } = await ask("/health", monitored({ sources: [aSource()], passing: () => passing }));
      assert.deepEqual([status, json["status"]], [503, passing]);
    });
  }

  it("of a cluster tells who holds what, and names nobody to those who may not use everything", async () => {
    const view = { node: "uno", nodes: ["dos", "uno"], sources: [{ name: "tv", node: "dos" as string | null }] };
    const cluster = aClusterApi({ view: () => ({ ...view, isConnected: true, hasDatabase: true }) });
    const { json } = await ask("/health/cluster", { ...monitored({}), cluster });
    const { sources: _, ...member } = NODE;
    const told = { ...view, members: [member], missing: ["dos"] };
    assert.deepEqual(json, { status: "healthy", nats: "ok", store: "ok", unheld: 0, ...told });
    const limited = await ask("/health/cluster", { ...monitored({}), cluster }, LIMITED);
    assert.deepEqual(limited.json, { status: "healthy", nats: "ok", store: "ok", unheld: 0 });
    const unheld = { ...view, sources: [{ name: "tv", node: null }], isConnected: false, hasDatabase: true };
    const away = aClusterApi({
      view: () => unheld,
      nodes: () => assert.fail("nobody is asked for those who may not see it"),
    });
    const worse = await ask("/health/cluster", { ...monitored({}), cluster: away }, LIMITED);
    assert.deepEqual(worse.json, { status: "degraded", nats: "away", store: "ok", unheld: 1 });
    const alone = await ask("/health/cluster", monitored({ storeFault: () => "the disk is full" }));
    const [status, nats, store] = ["degraded", "ok", "error"];
    assert.deepEqual(alone.json, { status, nats, store, unheld: 0, nodes: [], sources: [] });
  });

  it("is of this node: sources that another node holds do not count", async () => {
    const sources = [aSource({ name: "far", node: "dos", state: "broken" }), aSource({ name: "near", node: "uno" })];
    const looked = { ...monitored({ sources }), cluster: aClusterApi({}) };
    const { json } = await ask("/health", looked);
    const { mcp_sessions } = json["dependencies"] as Record<string, unknown>;
    assert.deepEqual(mcp_sessions, { status: "ok", healthy_count: 1, total_count: 1 });
    const { text } = await ask("/metrics", looked);
    assert.ok(text.includes('zaguan_source_up{source="near",node="uno"} 1'), "with the node");
    assert.ok(!text.includes('source="far"'));
    assert.ok(text.includes('zaguan_cluster_nodes{node="uno"} 2'));
  });

  it("is degraded while the other nodes cannot be reached, whatever those hold", async () => {
    const view = { node: "uno", nodes: ["uno"], sources: [], hasDatabase: true };
    const house = aHouse({ state: "waiting" });
    const sources = [aSource({ name: house.name, state: "waiting", node: "dos" })];
    const looked = monitored({ sources, houses: () => [house] });
    const nats = { status: "error", error: "NATS cannot be reached" };
    const clusterOf = (isConnected: boolean) => aClusterApi({ view: () => ({ ...view, isConnected }) });
    const away = await ask("/health", { ...looked, cluster: clusterOf(false) });
    assert.deepEqual([away.status, away.json["status"]], [200, "degraded"]);
    assert.deepEqual((away.json["dependencies"] as Record<string, unknown>)["nats"], nats);
    const back = await ask("/health", { ...looked, cluster: clusterOf(true) });
    assert.deepEqual([back.status, back.json["status"]], [200, "healthy"]);
  });

  it("is degraded until the leases' own connections have found the database again, too", async () => {
    const view = { node: "uno", nodes: ["uno"], sources: [], isConnected: true, hasDatabase: false };
    const looked = { ...monitored({ sources: [aSource()] }), cluster: aClusterApi({ view: () => view }) };
    const { status, json } = await ask("/health", looked);
    assert.deepEqual([status, json["status"]], [200, "degraded"]);
    const store = { status: "error", error: "the database cannot be reached" };
    assert.deepEqual((json["dependencies"] as Record<string, unknown>)["store"], store);
    const all = await ask("/health/cluster", looked, LIMITED);
    assert.deepEqual(all.json, { status: "degraded", nats: "ok", store: "error", unheld: 0 });
  });

  it("does not count on a source that has fallen silent", async () => {
    const looked = monitored({ sources: [aSource({ name: "tv" })] });
    looked.statistics.take({ type: "source-silent", source: "tv", isSilent: true });
    assert.equal((await ask("/health", looked)).status, 503);
  });

  it("tells how quickly the house answers", async () => {
    const { status, json } = await health([], [aHouse(), aHouse({ name: "playa", pingMs: 90 })]);
    const { home_assistant } = json["dependencies"] as Record<string, unknown>;
    assert.deepEqual([status, home_assistant], [200, { status: "ok", response_time_ms: 90 }]);
  });

  const REASONS: readonly (readonly [HouseStatus["obstacle"], string])[] = [
    ["refused", "Connection refused"],
    ["timeout", "Connection timeout"],
    ["credentials", "Invalid token"],
    [undefined, "Unavailable"],
  ];
  for (const [obstacle, error] of REASONS) {
    it(`is 503 while a house is away: ${obstacle} is told as "${error}"`, async () => {
      const away = aHouse({ name: "playa", state: "waiting", obstacle });
      const { status, json, text } = await health([aSource()], [aHouse(), away]);
      const { home_assistant, mcp_sessions } = json["dependencies"] as Record<string, { status: string }>;
      assert.deepEqual([status, json["status"], mcp_sessions?.status], [503, "unhealthy", "ok"]);
      assert.deepEqual(home_assistant, { status: "error", error, last_success: "2026-01-02T03:04:05.000Z" });
      assert.doesNotMatch(text, /192\.168|8123|casa/);
    });
  }
});

describe("GET /metrics", () => {
  it("shows what the hub says of itself at that moment", async () => {
    const counts = () => ({ total: 3, available: 4, healthy: 2, reconnecting: 0, idle: 1 });
    const sources = [aSource({ name: "tv" }), aSource({ name: "lamp", state: "broken" })];
    const looked = monitored({ sources, queue: () => QUEUE, bridgeSessions: { counts } });
    const { status, text, headers } = await ask("/metrics", looked);
    const told = new PrometheusText(text);
    assert.deepEqual([status, headers["content-type"]], [200, "text/plain; version=0.0.4; charset=utf-8"]);
    assert.deepEqual([told.sum("bridge_queue_size"), told.sum("bridge_active_sessions")], [3, 2]);
    assert.equal(told.sum("zaguan_queue_waiting", { class: "MEDIUM" }), 2);
    assert.equal(told.sum("zaguan_open", { door: "mcp", what: "sessions" }), 4);
    assert.equal(told.sum("zaguan_source_up", { source: "tv" }), 1);
    assert.equal(told.sum("zaguan_source_up", { source: "lamp" }), 0);
  });

  it("names no source to a limited caller", async () => {
    const { status, json } = await ask("/metrics", monitored({ sources: [aSource()] }), LIMITED);
    assert.deepEqual([status, json["code"]], [403, "FORBIDDEN"]);
  });
});

describe("the description", () => {
  it("holds: nothing is answered that it does not name", async () => {
    const houses = () => [aHouse({ name: "a" }), aHouse({ name: "b", state: "waiting" })];
    const inCluster = { ...monitored({ sources: [aSource({ node: "uno" })] }), cluster: aClusterApi({}) };
    for (const looked of [monitored({ sources: [aSource()] }), monitored({ houses }), inCluster]) {
      for (const { path, answers } of MONITORING_OPERATIONS) {
        const { status, json } = await ask(path, looked);
        const { schema } = answers[status] ?? assert.fail(`${path} ${status}`);
        if (schema) assert.deepEqual(schema.parse(json), json);
      }
    }
  });
});
