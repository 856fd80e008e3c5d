/** `zaguan servers`: what is attached to the running hub, and how it is. */
import type { Context } from "../command.ts";
import { CommandFailure } from "../failures.ts";
import { connectHub } from "../hub-client.ts";
import { isGiven } from "../options.ts";
import { table } from "../terminal.ts";

type Row = Readonly<Record<string, unknown>>;

const COLUMNS = ["name", "kind", "state", "tools", "restarts", "lastError"] as const;

export async function run(context: Context): Promise<number> {
  const { world, say } = context;
  const hub = connectHub(context);
  const servers = await hub.get("/mcp/servers");
  if (!Array.isArray(servers)) throw new CommandFailure("cli.hub.notHub", { url: hub.url });
  if (isGiven(context, "json")) {
    world.stdout.write(`${JSON.stringify(servers, null, 2)}\n`);
    return 0;
  }
  const heading = COLUMNS.map((column) => say(`cli.column.${column}`));
  const rows = (servers as Row[]).map((server) => COLUMNS.map((column) => String(server[column] ?? "")));
  world.stdout.write(rows.length > 0 ? table(heading, rows, world) : `${say("cli.servers.none")}\n`);
  return 0;
}
