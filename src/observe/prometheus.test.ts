/** What Prometheus reads: every line of it, and that it follows what happens. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { callEnded } from "../../test/support/monitored.ts";
import { PrometheusText } from "../../test/support/prometheus-text.ts";
import { METRICS } from "./metrics.ts";
import type { Present } from "./prometheus.ts";
import { Statistics } from "./statistics.ts";

const PRESENT: Present = {
  version: "9.9.9",
  callsInFlight: 4,
  unreadBytes: 7,
  open: [],
  isWritable: true,
  queue: { pending: 3, processing: 2, byPriority: { HIGH: 1, MEDIUM: 2, LOW: 0, BULK: 0 }, estimatedWaitMs: 0 },
  sessions: { healthy: 5, reconnecting: 1, idle: 2 },
  sources: [
    { name: "tv", isUp: true, restarts: 0 },
    { name: "lamp", isUp: false, restarts: 7 },
  ],
};

async function scrape(statistics: Statistics, present: Partial<Present> = {}): Promise<PrometheusText> {
  const { text } = await statistics.forPrometheus({ ...PRESENT, ...present }, "text/plain");
  return new PrometheusText(text);
}

describe("the text for Prometheus", () => {
  it("says of every metric what it is", async () => {
    const { contentType, text } = await new Statistics().forPrometheus(PRESENT, undefined);
    assert.equal(contentType, "text/plain; version=0.0.4; charset=utf-8");
    const told = new PrometheusText(text);
    for (const { name, type, help } of METRICS) {
      assert.deepEqual([told.typeOf(name), told.helpOf(name)], [type, help]);
    }
  });

  it("has the seed's lines, character by character", async () => {
    const statistics = new Statistics();
    for (let request = 0; request < 3; request++) statistics.answered("POST", "/mcp/tools/call", 200, 300);
    statistics.cacheHit();
    const lines = (await statistics.forPrometheus(PRESENT, undefined)).text.split("\n");
    for (const line of [
      "# HELP bridge_requests_total Total number of HTTP requests",
      "# TYPE bridge_requests_total counter",
      'bridge_requests_total{method="POST",endpoint="/mcp/tools/call"} 3',
      "# TYPE bridge_request_duration_seconds histogram",
      'bridge_request_duration_seconds_bucket{le="0.1"} 0',
      'bridge_request_duration_seconds_bucket{le="0.5"} 3',
      'bridge_request_duration_seconds_bucket{le="1.0"} 3',
      'bridge_request_duration_seconds_bucket{le="+Inf"} 3',
      "bridge_request_duration_seconds_count 3",
      "bridge_queue_size 3",
      "bridge_active_sessions 5",
      'bridge_cache_hits_total{level="l1"} 1',
      'bridge_responses_total{status="200"} 3',
    ]) {
      assert.ok(lines.includes(line), line);
    }
  });

  it("follows what happens", async () => {
    const statistics = new Statistics();
    const before = await scrape(statistics);
    statistics.take(callEnded({ ms: 20, queuedMs: 300, call: { source: "tv", priority: "HIGH" } }));
    statistics.take(callEnded({ ms: 2_000, error: "SOURCE_ERROR", call: { source: "tv" } }));
    statistics.take({ type: "internal-error", reference: "a", cause: undefined });
    statistics.cacheMiss();
    statistics.evicted(4);
    const after = await scrape(statistics);
    const grown: readonly (readonly [string, Record<string, string>, number])[] = [
      ["zaguan_calls_total", { source: "tv", outcome: "ok" }, 1],
      ["zaguan_calls_total", { source: "tv", outcome: "SOURCE_ERROR" }, 1],
      ["zaguan_call_duration_seconds_bucket", { le: "0.025" }, 1],
      ["zaguan_call_duration_seconds_bucket", { le: "2.5" }, 2],
      ["zaguan_call_duration_seconds_count", {}, 2],
      ["zaguan_queue_wait_seconds_bucket", { class: "HIGH", le: "0.25" }, 0],
      ["zaguan_queue_wait_seconds_bucket", { class: "HIGH", le: "0.5" }, 1],
      ["zaguan_internal_errors_total", {}, 1],
      ["zaguan_cache_misses_total", {}, 1],
      ["zaguan_cache_evictions_total", {}, 4],
    ];
    for (const [name, labels, by] of grown) assert.equal(after.sum(name, labels) - before.sum(name, labels), by, name);
  });

  it("shows what is so right now", async () => {
    const told = await scrape(new Statistics());
    assert.equal(told.sum("zaguan_queue_waiting", { class: "MEDIUM" }), 2);
    assert.equal(told.sum("zaguan_queue_processing"), 2);
    assert.equal(told.sum("zaguan_calls_in_flight"), 4);
    assert.equal(told.sum("zaguan_unread_bytes"), 7);
    assert.equal(told.sum("zaguan_sessions", { status: "idle" }), 2);
    assert.equal(told.sum("zaguan_source_up", { source: "tv" }), 1);
    assert.equal(told.sum("zaguan_source_up", { source: "lamp" }), 0);
    assert.equal(told.sum("zaguan_source_restarts_total", { source: "lamp" }), 7);
    assert.equal(told.sum("zaguan_build_info", { version: "9.9.9" }), 1);
  });

  it("survives every name", async () => {
    const name = 'a "b" \\ c\nd';
    const statistics = new Statistics();
    statistics.take(callEnded({ call: { source: name } }));
    const told = await scrape(statistics, { sources: [{ name, isUp: true, restarts: 0 }] });
    assert.equal(told.all("zaguan_calls_total")[0]?.labels["source"], 'a \\"b\\" \\\\ c\\nd');
    assert.equal(told.all("zaguan_source_up").length, 1);
  });

  it("does not grow with the number of sources", async () => {
    const statistics = new Statistics();
    const names = ["other", ...Array.from({ length: 1_500 }, (_, index) => `s${index}`)];
    for (const source of names) statistics.take(callEnded({ call: { source } }));
    const sources = names.map((name) => ({ name, isUp: name !== "s1400", restarts: 0 }));
    const told = await scrape(statistics, { sources });
    assert.ok(told.all("zaguan_calls_total").length <= 1_001);
    assert.equal(told.sum("zaguan_calls_total"), 1_501);
    assert.ok(told.all("zaguan_source_up").length <= 1_001);
    assert.equal(told.sum("zaguan_source_up", { source: "other" }), 0, "one of the rest is down");
  });

  it("tells of the process, its garbage collector and its event loop, whoever asks", async () => {
    for (const statistics of [new Statistics(), new Statistics()]) {
      const told = await scrape(statistics);
      assert.ok(told.sum("process_resident_memory_bytes") > 1_000_000);
      assert.ok(told.sum("process_cpu_seconds_total") > 0);
      assert.equal(told.typeOf("nodejs_eventloop_lag_p99_seconds"), "gauge");
      assert.equal(told.typeOf("nodejs_gc_duration_seconds"), "histogram");
    }
  });
});

describe("OpenMetrics", () => {
  const ACCEPT =
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,*/*;q=0.1";

  it("is spoken to who asks for it, and to nobody after", async () => {
    const statistics = new Statistics();
    statistics.answered("GET", "/health", 200, 1);
    for (const _ of [1, 2]) {
      const { contentType, text } = await statistics.forPrometheus(PRESENT, ACCEPT);
      assert.equal(contentType, "application/openmetrics-text; version=1.0.0; charset=utf-8");
      const lines = text.split("\n");
      assert.deepEqual(lines.slice(-2), ["# EOF", ""]);
      assert.ok(!lines.slice(0, -1).includes(""), "no line is empty");
      assert.ok(lines.includes("# TYPE bridge_requests counter"));
      assert.ok(lines.includes('bridge_requests_total{method="GET",endpoint="/health"} 1'));
      assert.ok(lines.includes("# TYPE process_cpu_seconds counter"));
      const told = await scrape(statistics);
      assert.equal(told.typeOf("bridge_requests_total"), "counter");
      assert.equal(told.typeOf("process_cpu_seconds_total"), "counter");
    }
  });
});

