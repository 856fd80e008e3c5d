/**
 * Every metric of ours as one table: name, meaning, and where its values come from. The first six bear the names that
 * seed 003 gave them; the rest are ours. Labels never hold what a stranger chose.
 */
import { PRIORITIES } from "../contract/rules.ts";
import type { Present } from "./prometheus.ts";
import { MOST_SOURCES, type Statistics } from "./statistics.ts";
import { type DurationTally, gcDurations } from "./tallies.ts";

export interface OwnMetric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  values(statistics: Statistics, present: Present): readonly MetricSample[];
}

interface MetricSample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** Where it is not the metric's own: histograms have three kinds. */
  readonly metricName?: string;
}

type Ask = (statistics: Statistics, present: Present) => number;

export const METRICS: readonly OwnMetric[] = [
  {
    name: "bridge_requests_total",
    type: "counter",
    help: "Total number of HTTP requests",
    values: ({ requests }) =>
      requests.entries().map(({ name: endpoint, column: method, count }) => {
        return { labels: { method, endpoint }, value: count };
      }),
  },
  durations("bridge_request_duration_seconds", "Request duration in seconds", (statistics) => [
    [{}, statistics.requestDurations],
  ]),
  gauge("bridge_queue_size", "Current queue size", (_, { queue }) => queue.pending),
  gauge("bridge_active_sessions", "Currently active MCP sessions", (_, { sessions }) => sessions.healthy),
  {
    name: "bridge_cache_hits_total",
    type: "counter",
    help: "Cache hits by level",
    values: ({ cacheHits }) => [{ labels: { level: "l1" }, value: cacheHits }],
  },
  {
    name: "bridge_responses_total",
    type: "counter",
    help: "HTTP answers by status",
    values: ({ responses }) =>
      [...responses.entries()]
        .filter(([, count]) => count > 0)
        .map(([status, count]) => ({ labels: { status: status === 0 ? "other" : `${status}` }, value: count })),
  },
  {
    name: "zaguan_calls_total",
    type: "counter",
    help: "Calls by source and by how they ended",
    values: ({ calls }) =>
      calls.entries().map(({ name: source, column: outcome, count }) => {
        return { labels: { source, outcome }, value: count };
      }),
  },
  durations("zaguan_call_duration_seconds", "How long calls took, waiting included", (statistics) => [
    [{}, statistics.callDurations],
  ]),
  counter("zaguan_call_retries_total", "Calls that were tried again", ({ retries }) => retries),
  gauge("zaguan_calls_in_flight", "Calls under way", (_, { callsInFlight }) => callsInFlight),
  gauge("zaguan_unread_bytes", "Written to clients that have not read it", (_, { unreadBytes }) => unreadBytes),
  {
    name: "zaguan_open",
    type: "gauge",
    help: "Sessions, streams and sockets that clients hold open, by door",
    values: (_, { open }) => open.map(({ door, what, count }) => ({ labels: { door, what }, value: count })),
  },
  {
    name: "zaguan_queue_waiting",
    type: "gauge",
    help: "Calls that wait, by class",
    values: (_, { queue }) => PRIORITIES.map((name) => ({ labels: { class: name }, value: queue.byPriority[name] })),
  },
  gauge("zaguan_queue_processing", "Calls that sources work on", (_, { queue }) => queue.processing),
  durations("zaguan_queue_wait_seconds", "How long calls waited for their source, by class", ({ queueDurations }) =>
    PRIORITIES.map((name) => [{ class: name }, queueDurations[name]]),
  ),
  {
    name: "zaguan_sessions",
    type: "gauge",
    help: "Open bridge sessions by status",
    values: (_, { sessions }) => Object.entries(sessions).map(([status, value]) => ({ labels: { status }, value })),
  },
  {
    name: "zaguan_source_up",
    type: "gauge",
    help: "Whether a source can be called: 1 or 0",
    values: (_, { sources }) => perSource(sources, ({ isUp }) => Number(isUp), Math.min),
  },
  {
    name: "zaguan_source_restarts_total",
    type: "counter",
    help: "How often a source was started again",
    values: (_, { sources }) => perSource(sources, ({ restarts }) => restarts, Math.max),
  },
  counter("zaguan_cache_misses_total", "What caches were asked for and did not have", ({ cacheMisses }) => cacheMisses),
  counter("zaguan_cache_evictions_total", "Kept answers that made room for others", (told) => told.cacheEvictions),
  gauge("zaguan_cache_bytes", "What kept answers take", (statistics) => statistics.cacheSize().bytes),
  gauge("zaguan_store_writable", "Whether the hub can keep anything: 1 or 0", (_, now) => Number(now.isWritable)),
  counter("zaguan_internal_errors_total", "Failures that nobody expected", ({ internalErrors }) => internalErrors),
  durations("nodejs_gc_duration_seconds", "How long garbage collections took, by kind", () =>
    [...gcDurations].map(([kind, tally]) => [{ kind }, tally]),
  ),
  {
    name: "zaguan_build_info",
    type: "gauge",
    help: "Which Zaguan this is; always 1",
    values: (_, { version }) => [{ labels: { version }, value: 1 }],
  },
];

/** Only where this hub is one node of several. */
export const CLUSTER_METRICS: readonly OwnMetric[] = [
  gauge("zaguan_cluster_nodes", "Nodes that are alive, as this one sees it", (_, now) => now.cluster?.nodes ?? 0),
  gauge("zaguan_cluster_connected", "Whether this node reaches the others: 1 or 0", (_, now) =>
    Number(now.cluster?.isConnected ?? false),
  ),
  gauge(
    "zaguan_cluster_sources_owned",
    "Sources that this node holds and only one may",
    (_, now) => now.cluster?.owned ?? 0,
  ),
  gauge(
    "zaguan_cluster_sources_unheld",
    "Sources that only one node may hold and none does",
    (_, now) => now.cluster?.unheld ?? 0,
  ),
];

function gauge(name: string, help: string, ask: Ask): OwnMetric {
  return { name, help, type: "gauge", values: (statistics, present) => [{ value: ask(statistics, present) }] };
}

function counter(name: string, help: string, ask: Ask): OwnMetric {
  return { ...gauge(name, help, ask), type: "counter" };
}

type Labelled = readonly [labels: Readonly<Record<string, string>>, tally: DurationTally];

function durations(name: string, help: string, ask: (statistics: Statistics) => readonly Labelled[]): OwnMetric {
  return {
    name,
    help,
    type: "histogram",
    values: (statistics) => ask(statistics).flatMap(([labels, tally]) => durationSamples(name, labels, tally)),
  };
}

function durationSamples(name: string, labels: Labelled[0], tally: DurationTally): MetricSample[] {
  const counts = tally.withinBounds();
  const bounds = [...tally.bounds.map(boundText), "+Inf"];
  const buckets = counts.map((value, index) => {
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[index] ?? "" }, value };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: tally.sumSeconds },
    { metricName: `${name}_count`, labels, value: counts.at(-1) ?? 0 },
  ];
}

/** `1.0` and not `1`: the seed writes it so, and OpenMetrics wants it so. */
function boundText(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : `${bound}`;
}

/** Those beyond the bound are told of as one. */
function perSource(
  sources: Present["sources"],
  ask: (source: Present["sources"][number]) => number,
  together: (one: number, other: number) => number,
): MetricSample[] {
  const values = new Map<string, number>();
  for (const source of sources) {
    const name = values.size < MOST_SOURCES ? source.name : "other";
    values.set(name, together(ask(source), values.get(name) ?? ask(source)));
  }
  return [...values].map(([source, value]) => ({ labels: { source }, value }));
}
