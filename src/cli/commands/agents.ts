/** `zaguan agents`: the agents of the running hub. */
import type { Context } from "../command.ts";
import { connectHub } from "../hub-client.ts";
import { isGiven } from "../options.ts";
import { printJson, printNote, printTable } from "../output.ts";
import { listed } from "../registry-client.ts";

export async function run(context: Context): Promise<number> {
  const search = context.operands.join(" ");
  const hub = connectHub(context);
  const agents = await listed(hub, hub.api.listAgents({ query: { search } }));
  if (isGiven(context, "json")) printJson(context, agents);
  else if (agents.length === 0) printNote(context, search === "" ? "cli.agents.none" : "cli.agents.noMatch");
  else {
    const rows = agents.map(({ name, autonomy, description }) => [name, autonomy, description ?? ""]);
    printTable(context, ["name", "autonomy", "description"], rows);
  }
  return 0;
}
