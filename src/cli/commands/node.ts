/** `zaguan node`: the nodes of the cluster that the running hub is part of, and draining one. */
import type { HubNode, Nodes } from "../../contract/node.ts";
import type { Context } from "../command.ts";
import { connectHub, type HubClient } from "../hub-client.ts";
import { printList, printNote, printOutcome } from "../output.ts";
import { namedIn } from "../registry-client.ts";

type Action = (context: Context, hub: HubClient, name: string) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = { list, drain, undrain };
const COLUMNS = ["name", "state", "load", "calls", "open", "holds"] as const;

export async function run(context: Context): Promise<number> {
  const [word = "", name = ""] = context.operands;
  await ACTIONS[word]?.(context, connectHub(context), name);
  return 0;
}

async function list(context: Context, hub: HubClient): Promise<void> {
  const nodes = await hub.api.listNodes();
  printList(context, nodes, COLUMNS, rowsOf(context, nodes), { key: "cli.node.none" });
  for (const { name } of nodes.unheld) printNote(context, "cli.node.unheld", { name });
}

function rowsOf({ say }: Context, { nodes, missing }: Nodes): readonly (readonly string[])[] {
  const told = nodes.map((node) => [
    node.node,
    say(node.draining ? "cli.node.draining" : "cli.node.alive"),
    `${node.load} %`,
    String(node.callsInFlight),
    String(node.open),
    heldBy(node),
  ]);
  return [...told, ...missing.map((name) => [name, say("cli.node.missing"), "", "", "", ""])];
}

function heldBy({ sources }: HubNode): string {
  return sources.map(({ name }) => name).join(", ");
}

async function drain(context: Context, hub: HubClient, name: string): Promise<void> {
  await hub.api.drainNode({ id: namedIn(context, name) });
  printOutcome(context, { drained: name }, context.say("cli.node.drained", { name }));
}

async function undrain(context: Context, hub: HubClient, name: string): Promise<void> {
  await hub.api.undrainNode({ id: namedIn(context, name) });
  printOutcome(context, { undrained: name }, context.say("cli.node.undrained", { name }));
}
