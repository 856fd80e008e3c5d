/** How the hub is: `GET /mcp/status` for people, `GET /health` for load balancers, `GET /metrics` for Prometheus (seed 003). */
import type { Door, Route } from "../door.ts";
import { sendProblem } from "../rest/problem.ts";
import { healthOf } from "./health.ts";
import { metricsOf } from "./metrics.ts";
import type { Monitored } from "./monitored.ts";
import { statusOf } from "./status.ts";

export function monitoring(context: Monitored): Door {
  const routes: readonly Omit<Route, "method" | "fail">[] = [
    {
      path: "/mcp/status",
      needs: "see",
      handle: (exchange) => exchange.reply(200, JSON.stringify(statusOf(context, exchange.principal))),
    },
    {
      path: "/health",
      needs: "nobody",
      handle: (exchange) => {
        const health = healthOf(context, exchange.principal);
        // Degraded, it still serves: whoever took it out of service for that would lose what works.
        exchange.reply(health.status === "unhealthy" ? 503 : 200, JSON.stringify(health));
      },
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
