/** `GET /mcp/status`: the hub in the words of seed 003, every figure of it measured. */
import type { HubNode } from "../../contract/node.ts";
import { isLimited } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import type { SourceState } from "../../core/events.ts";
import type { StatisticsSnapshot } from "../../observe/statistics.ts";
import type { DoorContext, EndpointStatus, HouseStatus } from "../door.ts";
import { healthOf, isUp, type Monitored } from "./health.ts";

type Watched = Monitored & Pick<DoorContext, "xiaozhi">;

/** The body of the answer; field names are the seed's. */
export async function statusOf(context: Watched, principal: Principal): Promise<object> {
  const { version, uptimeSeconds, startedUtc } = context.status();
  const measured = context.statistics.snapshot();
  const { total, available, healthy, reconnecting, idle } = context.bridgeSessions.counts();
  return {
    bridge: {
      status: healthOf(context, principal).status,
      version,
      uptime_seconds: uptimeSeconds,
      started_at: startedUtc,
    },
    sessions: { active: healthy, total, available, by_status: { healthy, reconnecting, idle } },
    queue: queueOf(context, measured),
    cache: cacheOf(measured),
    performance: performanceOf(measured),
    // A limited caller is not told where a house stands.
    home_assistant: isLimited(principal) ? null : housesOf(context),
    // Nor whom the hub dials.
    ...(context.xiaozhi && { xiaozhi: isLimited(principal) ? [] : context.xiaozhi().map(endpointOf) }),
    ...(!isLimited(principal) && (await nodesOf(context))),
  };
}

/** What stands above is of the node that answers; where it is one of several, here is a row of each. */
async function nodesOf({ cluster }: Monitored): Promise<object> {
  if (!cluster) return {};
  const { nodes, missing } = await cluster.nodes();
  return { node: cluster.node, nodes: nodes.map(nodeOf), missing_nodes: missing };
}

function nodeOf({
  node,
  version,
  startedUtc,
  uptimeSeconds,
  load,
  callsInFlight,
  open,
  owned,
  draining,
}: HubNode): object {
  return {
    node,
    version,
    uptime_seconds: uptimeSeconds,
    started_at: startedUtc,
    load_percent: load,
    calls_in_flight: callsInFlight,
    open,
    sources_owned: owned,
    draining,
  };
}

function queueOf(context: Monitored, measured: StatisticsSnapshot): object {
  const { pending, processing, byPriority } = context.queue();
  return {
    pending,
    processing,
    completed_today: measured.completedToday,
    by_priority: byPriority,
    avg_wait_time_ms: rounded(measured.averageQueuedMs, 3),
  };
}

function cacheOf({ hitRate, evictionsToday, cache }: StatisticsSnapshot): object {
  return {
    hit_rate: rounded(hitRate, 4),
    size: cache.entries,
    max_size: cache.maxEntries,
    evictions_today: evictionsToday,
    bytes: cache.bytes,
    max_bytes: cache.maxBytes,
  };
}

/** Times of calls through any door; health checks and open streams do not count. */
function performanceOf(measured: StatisticsSnapshot): object {
  return {
    avg_response_time_ms: rounded(measured.averageMs, 3),
    requests_per_second: rounded(measured.callsPerSecond, 4),
    error_rate: rounded(measured.errorRate, 4),
    p95_response_time_ms: rounded(measured.p95Ms, 3),
    http_requests_per_second: rounded(measured.requestsPerSecond, 4),
  };
}

/** One house in the seed's form; of several the first, and all of them by name. */
function housesOf(context: Monitored): object | null {
  const houses = context.houses();
  const [first] = houses;
  if (!first) return null;
  const shown = houses.map((house) => [house.name, houseOf(house, context)] as const);
  return { ...houseOf(first, context), ...(houses.length > 1 && { houses: Object.fromEntries(shown) }) };
}

const HOUSE_STATES: Readonly<Record<SourceState, string>> = {
  idle: "idle",
  starting: "connecting",
  installing: "connecting",
  ready: "connected",
  waiting: "reconnecting",
  broken: "disconnected",
  closed: "disconnected",
};

function houseOf(house: HouseStatus, context: Monitored): object {
  const isMute = house.state === "ready" && !isUp(house, context);
  return {
    url: house.url,
    status: isMute ? "reconnecting" : HOUSE_STATES[house.state],
    last_ping_ms: house.pingMs ?? null,
    entities_count: house.entities ?? null,
  };
}

function endpointOf({ name, url, as, agent, state, sinceUtc, attempts, lastError, tools }: EndpointStatus): object {
  return {
    name,
    url,
    as,
    agent: agent ?? null,
    state,
    since: sinceUtc,
    attempts,
    last_error: lastError,
    tools_count: tools,
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
