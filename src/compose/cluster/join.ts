/**
 * Makes this hub a node of the configured cluster. The code for that is loaded here, so that a hub that runs alone never loads it.
 */
import { ConfigError } from "../../config/config-error.ts";
import { type Language, say } from "../../messages/catalogue.ts";
import { detailIn } from "../../messages/detail.ts";
import type { NodeOfCluster } from "../../nodes/node-of-cluster.ts";
import type { Store } from "../../store/store.ts";
import { randomToken } from "../system.ts";
import type { OneView, Shown } from "./one-view.ts";
import type { ClusterSettings } from "./settings.ts";

interface JoinOptions {
  readonly settings: ClusterSettings;
  readonly store: Store;
  readonly language: Language;
  report(cause: unknown): void;
}

export interface JoinedCluster {
  readonly node: NodeOfCluster;
  /** A random token that is the same on all nodes of the cluster, for ever. */
  readonly family: string;
  /** Opens the view of the whole cluster; `shown` is what this node publishes about itself. */
  openView(shown: Shown): OneView;
}

/** Rejects with a ConfigError whose message is one clear line. */
export async function joinCluster({ settings, store, language, report }: JoinOptions): Promise<JoinedCluster> {
  const [bus, nodes, views] = await Promise.all([
    import("../../bus/nats-bus.ts"),
    import("../../nodes/node-of-cluster.ts"),
    import("./one-view.ts"),
  ]);
  const { leases } = store;
  if (!leases) throw new ConfigError(say(language, "start.clusterDatabase"));
  try {
    const self = { node: settings.node, boot: await leases.nextBoot(settings.node) };
    const family = String(await store.documents.update("cluster", "family", (known) => known ?? randomToken()));
    const opened = await bus.openBus({ ...settings.bus, onFault: report });
    const node = new nodes.NodeOfCluster({ self, bus: opened, leases });
    return { node, family, openView: (shown) => new views.OneView(node, shown) };
  } catch (error) {
    throw new ConfigError(detailIn(language, error instanceof Error ? error.message : String(error)), error);
  }
}
