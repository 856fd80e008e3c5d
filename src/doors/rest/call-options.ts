/**
 * The headers of seed 003 that say how a call is wanted, at every door that speaks plain HTTP. What cannot be understood
 * counts as not given: a header never stands in the way of a call.
 */
import { PRIORITIES, type Priority } from "../../contract/rules.ts";
import type { CallOptions, Freshness } from "../../core/call.ts";
import type { Exchange } from "../door.ts";

const SECONDS = /^[+-]?\d+(?:\.\d+)?$/;
const LEAST_SECONDS = 1;
const MOST_SECONDS = 300;

export function callOptionsIn(exchange: Exchange): CallOptions {
  return { priority: priorityIn(exchange), timeoutMs: timeoutMsIn(exchange), freshness: freshnessIn(exchange) };
}

export function priorityIn(exchange: Exchange): Priority {
  const wanted = exchange.header("x-priority")?.trim().toUpperCase() ?? "";
  return PRIORITIES.find((priority) => priority === wanted) ?? "MEDIUM";
}

/** Undefined for the hub's own. */
export function timeoutMsIn(exchange: Exchange): number | undefined {
  const wanted = exchange.header("x-timeout")?.trim() ?? "";
  if (!SECONDS.test(wanted)) return undefined;
  return Math.min(Math.max(Number(wanted), LEAST_SECONDS), MOST_SECONDS) * 1_000;
}

/** Of several directives the strictest. */
export function freshnessIn(exchange: Exchange): Freshness | undefined {
  const ages = (exchange.header("x-cache-control") ?? "").toLowerCase().split(",").map(ageIn);
  const known = ages.filter((age) => age !== undefined);
  return known.length === 0 ? undefined : { maxAgeSeconds: Math.min(...known) };
}

function ageIn(directive: string): number | undefined {
  const said = directive.trim();
  if (said === "no-cache" || said === "no-store") return 0;
  const [, seconds] = /^max-age="?(\d+)"?$/.exec(said) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}
