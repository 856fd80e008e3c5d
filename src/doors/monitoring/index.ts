/** How the hub is: `GET /mcp/status` for people, `GET /health` for load balancers, `GET /health/cluster` for who looks after several nodes, `GET /metrics` for Prometheus (seed 003). */
import type { Exposition, Present } from "../../observe/prometheus.ts";
import type { Door, Exchange, Route } from "../door.ts";
import { sendProblem } from "../rest/problem.ts";
import { clusterHealthOf, healthOf, isOfThisNode, isUp, type Monitored } from "./health.ts";
import { statusOf } from "./status.ts";

export function monitoring(context: Monitored): Door {
  const routes: readonly Omit<Route, "method" | "fail">[] = [
    {
      path: "/mcp/status",
      needs: "see",
      handle: async (exchange) => exchange.reply(200, JSON.stringify(await statusOf(context, exchange.principal))),
    },
    {
      path: "/health",
      needs: "nobody",
      handle: (exchange) => {
        const health = healthOf(context, exchange.principal);
        // A degraded hub still serves: a load balancer that took it out of service would lose what works.
        const isToBeUsed = health.status === "healthy" || health.status === "degraded";
        exchange.reply(isToBeUsed ? 200 : 503, JSON.stringify(health));
      },
    },
    {
      path: "/health/cluster",
      needs: "nobody",
      handle: async (exchange) =>
        exchange.reply(200, JSON.stringify(await clusterHealthOf(context, exchange.principal))),
    },
    {
      path: "/metrics",
      needs: "unlimited",
      handle: async (exchange) => {
        const { contentType, text } = await metricsOf(context, exchange);
        exchange.reply(200, text, { "content-type": contentType });
      },
    },
  ];
  return { name: "monitoring", routes: routes.map((route) => ({ ...route, method: "GET", fail: sendProblem })) };
}

/** As this node sees it: each node is scraped by itself. */
function clusterNow({ cluster }: Monitored): Present["cluster"] {
  if (!cluster) return undefined;
  const { node, nodes, sources, isConnected } = cluster.view();
  const heldBy = (holder: string | null): number => sources.filter((source) => source.node === holder).length;
  return { node, nodes: nodes.length, isConnected, owned: heldBy(node), unheld: heldBy(null) };
}

/** The counters since the start, and what is measured at the moment of asking. */
async function metricsOf(context: Monitored, exchange: Exchange): Promise<Exposition> {
  const { version, callsInFlight, unreadBytes, open, sources } = context.status();
  const { healthy, reconnecting, idle } = context.bridgeSessions.counts();
  const present = {
    version,
    callsInFlight,
    unreadBytes,
    open,
    isWritable: context.storeFault() === undefined,
    queue: context.queue(),
    cluster: clusterNow(context),
    sessions: { healthy, reconnecting, idle },
    sources: sources
      .filter((source) => isOfThisNode(source, context))
      .map((source) => ({
        name: source.name,
        restarts: source.restarts,
        isUp: isUp(source, context),
      })),
  };
  return context.statistics.forPrometheus(present, exchange.header("accept"));
}
