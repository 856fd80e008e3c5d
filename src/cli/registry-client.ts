/** The registry of a running hub, as the commands see it: what it shows, where it is, and how a tool is found in it. */
import { nearest } from "../contract/rules.ts";
import type { Tool } from "../contract/tool.ts";
import type { Context } from "./command.ts";
import { CommandFailure, UsageError } from "./failures.ts";
import { type HubClient, orUndefined } from "./hub-client.ts";

/** Refuses a name that would vanish from a path: "", "." and "..". */
export function namedIn(context: Context, name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new UsageError("cli.usage.name", { name }, context.command.name);
  return name;
}

/** Refuses an answer that is no list: it does not come from a hub. */
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
  return /^[\w-]+$/.test(id) ? orUndefined(hub.api.getTool({ id })) : undefined;
}

async function refuseUnknown(hub: HubClient, tool: string): Promise<never> {
  const all = await listed(hub, hub.api.listAllTools());
  const names = all.map((one) => (tool.includes("__") ? publicName(one) : one.name));
  throw unknownTool(tool, names);
}

/** Names the tool that was probably meant, if there is one. */
export function unknownTool(tool: string, names: readonly string[]): CommandFailure {
  const guess = nearest(tool, names);
  if (guess !== undefined) return new CommandFailure("cli.call.unknownToolNear", { tool, guess });
  return new CommandFailure("cli.call.unknownTool", { tool });
}