describe("the library", () => {
  it("is loaded by the first scrape, watches the process once, and does not keep it alive", () => {
    const code = `
      import { createRequire } from "node:module";
      import hooks from "node:perf_hooks";
      import { Statistics } from ${JSON.stringify(new URL("./statistics.ts", import.meta.url).href)};
      let watches = 0;
      const { monitorEventLoopDelay } = hooks;
      hooks.monitorEventLoopDelay = (options) => (watches++, monitorEventLoopDelay(options));
      const { cache } = createRequire(${JSON.stringify(import.meta.url)});
      const isLoaded = () => Object.keys(cache).some((file) => file.includes("prom-client"));
      const queue = () => ({ HIGH: 0, MEDIUM: 0, LOW: 0, BULK: 0 });
      const hubs = [new Statistics(), new Statistics()];
      for (const hub of hubs) hub.watch({ queue, cache: () => ({ bytes: 0 }) });
      const before = isLoaded();
      for (const hub of [...hubs, ...hubs]) await hub.forPrometheus(${JSON.stringify(PRESENT)}, undefined);
      const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout");
      console.log(JSON.stringify([before, isLoaded(), watches, timers]));
    `;
    const options = { encoding: "utf8", timeout: 25_000 } as const;
    const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", code], options);
    assert.equal(status, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), [false, true, 1, []], stderr);
  });
});
