/**
 * Our counters as Prometheus reads them. The form and most figures of the process itself are prom-client's; ours are kept
 * in `Statistics` and handed over when somebody asks, so that a call pays nothing for it. Loaded by the first scrape, whose
 * figures are as true as those of the next.
 */
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import {
  type Counter,
  collectDefaultMetrics,
  type Metric,
  type MetricObject,
  type MetricObjectWithValues,
  type MetricValue,
  openMetricsContentType,
  Registry,
  type RegistryContentType,
} from "prom-client";
import type { QueueView } from "../core/source-queue.ts";
import { CLUSTER_METRICS, METRICS, type OwnMetric } from "./metrics.ts";
import type { Statistics } from "./statistics.ts";

/** What is so at the moment of the question. */
export interface Present {
  readonly version: string;
  readonly callsInFlight: number;
  readonly unreadBytes: number;
  /** What clients hold open, by door. */
  readonly open: readonly { readonly door: string; readonly what: string; readonly count: number }[];
  /** Whether the store can be written. */
  readonly isWritable: boolean;
  readonly queue: QueueView;
  /** Where this hub is one node of several, as it sees them. */
  readonly cluster?: ClusterPresent | undefined;
  /** By their status. */
  readonly sessions: { readonly healthy: number; readonly reconnecting: number; readonly idle: number };
  readonly sources: readonly { readonly name: string; readonly isUp: boolean; readonly restarts: number }[];
}

interface ClusterPresent {
  /** The name of this node. */
  readonly node: string;
  /** How many are alive. */
  readonly nodes: number;
  readonly isConnected: boolean;
  /** Sources that only one node may hold: those of this one, and those that nobody holds. */
  readonly owned: number;
  readonly unheld: number;
}

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

export async function exposition(
  statistics: Statistics,
  present: Present,
  accept: string | undefined,
): Promise<Exposition> {
  // One for each answer: in OpenMetrics the registry takes the metrics' names apart, and would find them so next time.
  const registry = new Registry<RegistryContentType>();
  if (wantsOpenMetrics(accept)) registry.setContentType(openMetricsContentType);
  const { cluster } = present;
  if (cluster) registry.setDefaultLabels({ node: cluster.node });
  for (const metric of cluster ? [...METRICS, ...CLUSTER_METRICS] : METRICS)
    registry.registerMetric(asMetric(metric, () => metric.values(statistics, present)));
  known ??= ofTheProcess();
  for (const metric of (await known).getMetricsAsArray()) {
    if (!OURS.has(metric.name)) registry.registerMetric(asMetric(metric, () => valuesOf(metric)));
  }
  return { contentType: registry.contentType, text: await registry.metrics() };
}

/** prom-client listens to the garbage collector from the first scrape on, which would hide all that was before. */
const OURS: ReadonlySet<string> = new Set(METRICS.map(({ name }) => name));
/** Twice the time in which the event loop is looked at: two looks make one measured delay. */
const LOOK_MS = 20;
const LAG = "nodejs_eventloop_lag_seconds";
/** Longer than any delay: what prom-client tells where none was measured since the last scrape. */
const NO_LAG_SECONDS = 1_000_000_000;

let known: Promise<Registry> | undefined;

/** There is one process, whatever runs in it: its event loop is watched once, from here on. */
async function ofTheProcess(): Promise<Registry> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  countFromTheStart(registry);
  // One after the other, so that the loop turns in between however late it is.
  await sleep(LOOK_MS);
  await sleep(LOOK_MS);
  return registry;
}

/** prom-client adds what was used since it was loaded. */
function countFromTheStart(registry: Registry): void {
  const { user, system } = process.cpuUsage();
  for (const [name, micros] of [
    ["process_cpu_user_seconds_total", user],
    ["process_cpu_system_seconds_total", system],
    ["process_cpu_seconds_total", user + system],
  ] as const) {
    (registry.getSingleMetric(name) as Counter | undefined)?.inc(micros / 1_000_000);
  }
}

/** The first of the event loop's metrics is asked in any case, since asking it makes the values of the others. */
async function valuesOf(metric: MetricObject): Promise<Values> {
  const { get } = metric as unknown as { get(): Promise<MetricObjectWithValues<MetricValue<string>>> };
  const { values } = await get.call(metric);
  if (metric.name === LAG) return [{ value: await lagSeconds() }];
  if (!metric.name.startsWith("nodejs_eventloop_lag_")) return values;
  return values.filter(({ value }) => value < NO_LAG_SECONDS);
}

/** As it is now: prom-client tells what it measured at the scrape before. */
async function lagSeconds(): Promise<number> {
  const before = performance.now();
  await turn();
  return (performance.now() - before) / 1_000;
}

type Described = Pick<OwnMetric, "name" | "help"> & { readonly type: unknown };
type Values = readonly { readonly value: number }[];

/** The part of a metric that a registry asks for. */
function asMetric({ name, help, type }: Described, values: () => Values | Promise<Values>): Metric {
  const metric = {
    name,
    help,
    type,
    get: async () => ({ name: metric.name, help, type, values: await values(), aggregator: "sum" }),
  };
  return metric as unknown as Metric;
}

function wantsOpenMetrics(accept = ""): boolean {
  return accept.split(",").some((range) => /^\s*application\/openmetrics-text(?:$|[\s;])/.test(range));
}
