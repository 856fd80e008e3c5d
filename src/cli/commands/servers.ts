/** `zaguan servers`: what is attached to the running hub or registered with it, and how it is. */
import type { Context } from "../command.ts";
import { connectHub } from "../hub-client.ts";
import { isGiven } from "../options.ts";
import { printJson, printNote, printTable } from "../output.ts";
import { listed } from "../registry-client.ts";

const COLUMNS = ["name", "origin", "status", "transport", "state", "tools", "restarts"] as const;

export async function run(context: Context): Promise<number> {
  const search = context.operands.join(" ");
  const hub = connectHub(context);
  const servers = await listed(hub, hub.api.listServers({ query: { search } }));
  if (isGiven(context, "json")) printJson(context, servers);
  else if (servers.length === 0) printNote(context, search === "" ? "cli.servers.none" : "cli.servers.noMatch");
  else {
    const rows = servers.map((server) => [
      ...COLUMNS.map((column) => String(server[column] ?? "")),
      server.progress ?? server.lastError ?? "",
    ]);
    // What one that starts has to say stands where errors do: a column that is empty most of the time would be none.
    const isStarting = servers.some(({ progress }) => typeof progress === "string");
    printTable(context, [...COLUMNS, isStarting ? "lastErrorOrLog" : "lastError"], rows);
  }
  return 0;
}
