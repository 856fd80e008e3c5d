/** The headers of seed 003. What cannot be understood counts as not given: a header never stands in the way of a call. */
import { randomUUID } from "node:crypto";
import type { Freshness, Priority } from "../../core/call.ts";
import type { Exchange } from "../door.ts";

const PRIORITIES: readonly string[] = ["HIGH", "MEDIUM", "LOW", "BULK"] satisfies readonly Priority[];
const SECONDS = /^[+-]?\d+(?:\.\d+)?$/;
const LEAST_SECONDS = 1;
const MOST_SECONDS = 300;
/** What can stand in a header, a log and a JSON text alike. */
const PRINTABLE = /^[\x20-\x7e]{1,128}$/;

export function priorityIn(exchange: Exchange): Priority {
  const wanted = exchange.header("x-priority")?.trim().toUpperCase() ?? "";
  return PRIORITIES.includes(wanted) ? (wanted as Priority) : "MEDIUM";
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

/** The caller's, or one of ours, so that there is always something to look for in a log. */
export function requestIdIn(exchange: Exchange): string {
  return printable(exchange.header("x-request-id")) ?? `req-${randomUUID()}`;
}

export function clientIdIn(exchange: Exchange): string | undefined {
  return printable(exchange.header("x-client-id"));
}

/** Undefined where it is absent; the empty one is some session's that is unknown. */
export function sessionIdIn(exchange: Exchange): string | undefined {
  return exchange.header("x-session-id");
}

function ageIn(directive: string): number | undefined {
  const said = directive.trim();
  if (said === "no-cache" || said === "no-store") return 0;
  const [, seconds] = /^max-age="?(\d+)"?$/.exec(said) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

function printable(header: string | undefined): string | undefined {
  return header !== undefined && PRINTABLE.test(header) ? header : undefined;
}
