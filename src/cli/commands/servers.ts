/** `zaguan servers`: what is attached to the running hub or registered with it, and how it is. */
import type { Context } from "../command.ts";
import { connectHub } from "../hub-client.ts";
import { printList } from "../output.ts";
import { listed } from "../registry-client.ts";

const COLUMNS = ["name", "origin", "status", "transport", "state", "tools", "restarts"] as const;

export async function run(context: Context): Promise<number> {
  const search = context.operands.join(" ");
  const hub = connectHub(context);
  const servers = await listed(hub, hub.api.listServers({ query: { search } }));
  const rows = servers.map((server) => [
    ...COLUMNS.map((column) => String(server[column] ?? "")),
    server.progress ?? server.lastError ?? "",
  ]);
  // The last line of a starting server's log shares a column with errors: most of the time nothing starts.
  const isStarting = servers.some(({ progress }) => typeof progress === "string");
  const key = search === "" ? "cli.servers.none" : "cli.servers.noMatch";
  printList(context, servers, [...COLUMNS, isStarting ? "lastErrorOrLog" : "lastError"], rows, { key });
  return 0;
}
