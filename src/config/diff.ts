/**
 * Which servers differ between two configurations; order does not count. Houses of Home Assistant and REST APIs count as
 * servers, and so do the simulated house, as "house", the folder of one's own tools, as "tools", and each ability.
 */
import { isDeepStrictEqual } from "node:util";
import type { ZaguanConfig } from "./types.ts";

export interface ServerDiff {
  readonly added: string[];
  readonly removed: string[];
  /** Includes servers that were disabled or enabled. */
  readonly changed: string[];
}

export function diffServers(before: ZaguanConfig, after: ZaguanConfig): ServerDiff {
  const old = byName(before);
  const now = byName(after);
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now.keys()].filter((name) => old.has(name) && !isDeepStrictEqual(old.get(name), now.get(name))),
  };
}

function byName(config: ZaguanConfig): Map<string, unknown> {
  const servers = new Map<string, unknown>([
    ...Object.entries(config.mcpServers),
    ...Object.entries(config.homeAssistant),
    ...Object.entries(config.apiTools),
  ]);
  const { house, tools, abilities } = config.devices;
  if (house !== false) servers.set("house", house);
  if (tools !== undefined) servers.set("tools", tools);
  for (const [name, settings] of Object.entries(abilities)) servers.set(name, settings);
  return servers;
}
