/** What `/health`, `/mcp/status` and `/metrics` promise, for the description. */
import { z } from "zod";
import { ByPriority } from "../../contract/call.ts";
import type { Of } from "../../contract/fields.ts";
import { HubNode } from "../../contract/node.ts";
import type { Operation } from "../../contract/operation.ts";

const COUNT = z.int();
const UTC = z.string().describe("ISO 8601, in UTC");

const HEALTH = z
  .object({
    status: z.enum(["healthy", "degraded", "unhealthy", "starting", "stopping"]),
    timestamp: UTC,
    dependencies: z.object({
      home_assistant: z
        .union([
          z.object({ status: z.literal("ok"), response_time_ms: z.number().nullable() }),
          z.object({ status: z.literal("error"), error: z.string(), last_success: UTC.nullable() }),
        ])
        .optional()
        .describe("Absent where none is set up; of several, the first that is down."),
      mcp_sessions: z
        .object({ status: z.enum(["ok", "degraded", "error"]), healthy_count: COUNT, total_count: COUNT })
        .describe("Those that the hub holds with its sources."),
      store: z
        .union([z.object({ status: z.literal("ok") }), z.object({ status: z.literal("error"), error: z.string() })])
        .describe("Whether the hub can keep anything; if not, it is degraded."),
      nats: z
        .union([z.object({ status: z.literal("ok") }), z.object({ status: z.literal("error"), error: z.string() })])
        .optional()
        .describe("Of a node of a cluster: whether it can speak with the others; if not, it is degraded."),
    }),
    version: z.string(),
    uptimeSeconds: z.number(),
    callsInFlight: COUNT,
    sources: z
      .array(
        z.object({
          name: z.string(),
          kind: z.string(),
          node: z
            .string()
            .nullable()
            .optional()
            .describe(
              "In a cluster: the node that holds it, null while none does; absent where every node reaches it.",
            ),
          state: z.string(),
          tools: COUNT,
        }),
      )
      .optional()
      .describe("Absent without a key, and for keys that are limited to some tools."),
  })
  .meta({ id: "Health" });
export type Health = Of<typeof HEALTH>;

const CLUSTER_HEALTH = z
  .object({
    status: z.enum(["healthy", "degraded"]),
    nats: z.enum(["ok", "away"]).describe("Whether this node can speak with the others."),
    store: z.enum(["ok", "error"]),
    unheld: COUNT.describe("Sources that no node holds at the moment."),
    node: z.string().optional().describe("This node. Absent, as all that follows, without a key and for limited keys."),
    nodes: z.array(z.string()).optional().describe("All that are alive, as this node sees it."),
    sources: z
      .array(z.object({ name: z.string(), node: z.string().nullable() }))
      .optional()
      .describe("Those that only one node may hold, and which one does."),
    members: z
      .array(HubNode.omit({ sources: true }))
      .optional()
      .describe(
        "Each node that has answered, as it tells of itself; absent where there is no cluster, as what follows.",
      ),
    missing: z
      .array(z.string())
      .optional()
      .describe("Nodes that seem to be alive and have not answered within a second."),
  })
  .meta({ id: "ClusterHealth" });
export type ClusterHealth = Of<typeof CLUSTER_HEALTH>;

const HOUSE = {
  url: z.string(),
  status: z.enum(["connected", "connecting", "reconnecting", "disconnected", "idle"]),
  last_ping_ms: z.number().nullable(),
  entities_count: COUNT.nullable(),
};

const STATUS = z
  .object({
    bridge: z.object({
      status: z.enum(["healthy", "degraded", "unhealthy"]),
      version: z.string(),
      uptime_seconds: z.number(),
      started_at: UTC,
    }),
    sessions: z
      .object({
        active: COUNT,
        total: COUNT,
        available: COUNT,
        by_status: z.object({ healthy: COUNT, reconnecting: COUNT, idle: COUNT }),
      })
      .describe("Those that clients hold with the bridge."),
    queue: z.object({
      pending: COUNT,
      processing: COUNT,
      completed_today: COUNT,
      by_priority: ByPriority.describe("Of those that wait."),
      avg_wait_time_ms: z.number(),
    }),
    cache: z.object({
      hit_rate: z.number().describe("Of what was asked for and may be kept; 0 until then."),
      size: COUNT,
      max_size: COUNT,
      evictions_today: COUNT,
      bytes: COUNT,
      max_bytes: COUNT,
    }),
    performance: z
      .object({
        avg_response_time_ms: z.number(),
        requests_per_second: z.number(),
        error_rate: z.number(),
        p95_response_time_ms: z.number(),
        http_requests_per_second: z.number(),
      })
      .describe("Calls through every door in the last five minutes; the last figure counts all HTTP requests."),
    home_assistant: z
      .object({ ...HOUSE, houses: z.record(z.string(), z.object(HOUSE)).optional() })
      .nullable()
      .describe("Null where none is set up; of several the first, and all of them by name."),
    xiaozhi: z
      .array(
        z.object({
          name: z.string(),
          url: z.string(),
          as: z.enum(["endpoint", "device"]),
          agent: z.string().nullable(),
          state: z.enum(["connecting", "connected", "waiting"]),
          since: UTC,
          attempts: COUNT,
          last_error: z.string().nullable(),
          tools_count: COUNT.nullable(),
        }),
      )
      .optional()
      .describe("Voice clouds and servers that are dialled."),
    node: z.string().optional().describe("In a cluster: the node that answers, of which all of the above is."),
    nodes: z
      .array(
        z.object({
          node: z.string(),
          version: z.string(),
          uptime_seconds: z.number(),
          started_at: UTC,
          load_percent: z.number().describe("How busy its process is."),
          calls_in_flight: COUNT,
          open: COUNT.describe("Sessions, streams and sockets that clients hold open there."),
          sources_owned: COUNT.describe("Sources that only one node may hold."),
          draining: z.boolean(),
        }),
      )
      .optional()
      .describe("In a cluster: all nodes that have answered; not for keys that are limited to some tools."),
    missing_nodes: z.array(z.string()).optional().describe("Nodes that have not answered within a second."),
  })
  .meta({ id: "BridgeStatus" });

export const MONITORING_OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    path: "/health",
    operationId: "health",
    tag: "Hub",
    needs: "nobody",
    summary: "Whether the hub and what it depends on are well",
    answers: {
      200: { description: "They are, or the hub is degraded: it serves and can keep nothing.", schema: HEALTH },
      503: {
        description:
          "A Home Assistant, or every source, is down, or the hub has only just started or is about to stop.",
        schema: HEALTH,
      },
    },
  },
  {
    method: "GET",
    path: "/health/cluster",
    operationId: "clusterHealth",
    tag: "Hub",
    needs: "nobody",
    summary: "Whether the nodes of a cluster work as one, as this node sees it",
    description: "A hub by itself answers as a cluster of one that holds everything.",
    answers: { 200: { description: "As it is now.", schema: CLUSTER_HEALTH } },
  },
  {
    method: "GET",
    path: "/mcp/status",
    operationId: "bridgeStatus",
    tag: "Hub",
    needs: "see",
    summary: "Sessions, queue, cache and performance, measured",
    answers: { 200: { description: "As it is now.", schema: STATUS } },
  },
  {
    method: "GET",
    path: "/metrics",
    operationId: "metrics",
    tag: "Hub",
    needs: "unlimited",
    summary: "Counters for Prometheus",
    description:
      "In the text format, or in OpenMetrics where `Accept` asks for it. In a cluster each node tells of itself, with its name " +
      "as the label `node` of every sample.",
    answers: { 200: { description: "One sample a line, as text." } },
  },
];
