/** `zaguan tools`: the catalogue of the running hub, all of it or what matches some words. */
import type { Context } from "../command.ts";
import { connectHub } from "../hub-client.ts";
import { type HubTool, listTools } from "../hub-tools.ts";
import { isGiven } from "../options.ts";
import { table } from "../terminal.ts";

export async function run(context: Context): Promise<number> {
  const { world, say } = context;
  const words = context.operands.map(folded);
  const tools = (await listTools(connectHub(context))).filter((tool) => matches(tool, words));
  if (isGiven(context, "json")) world.stdout.write(`${JSON.stringify(tools, null, 2)}\n`);
  else if (tools.length === 0) world.stderr.write(`${say("cli.tools.none")}\n`);
  else world.stdout.write(table([say("cli.column.tool"), say("cli.column.description")], tools.map(row), world));
  return 0;
}

/** Every word must be somewhere in the name or the description. */
function matches(tool: HubTool, words: readonly string[]): boolean {
  const text = folded(`${tool.name} ${tool.description ?? ""}`);
  return words.every((word) => text.includes(word));
}

/** Case and accents do not count. */
function folded(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
}

function row(tool: HubTool): string[] {
  return [tool.name, tool.description ?? ""];
}
