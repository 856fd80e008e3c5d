/** `zaguan agent`: agents of the running hub, their tools and their keys. */
import type { BindingConfig, BoundTool, NewAgent } from "../../contract/agent.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Context } from "../command.ts";
import { CommandFailure, UsageError } from "../failures.ts";
import { givenText } from "../given-text.ts";
import { connectHub, type HubClient } from "../hub-client.ts";
import { choiceOption, isGiven, listOption, textOption } from "../options.ts";
import { minute, printFields, printJson, printLine, printList, printNote, printOutcome } from "../output.ts";
import { usageOf } from "../parse.ts";
import { findTool, isMeant, listed, namedIn, publicName } from "../registry-client.ts";
import { typedArguments } from "../typed-arguments.ts";

type Action = (context: Context, hub: HubClient, name: string) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = {
  create,
  show,
  change,
  remove,
  link,
  unlink,
  links,
  key,
  revoke,
};

export async function run(context: Context): Promise<number> {
  const [word = "", name = ""] = context.operands;
  await ACTIONS[word]?.(context, connectHub(context), name);
  return 0;
}

async function create(context: Context, hub: HubClient, name: string): Promise<void> {
  const agent = await hub.api.createAgent({ body: { name, ...(await describedBy(context)) } });
  printOutcome(context, agent, context.say("cli.agent.created", { name }));
}

async function show(context: Context, hub: HubClient, name: string): Promise<void> {
  const agent = await hub.api.getAgent({ id: namedIn(context, name) });
  if (isGiven(context, "json")) return printJson(context, agent);
  printFields(context, [
    ["name", agent.name],
    ["id", agent.id],
    ["description", agent.description],
    ["autonomy", agent.autonomy],
    ["prompt", agent.systemPrompt],
    ["created", minute(agent.createdUtc)],
    ["updated", minute(agent.updatedUtc)],
  ]);
}

async function change(context: Context, hub: HubClient, name: string): Promise<void> {
  const newName = textOption(context, "name");
  const wanted = { ...(newName !== undefined && { name: newName }), ...(await describedBy(context)) };
  if (Object.keys(wanted).length === 0) {
    throw new UsageError("cli.usage.nothing", { usage: usageOf(context.command, context.operands) }, "agent");
  }
  const agent = await hub.api.changeAgent({ id: namedIn(context, name), body: wanted });
  printOutcome(context, agent, context.say("cli.registry.changed", { name: agent.name }));
}

async function remove(context: Context, hub: HubClient, name: string): Promise<void> {
  await hub.api.deleteAgent({ id: namedIn(context, name) });
  printOutcome(context, { removed: name }, context.say("cli.registry.removed", { name }));
}

/** What was given of an agent, and nothing else. */
async function describedBy(context: Context): Promise<Partial<NewAgent>> {
  const given = {
    description: textOption(context, "description"),
    systemPrompt: await givenText(context, "prompt"),
    autonomy: choiceOption(context, "autonomy"),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** An existing link is changed only in what was given, so that linking twice loses no limit. */
async function link(context: Context, hub: HubClient, name: string): Promise<void> {
  const [, , said = ""] = context.operands;
  const id = namedIn(context, name);
  const known = await listed(hub, hub.api.listBindings({ id }));
  const tool = await findTool(hub, said);
  const before = known.find((binding) => binding.tool.id === tool.id);
  const config = givenConfig(context, tool);
  const enabled = !isGiven(context, "disabled");
  const made = before
    ? await hub.api.changeBinding({
        id,
        bindingId: before.id,
        body: { ...(config && { config: { ...before.config, ...config } }), enabled },
      })
    : await hub.api.bindTool({ id, body: { toolId: tool.id, ...(config && { config }), enabled } });
  const done = before ? "cli.agent.linkChanged" : enabled ? "cli.agent.linked" : "cli.agent.linkedOff";
  printOutcome(context, made, context.say(done, { name, tool: publicName(tool) }));
}

function givenConfig(context: Context, { inputSchema }: Tool): BindingConfig | undefined {
  const fixed = listOption(context, "fixed");
  const allowed = textOption(context, "allow-args");
  if (fixed.length === 0 && allowed === undefined) return undefined;
  const asked = { command: "agent", option: "--fixed" };
  return {
    ...(fixed.length > 0 && { fixedArguments: typedArguments(fixed, inputSchema, asked) }),
    ...(allowed !== undefined && { allowedArguments: namesIn(allowed) }),
  };
}

function namesIn(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

async function unlink(context: Context, hub: HubClient, name: string): Promise<void> {
  const [, , said = ""] = context.operands;
  const id = namedIn(context, name);
  const known = await listed(hub, hub.api.listBindings({ id }));
  const meant = known.filter((binding) => binding.id === said || isMeant(binding.tool, said));
  const [binding, another] = meant;
  if (!binding) throw new CommandFailure("cli.agent.notLinked", { name, tool: said });
  if (another) {
    const names = meant.map(({ tool }) => publicName(tool)).join(", ");
    throw new CommandFailure("cli.agent.severalTools", { tool: said, names });
  }
  await hub.api.unbindTool({ id, bindingId: binding.id });
  const tool = publicName(binding.tool);
  printOutcome(context, { removed: tool }, context.say("cli.agent.unlinked", { name, tool }));
}

async function links(context: Context, hub: HubClient, name: string): Promise<void> {
  const bindings = await listed(hub, hub.api.listBindings({ id: namedIn(context, name) }));
  const columns = ["server", "tool", "state", "fixedArguments", "allowedArguments"] as const;
  const rows = bindings.map((binding) => linkRow(context, binding));
  printList(context, bindings, columns, rows, { key: "cli.agent.noLinks", params: { name } });
}

function linkRow({ say }: Context, { tool, enabled, config }: BoundTool): string[] {
  const state = tool.missing ? "cli.tool.missing" : enabled ? "cli.link.enabled" : "cli.link.disabled";
  const { fixedArguments, allowedArguments } = config ?? {};
  const fixed = fixedArguments === undefined ? "–" : JSON.stringify(fixedArguments);
  return [tool.serverName, tool.name, say(state), fixed, allowedArguments?.join(" ") ?? "*"];
}

/** The key alone goes to stdout, so that a script can take it. */
async function key(context: Context, hub: HubClient, name: string): Promise<void> {
  const made = await hub.api.createAgentKey({ id: namedIn(context, name) });
  if (isGiven(context, "json")) return printJson(context, made);
  printLine(context, made.key);
  printNote(context, "cli.agent.key", { name });
}

async function revoke(context: Context, hub: HubClient, name: string): Promise<void> {
  await hub.api.revokeAgentKey({ id: namedIn(context, name) });
  printOutcome(context, { revoked: name }, context.say("cli.agent.revoked", { name }));
}
