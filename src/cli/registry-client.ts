/** The registry of a running hub, as the commands see it: what it shows, where it is, and how a tool is found in it. */
import { nearest } from "../contract/rules.ts";
import type { Tool } from "../contract/tool.ts";
import type { Context } from "./command.ts";
import { CommandFailure, UsageError } from "./failures.ts";
import type { HubClient } from "./hub-client.ts";
import { HubRefusal } from "./hub-refusal.ts";

/** A name that would vanish from a path is none. */
export function namedIn(context: Context, name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new UsageError("cli.usage.name", { name }, context.command.name);
  return name;
}

/** What is no list does not come from a hub. */
export async function listed<Item>(hub: HubClient, answer: Promise<readonly Item[]>): Promise<readonly Item[]> {
  const found = await answer;
  if (!Array.isArray(found)) throw new CommandFailure("cli.hub.notHub", { url: hub.url });
  return found;
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
  const all = await listed(hub, hub.api.listAllTools({ query: { search, withMissing: true } }));
  const byName = all.filter((tool) => isMeant(tool, said));
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
    return await hub.api.getTool({ id });
  } catch (cause) {
    if (cause instanceof HubRefusal && cause.code === "NO_SUCH") return undefined;
    throw cause;
  }
}

async function refuseUnknown(hub: HubClient, tool: string): Promise<never> {
  const all = await listed(hub, hub.api.listAllTools());
  const names = all.flatMap((one) => (tool.includes("__") ? publicName(one) : one.name));
  const guess = nearest(tool, names);
  if (guess !== undefined) throw new CommandFailure("cli.call.unknownToolNear", { tool, guess });
  throw new CommandFailure("cli.call.unknownTool", { tool });
}
