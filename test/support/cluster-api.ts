/**
 * A `ClusterApi` for tests of doors: two nodes, `uno` (this one) and `dos`, which does not answer. A test overrides what it needs.
 */
import type { HubNode } from "../../src/contract/node.ts";
import type { ClusterApi } from "../../src/doors/cluster/cluster-api.ts";

export const NODE: HubNode = {
  node: "uno",
  version: "9.9.9",
  startedUtc: "2026-01-01T00:00:00.000Z",
  uptimeSeconds: 7,
  load: 1.5,
  callsInFlight: 2,
  open: 4,
  owned: 1,
  sources: [{ name: "tv", pinned: ["uno"] }],
  draining: false,
};

export function aClusterApi(overrides: Partial<ClusterApi>): ClusterApi {
  return {
    node: "uno",
    view: () => ({ node: "uno", nodes: ["dos", "uno"], sources: [], isConnected: true, hasDatabase: true }),
    nodes: async () => ({ node: "uno", nodes: [NODE], missing: ["dos"], unheld: [] }),
    drain: async () => false,
    calls: async () => ({ rows: [], total: 0, missing: ["dos"] }),
    call: async () => undefined,
    cancel: async () => undefined,
    figures: async () => ({ figures: [], missing: ["dos"] }),
    watch: () => ({
      ready: async () => {},
      isNew: () => false,
      take: () => ({ ended: [], skipped: 0, running: [], inFlight: 0 }),
      figures: () => [],
      close: () => {},
    }),
    ...overrides,
  };
}
