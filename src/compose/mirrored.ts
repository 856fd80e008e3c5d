/** Whom the registry tells of without keeping them: what stands in the configuration file, the house, and devices. */
import type { ServerConfig, ZaguanConfig } from "../config/types.ts";
import type { Mirrored } from "../registry/servers.ts";
import { HOUSE } from "./sources.ts";

export function mirroredIn(config: ZaguanConfig, devices: readonly string[]): ReadonlyMap<string, Mirrored> {
  const { mcpServers, homeAssistant, apiTools } = config;
  const { house, abilities, tools } = config.devices;
  const own = [...Object.keys(abilities), ...(tools === undefined ? [] : ["tools"])];
  const others = [...own, ...enabledIn(homeAssistant), ...enabledIn(apiTools)];
  return new Map<string, Mirrored>([
    ...(house ? [[HOUSE, { origin: "built-in" }] as const] : []),
    ...others.map((name) => [name, { origin: "configured" }] as const),
    ...devices.filter((name) => !others.includes(name)).map((name) => [name, { origin: "device" }] as const),
    ...enabledIn(mcpServers).map((name) => [name, configured(mcpServers[name])] as const),
  ]);
}

function configured(server: ServerConfig | undefined): Mirrored {
  return { origin: "configured", server };
}

function enabledIn(entries: Readonly<Record<string, { readonly disabled: boolean }>>): string[] {
  return Object.keys(entries).filter((name) => !entries[name]?.disabled);
}
