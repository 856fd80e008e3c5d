/**
 * Whether a load balancer should send anybody here. Open to everybody: reasons are told in a few fixed words, so that no
 * address, path or name of a stranger's machine is among them, and sources are named to none but those who may use all.
 */
import { isLimited } from "../../core/access.ts";
import type { Principal } from "../../core/call.ts";
import type { DoorContext, HouseStatus, SourceSummary } from "../door.ts";
import type { ClusterHealth, Health } from "../rest/monitoring-operations.ts";

type Dependencies = Health["dependencies"];

export function healthOf(context: Monitored, principal: Principal): Health {
  const { version, uptimeSeconds, callsInFlight, sources } = context.status();
  const home_assistant = housesHealth(context);
  const mcp_sessions = sessionsHealth(context);
  const isUnhealthy = home_assistant?.status === "error" || mcp_sessions.status === "error";
  const store = storeHealth(context);
  const nats = natsHealth(context);
  const orDegraded = store.status === "ok" && nats?.status !== "error" ? "healthy" : "degraded";
  return {
    status: context.passing?.() ?? (isUnhealthy ? "unhealthy" : orDegraded),
    timestamp: new Date().toISOString(),
    dependencies: { home_assistant, mcp_sessions, store, nats },
    version,
    uptimeSeconds,
    callsInFlight,
    ...(!isLimited(principal) && {
      sources: sources.map(({ name, kind, node, state, tools }) => ({ name, kind, node, state, tools })),
    }),
  };
}

/** The same for all nodes of a cluster together. A hub by itself has no other to miss. Nodes are asked only for those who may see all. */
export async function clusterHealthOf(context: Monitored, principal: Principal): Promise<ClusterHealth> {
  const { isConnected, hasDatabase: _, ...view } = context.cluster?.view() ?? ALONE;
  const { status: store } = storeHealth(context);
  const unheld = view.sources.filter(({ node }) => node === null).length;
  const isHealthy = isConnected && store === "ok" && unheld === 0;
  return {
    status: isHealthy ? "healthy" : "degraded",
    nats: isConnected ? "ok" : "away",
    store,
    unheld,
    ...(!isLimited(principal) && { ...view, ...(await membersOf(context)) }),
  };
}

async function membersOf({ cluster }: Monitored): Promise<Pick<ClusterHealth, "members" | "missing">> {
  if (!cluster) return {};
  const { nodes, missing } = await cluster.nodes();
  return { members: nodes.map(({ sources: _, ...node }) => node), missing };
}

const ALONE = { isConnected: true, hasDatabase: true, nodes: [], sources: [] };

/** In a cluster the leases have connections of their own, which may know later than others that the database is back. */
function storeHealth(context: Monitored): Dependencies["store"] {
  const hasLeases = context.cluster?.view().hasDatabase !== false;
  const error = context.storeFault() ?? (hasLeases ? undefined : "the database cannot be reached");
  return error === undefined ? { status: "ok" } : { status: "error", error };
}

/** Without the other nodes this one goes on with what it holds itself. */
function natsHealth(context: Monitored): Dependencies["nats"] {
  const cluster = context.cluster?.view();
  return cluster && (cluster.isConnected ? { status: "ok" } : { status: "error", error: "NATS cannot be reached" });
}

/** The connections that we hold with our sources. */
function sessionsHealth(context: Monitored): Dependencies["mcp_sessions"] {
  const sources = ourSources(context);
  const down = sources.filter((source) => isDown(source, context)).length;
  const isError = down > 0 && down === sources.length;
  return {
    status: isError ? "error" : down > 0 ? "degraded" : "ok",
    healthy_count: sources.filter((source) => isUp(source, context)).length,
    total_count: sources.length,
  };
}

/** Of several houses the first that is down; if none is, the one that takes longest to answer. */
function housesHealth(context: Monitored): Dependencies["home_assistant"] {
  const ours = new Set(ourSources(context).map(({ name }) => name));
  const houses = context.cluster ? context.houses().filter(({ name }) => ours.has(name)) : context.houses();
  const down = houses.find((house) => !isUp(house, context));
  if (down)
    return {
      status: "error",
      error: down.obstacle ? REASONS[down.obstacle] : "Unavailable",
      last_success: down.lastSuccessUtc,
    };
  const pings = houses.flatMap(({ pingMs }) => pingMs ?? []);
  return houses.length === 0
    ? undefined
    : { status: "ok", response_time_ms: pings.length === 0 ? null : Math.max(...pings) };
}

/**
 * Without those between two owners: calls for them wait until another node holds them, and a balancer that took all nodes out of
 * service for that would refuse these calls.
 */
function ourSources(context: Monitored): readonly SourceSummary[] {
  return context.status().sources.filter((source) => isOfThisNode(source, context));
}

const REASONS: Readonly<Record<NonNullable<HouseStatus["obstacle"]>, string>> = {
  credentials: "Invalid token",
  refused: "Connection refused",
  timeout: "Connection timeout",
};

/** What monitoring reads of the hub. */
export interface Monitored
  extends Pick<DoorContext, "status" | "queue" | "houses" | "statistics" | "storeFault" | "cluster" | "passing"> {
  /** The sessions that clients hold with the bridge. */
  readonly bridgeSessions: Pick<DoorContext["bridgeSessions"], "counts">;
}

/** Whether a source can be called: an idle one starts when it is, but one that is connected and silent does not answer. */
export function isUp(
  { name, state }: Pick<SourceSummary, "name" | "state">,
  { statistics }: Pick<Monitored, "statistics">,
): boolean {
  return (state === "ready" || state === "idle") && !statistics.isSilent(name);
}

/** Whether this node holds the source or reaches it by itself: how the others are, is no concern of this node's health. */
export function isOfThisNode({ node }: Pick<SourceSummary, "node">, { cluster }: Pick<Monitored, "cluster">): boolean {
  return node === undefined || node === cluster?.node;
}

/** A source that starts for the first time is neither up nor down; one that is started again was lost. */
function isDown(source: SourceSummary, context: Monitored): boolean {
  const isStarting = source.state === "starting" || source.state === "installing";
  const isFirstStart = isStarting && source.lastError === null && source.restarts === 0;
  return !isUp(source, context) && !isFirstStart;
}
