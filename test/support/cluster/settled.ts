/** When the nodes of a cluster have settled after their start: a source goes on to the node whose share it is when that one has come. */
import { Placement } from "../../../src/cluster/placement.ts";
import { until } from "../processes.ts";
import type { RegistryClient } from "../registry-client.ts";

interface Held {
  readonly name: string;
  readonly node: string | null;
}

/**
 * Resolves when each of these nodes sees all of them, and every source with the node that keeps it.
 *
 * @param nodes the names of all nodes
 */
export async function untilSettled(clients: readonly RegistryClient[], nodes: readonly string[]): Promise<void> {
  const placement = new Placement(nodes.map((node) => ({ node, weight: 1 })));
  const hasSettled = async (client: RegistryClient): Promise<boolean> => {
    const { body } = await client.get("/health/cluster");
    const sources = body.sources as readonly Held[];
    const areAtHome = sources.every(({ name, node }) => node === placement.of(name));
    return body.nodes.length === nodes.length && body.unheld === 0 && areAtHome;
  };
  await until("the nodes have settled", async () => (await Promise.all(clients.map(hasSettled))).every(Boolean));
}
