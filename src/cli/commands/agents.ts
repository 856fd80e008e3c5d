/** `zaguan agents`: the agents of the running hub. */
import type { Context } from "../command.ts";
import { connectHub } from "../hub-client.ts";
import { printList } from "../output.ts";
import { listed } from "../registry-client.ts";

export async function run(context: Context): Promise<number> {
  const search = context.operands.join(" ");
  const hub = connectHub(context);
  const agents = await listed(hub, hub.api.listAgents({ query: { search } }));
  const rows = agents.map(({ name, autonomy, description }) => [name, autonomy, description ?? ""]);
  const key = search === "" ? "cli.agents.none" : "cli.agents.noMatch";
  printList(context, agents, ["name", "autonomy", "description"], rows, { key });
  return 0;
}
