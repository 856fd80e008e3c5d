/**
 * Our counters as Prometheus reads them. The form and the figures of the process itself are prom-client's; ours are kept
 * in `Statistics` and handed over when somebody asks, so that a call pays nothing for it. Loaded by the first scrape.
 */
import {
  collectDefaultMetrics,
  type Metric,
  type MetricObjectWithValues,
  type MetricValue,
  openMetricsContentType,
  Registry,
  type RegistryContentType,
} from "prom-client";
import type { QueueView } from "../core/lanes.ts";
import { METRICS, type OwnMetric } from "./metrics.ts";
import type { Statistics } from "./statistics.ts";

/** What is so at the moment of the question. */
export interface Present {
  readonly version: string;
  readonly callsInFlight: number;
  readonly unreadBytes: number;
  readonly queue: QueueView;
  /** By their status. */
  readonly sessions: { readonly healthy: number; readonly reconnecting: number; readonly idle: number };
  readonly sources: readonly { readonly name: string; readonly isUp: boolean; readonly restarts: number }[];
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
  for (const metric of METRICS) registry.registerMetric(asMetric(metric, () => metric.values(statistics, present)));
  for (const metric of ofTheProcess().getMetricsAsArray()) {
    const { get } = metric as unknown as { get(): Promise<MetricObjectWithValues<MetricValue<string>>> };
    registry.registerMetric(asMetric(metric, async () => (await get.call(metric)).values));
  }
  return { contentType: registry.contentType, text: await registry.metrics() };
}

let known: Registry | undefined;

/** There is one process, whatever runs in it: its garbage collector and event loop are watched once, from here on. */
function ofTheProcess(): Registry {
  if (known) return known;
  known = new Registry();
  collectDefaultMetrics({ register: known });
  return known;
}

type Described = Pick<OwnMetric, "name" | "help"> & { readonly type: unknown };
type Values = readonly { readonly value: number }[];

/** The part of a metric that a registry asks for. */
function asMetric({ name, help, type }: Described, values: () => Values | Promise<Values>): Metric {
  const metric = {
    ...{ name, help, type },
    get: async () => ({ name: metric.name, help, type, values: await values(), aggregator: "sum" }),
  };
  return metric as unknown as Metric;
}

function wantsOpenMetrics(accept = ""): boolean {
  return accept.split(",").some((range) => /^\s*application\/openmetrics-text(?:$|[\s;])/.test(range));
}
