/** The registry of a running hub, as the commands see it: what it shows, where it is, and how a tool is found in it. */
import { nearest } from "../contract/rules.ts";
import type { Tool } from "../contract/tool.ts";
import type { Context } from "./command.ts";
import { CommandFailure, UsageError } from "./failures.ts";
import type { HubClient } from "./hub-client.ts";
import { HubRefusal } from "./hub-refusal.ts";

/** `/servers/NAME/rest`, for one; a name that would vanish from a path is none. */
export function placeOf(context: Context, root: string, name: string, rest = ""): string {
  if (/^\.{0,2}$/.test(name)) throw new UsageError("cli.usage.name", { name }, context.command.name);
  return `${root}/${encodeURIComponent(name)}${rest}`;
}

export async function listAt<Item>(
  hub: HubClient,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<readonly Item[]> {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const found = await hub.get(given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path);
  if (!Array.isArray(found)) throw new CommandFailure("cli.hub.notHub", { url: hub.url });
  return found as Item[];
}

export function publicName({ serverSlug, name }: Tool): string {
  return `${serverSlug}__${name}`;
}

/** Whether somebody means this tool: by its id, its own name or `server__name`. */
export function isMeant(tool: Tool, said: string): boolean {
  return [tool.id, tool.name, publicName(tool)].includes(said);
}

/** One tool, however it is called; a name that several servers have is refused with the names that are unique. */
export async function findTool(hub: HubClient, said: string): Promise<Tool> {
  const search = said.slice(said.indexOf("__") < 1 ? 0 : said.indexOf("__") + 2).slice(0, 200);
  const listed = await listAt<Tool>(hub, "/mcp/tools/all", { search, withMissing: "true" });
  const byName = listed.filter((tool) => isMeant(tool, said));
  const exact = byName.filter((tool) => publicName(tool) === said);
  const found = exact.length > 0 ? exact : byName;
  if (found.length > 1) {
    throw new CommandFailure("cli.agent.severalTools", { tool: said, names: found.map(publicName).join(", ") });
  }
  return found[0] ?? (await toolById(hub, said)) ?? (await refuseUnknown(hub, said));
}

async function toolById(hub: HubClient, id: string): Promise<Tool | undefined> {
  if (!/^[\w-]+$/.test(id)) return undefined;
  try {
    return (await hub.get(`/mcp/tools/${id}`)) as Tool;
  } catch (cause) {
    if (cause instanceof HubRefusal && cause.code === "NO_SUCH") return undefined;
    throw cause;
  }
}

async function refuseUnknown(hub: HubClient, tool: string): Promise<never> {
  const all = await listAt<Tool>(hub, "/mcp/tools/all");
  const names = all.flatMap((one) => (tool.includes("__") ? publicName(one) : one.name));
  const guess = nearest(tool, names);
  if (guess !== undefined) throw new CommandFailure("cli.call.unknownToolNear", { tool, guess });
  throw new CommandFailure("cli.call.unknownTool", { tool });
}
