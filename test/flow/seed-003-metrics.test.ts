/**
 * Seed 003 §6 as a test: `GET /metrics` as Prometheus reads it, with the printed names, kinds and labels, and figures that
 * follow what is done. Written from the documents alone.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { PrometheusText } from "../support/prometheus-text.ts";
import { bare, SEED_TOOL, StandIn } from "../support/registry-servers.ts";
import {
  askUntil,
  assertBridged,
  type Begun,
  BridgeClient,
  CALL_HOUSE,
  CALL_STATE,
  type OpenHome,
  openHome,
  toolCall,
  untilListed,
} from "../support/seed-003.ts";

const SLOW = toolCall(9, SEED_TOOL.name, { prompt: "hola" });
const CALLS = { method: "POST", endpoint: "/mcp/tools/call" };
const L1 = { level: "l1" };

let slow: StandIn;
let house: OpenHome;
let client: BridgeClient;
before(async () => {
  slow = await StandIn.start({
    http: (told, server) => (told.method === "tools/call" ? undefined : bare(told, server)),
  });
  const entry = { url: slow.url, zaguan: { allowPrivate: true, concurrency: 1 } };
  house = await openHome({
    config: { mcpServers: { slow: entry } },
    policy: { cacheSeconds: { get_entity_state: 600 } },
  });
  await untilListed(house.http, SEED_TOOL.name);
  client = await BridgeClient.open(house.http);
  assertBridged(await client.call(CALL_HOUSE), 1);
});
after(async () => {
  await house?.stop();
  await slow?.close();
});

async function metrics(): Promise<PrometheusText> {
  const { status, headers, text } = await house.http.get("/metrics");
  assert.equal(status, 200, text);
  assert.match(headers.get("content-type") ?? "", /^text\/plain/);
  return new PrometheusText(text);
}

describe("6. Métriques Prometheus: GET /metrics", () => {
  for (const [name, type] of [
    ["bridge_requests_total", "counter"],
    ["bridge_request_duration_seconds", "histogram"],
    ["bridge_queue_size", "gauge"],
    ["bridge_active_sessions", "gauge"],
    ["bridge_cache_hits_total", "counter"],
  ] as const) {
    it(`tells what ${name} is: a ${type}`, async () => {
      const told = await metrics();
      assert.equal(told.typeOf(name), type);
      assert.match(told.helpOf(name) ?? "", /\S/);
    });
  }

  it("counts requests by method and endpoint", async () => {
    const before = await metrics();
    for (const _ of [1, 2, 3]) assertBridged(await client.call(CALL_HOUSE), 1);
    await client.list();
    const after = await metrics();
    assert.equal(after.sum("bridge_requests_total", CALLS) - before.sum("bridge_requests_total", CALLS), 3);
    const lists = { method: "POST", endpoint: "/mcp/tools/list" };
    assert.equal(after.sum("bridge_requests_total", lists) - before.sum("bridge_requests_total", lists), 1);
  });

  it("counts their time in buckets, the printed ones among them", async () => {
    const before = await metrics();
    assertBridged(await client.call(CALL_HOUSE), 1);
    const after = await metrics();
    const total = "bridge_request_duration_seconds_count";
    assert.ok(after.sum(total) > before.sum(total));
    assert.ok(after.sum("bridge_request_duration_seconds_sum") > before.sum("bridge_request_duration_seconds_sum"));
    const buckets = bucketsIn(after);
    for (const bound of [0.1, 0.5, 1, Number.POSITIVE_INFINITY]) assert.ok(buckets.has(bound), `le=${bound}`);
    const counts = [...buckets].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
    assert.deepEqual(
      counts,
      [...counts].sort((a, b) => a - b),
      "each holds the one before",
    );
    assert.equal(buckets.get(Number.POSITIVE_INFINITY), after.sum(total));
  });

  it("counts sessions that are open", async () => {
    const open = async (): Promise<number> => (await metrics()).sum("bridge_active_sessions");
    const before = await open();
    const another = await BridgeClient.open(house.http);
    assert.equal(await open(), before + 1);
    await another.end();
    assert.equal(await open(), before);
  });

  it("counts what the cache answered", async () => {
    await client.call(CALL_STATE);
    const before = (await metrics()).sum("bridge_cache_hits_total", L1);
    for (const _ of [1, 2]) assert.equal(assertBridged(await client.call(CALL_STATE), 3).bridge_info.cached, true);
    assert.equal((await metrics()).sum("bridge_cache_hits_total", L1), before + 2);
    await client.call(CALL_STATE, { "x-cache-control": "no-cache" });
    assert.equal((await metrics()).sum("bridge_cache_hits_total", L1), before + 2);
  });

  it("shows the queue as it grows and empties", async () => {
    assert.equal((await metrics()).sum("bridge_queue_size"), 0);
    const begun: Begun[] = [1, 2, 3].map(() => client.begin(SLOW));
    await askUntil("two wait", metrics, (told) => told.sum("bridge_queue_size") >= 2);
    await Promise.all(begun.map((call) => call.leave()));
    await askUntil("nobody waits", metrics, (told) => told.sum("bridge_queue_size") === 0);
  });

  it("tells of the process and its event loop", async () => {
    const names = new Set((await metrics()).samples.map(({ name }) => name));
    assert.ok(names.has("process_cpu_seconds_total") || names.has("process_cpu_user_seconds_total"));
    assert.ok(names.has("process_resident_memory_bytes"));
    assert.ok([...names].some((name) => /eventloop/.test(name)));
  });

  it("does not grow with what strangers ask for", async () => {
    for (const path of ["/mcp/wp-login.php", "/mcp/servers/nobody-7f3a", "/agents/nobody-7f3a/mcp"]) {
      await house.http.post(path, CALL_HOUSE);
    }
    const text = JSON.stringify((await metrics()).samples);
    assert.doesNotMatch(text, /wp-login|7f3a/);
    assert.ok(!text.includes(client.sessionId));
  });
});

/** Summed over all other labels, by their upper bound. */
function bucketsIn(told: PrometheusText): Map<number, number> {
  const buckets = new Map<number, number>();
  for (const { labels, value } of told.all("bridge_request_duration_seconds_bucket")) {
    const bound = labels["le"] === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels["le"]);
    buckets.set(bound, (buckets.get(bound) ?? 0) + value);
  }
  return buckets;
}
