/** A node of a cluster, as those who look after it see it. */
import { z } from "zod";
import type { Of } from "./fields.ts";

const count = z.int();

const HeldSource = z.object({
  name: z.string(),
  pinned: z
    .array(z.string())
    .nullable()
    .describe("The nodes that may hold it, where the configuration names some; null: any node."),
});

export const HubNode = z
  .object({
    node: z.string().describe("Its name."),
    version: z.string(),
    startedUtc: z.string(),
    uptimeSeconds: z.number(),
    load: z.number().describe("How busy its process is, in percent: a mean over some seconds."),
    callsInFlight: count.describe("Of its own clients, and for other nodes."),
    open: count.describe("Sessions, streams and sockets that clients hold open there."),
    owned: count.describe("How many sources it holds that only one node may hold."),
    sources: z.array(HeldSource).describe("Those sources: the first thousand."),
    draining: z.boolean().describe("It hands over what others may hold, and takes nothing."),
  })
  .meta({ id: "HubNode" });
export type HubNode = Of<typeof HubNode>;

export const Nodes = z
  .object({
    node: z.string().optional().describe("The node that answers; absent where there is no cluster."),
    nodes: z.array(HubNode).describe("All that are alive and have answered; none where there is no cluster."),
    missing: z.array(z.string()).describe("Nodes that seem to be alive and have not answered within a second."),
    unheld: z.array(HeldSource).describe("Sources that no node holds at the moment: the first thousand."),
  })
  .meta({ id: "Nodes" });
export type Nodes = Of<typeof Nodes>;
