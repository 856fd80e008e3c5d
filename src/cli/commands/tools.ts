/**
 * `zaguan tools`: the catalogue of the running hub, all of it or what matches some words. With `--server` or `--all` it is
 * the registry's list instead: with ids, by each tool's own name, and for `--all` with what is missing or not offered.
 */
import type { Tool } from "../../contract/tool.ts";
import type { Context } from "../command.ts";
import { connectHub, type HubTool, listTools } from "../hub-client.ts";
import { isGiven, textOption } from "../options.ts";
import { printList } from "../output.ts";
import { listed } from "../registry-client.ts";

const NONE = { key: "cli.tools.none" } as const;

export async function run(context: Context): Promise<number> {
  const server = textOption(context, "server");
  const isKept = server !== undefined || isGiven(context, "all");
  if (isKept) {
    const tools = await keptTools(context, server);
    printList(context, tools, ["server", "tool", "state", "description"], tools.map(keptRow(context)), NONE);
  } else {
    const tools = await offeredTools(context);
    const rows = tools.map(({ name, description }) => [name, description ?? ""]);
    printList(context, tools, ["tool", "description"], rows, NONE);
  }
  return 0;
}

async function offeredTools(context: Context): Promise<readonly HubTool[]> {
  const words = context.operands.map(folded);
  return (await listTools(connectHub(context))).filter((tool) => matches(tool, words));
}

async function keptTools(context: Context, serverId: string | undefined): Promise<readonly Tool[]> {
  const hub = connectHub(context);
  const query = { search: context.operands.join(" "), withMissing: isGiven(context, "all") || undefined };
  if (serverId === undefined) return listed(hub, hub.api.listAllTools({ query }));
  return listed(hub, hub.api.listToolsOfServer({ query: { serverId, ...query } }));
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

function keptRow({ say }: Context): (tool: Tool) => string[] {
  return (tool) => {
    const state = tool.missing ? "cli.tool.missing" : tool.quarantine ? "cli.tool.quarantined" : "cli.tool.offered";
    return [tool.serverName, tool.name, say(state), tool.quarantine ?? tool.description];
  };
}
