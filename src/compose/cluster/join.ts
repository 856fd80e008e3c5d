/** Makes this hub a node of a cluster, where one is configured. All that takes is loaded here. */
import { ConfigError } from "../../config/config-error.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import { detailIn } from "../../messages/detail.ts";
import type { NodeOfCluster } from "../../nodes/node-of-cluster.ts";
import type { Store } from "../../store/store.ts";
import type { ClusterSettings } from "./settings.ts";

interface JoinOptions {
  readonly settings: ClusterSettings;
  readonly store: Store;
  readonly language: Language;
  report(cause: unknown): void;
}

/** Rejects with a ConfigError whose message is one clear line. */
export async function joinCluster({ settings, store, language, report }: JoinOptions): Promise<NodeOfCluster> {
  const [bus, nodes] = await Promise.all([import("../../bus/nats-bus.ts"), import("../../nodes/node-of-cluster.ts")]);
  const { leases } = store;
  if (!leases) throw new ConfigError(say(language, "start.clusterDatabase"));
  const { node } = settings;
  try {
    const boot = await leases.nextBoot(node);
    const opened = await bus.openBus({ ...settings.bus, onFault: report });
    return new nodes.NodeOfCluster({ self: { node, boot }, bus: opened, leases });
  } catch (error) {
    throw new ConfigError(detailIn(language, error instanceof Error ? error.message : String(error)), error);
  }
}
