/** Definitions of the running hub's servers in which there are characters that cannot be seen: a model reads them. */
import type { Tool } from "../../contract/tool.ts";
import type { MessageKey } from "../../messages/catalogue.ts";
import { hiddenIn } from "../../protocol/text/hidden.ts";
import type { HubClient } from "../hub-client.ts";
import { listAll } from "../hub-tools.ts";
import { type Finding, ill, type Patient } from "./finding.ts";

type Say = Patient["say"];

const LONGEST_NAME = 64;

export function hiddenInTools(tools: readonly Tool[], say: Say): readonly Finding[] {
  return tools.flatMap(({ name, serverName, hidden = [] }) =>
    findings(hidden, "cli.doctor.toolHidden", { tool: name.slice(0, LONGEST_NAME), name: serverName }, say),
  );
}

/** Servers by what their owner calls them, and what they offer beside tools. */
export async function hiddenElsewhere(
  hub: HubClient,
  servers: readonly Named[],
  say: Say,
): Promise<readonly Finding[]> {
  const lists = [
    { key: "cli.doctor.serverHidden", all: servers.map(({ name, description }) => ({ name, description })) },
    { key: "cli.doctor.promptHidden", all: await listed(hub, "prompts") },
    { key: "cli.doctor.resourceHidden", all: await listed(hub, "resources") },
    { key: "cli.doctor.resourceHidden", all: await listed(hub, "resources/templates", "resourceTemplates") },
  ] as const;
  return lists.flatMap(({ key, all }) =>
    all.flatMap((one) => findings(hiddenIn(one), key, { name: String(one.name).slice(0, LONGEST_NAME) }, say)),
  );
}

interface Named {
  readonly name: string;
  readonly description?: unknown;
}

/** An older hub may not have the list. */
async function listed(hub: HubClient, ...list: [kind: string, member?: string]): Promise<readonly Named[]> {
  return (await listAll(hub, ...list).catch(() => [])) as readonly Named[];
}

function findings(
  hidden: readonly string[],
  key: MessageKey,
  params: Readonly<Record<string, string>>,
  say: Say,
): readonly Finding[] {
  if (hidden.length === 0) return [];
  return [ill(say(key, { ...params, characters: hidden.join(", ") }), say("cli.doctor.hiddenAdvice"))];
}
