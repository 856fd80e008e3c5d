/** A cluster as doors see it, of which a test says what it needs: two nodes, `uno`, which is ours, and `dos`, which does not answer. */
import type { HubNode } from "../../src/contract/node.ts";
import type { ClusterDesk } from "../../src/doors/cluster/desk.ts";

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

export function aDesk(overrides: Partial<ClusterDesk>): ClusterDesk {
  return {
    node: "uno",
    view: () => ({ node: "uno", nodes: ["dos", "uno"], sources: [], isConnected: true }),
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
