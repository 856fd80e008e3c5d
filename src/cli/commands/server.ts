/** `zaguan server`: registers servers with the running hub, has their tools found, and shows what was tried. */
import type { Discovery } from "../../contract/server.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Context } from "../command.ts";
import { CommandFailure, UsageError } from "../failures.ts";
import { connectHub, type HubClient, HubRefusal, type Timing } from "../hub-client.ts";
import { isGiven, textOption } from "../options.ts";
import { minute, moment, printFields, printJson, printList, printNote, printOutcome } from "../output.ts";
import { usageOf } from "../parse.ts";
import { spinner } from "../progress.ts";
import { listed, namedIn } from "../registry-client.ts";
import { checkedAddress, checkedName, spokenOptions, warnOfOpenSecrets } from "../server-options.ts";

type Action = (context: Context, hub: HubClient, name: string) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = { register, show, change, remove, discover, refresh, log };
/** The hub's own limit for a discovery can be set up to ten minutes. */
const DISCOVERY_TIMEOUT_MS = 660_000;

export async function run(context: Context): Promise<number> {
  const [word = "", name = ""] = context.operands;
  await ACTIONS[word]?.(context, connectHub(context), name);
  return 0;
}

async function register(context: Context, hub: HubClient, name: string): Promise<void> {
  const [, , url = ""] = context.operands;
  const address = { name: checkedName(context, name), baseUrl: checkedAddress(context, name, url) };
  const spoken = await spokenOptions(context);
  if (spoken.credentials !== undefined && spoken.authType === undefined) {
    throw new UsageError("cli.server.credentialsAlone", {}, context.command.name);
  }
  const server = await hub.api.createServer({ body: { ...address, ...spoken } });
  printOutcome(context, server, context.say("cli.server.registered", { name }));
  warnOfOpenSecrets(context);
}

async function show(context: Context, hub: HubClient, name: string): Promise<void> {
  const server = await hub.api.getServer({ id: namedIn(context, name) });
  if (isGiven(context, "json")) return printJson(context, server);
  printFields(context, [
    ["name", server.name],
    ["id", server.id],
    ["origin", server.origin],
    ["status", server.status],
    ["address", server.baseUrl ?? server.command],
    ["auth", server.authType],
    ["transport", server.transport],
    ["state", server.state],
    ["tools", server.tools],
    ["restarts", server.restarts],
    ["lastSeen", minute(server.lastSeenUtc)],
    ["log", server.progress],
    ["lastError", server.lastError],
    ["created", minute(server.createdUtc)],
    ["updated", minute(server.updatedUtc)],
  ]);
}

async function change(context: Context, hub: HubClient, name: string): Promise<void> {
  const id = namedIn(context, name);
  const [newName, url] = [textOption(context, "name"), textOption(context, "url")];
  const wanted = {
    ...(newName !== undefined && { name: checkedName(context, newName) }),
    ...(url !== undefined && { baseUrl: checkedAddress(context, name, url) }),
    ...(await spokenOptions(context)),
  };
  if (Object.keys(wanted).length === 0) {
    throw new UsageError("cli.usage.nothing", { usage: usageOf(context.command, context.operands) }, "server");
  }
  const server = await hub.api.changeServer({ id, body: wanted });
  printOutcome(context, server, context.say("cli.registry.changed", { name: server.name }));
  warnOfOpenSecrets(context);
}

async function remove(context: Context, hub: HubClient, name: string): Promise<void> {
  await hub.api.deleteServer({ id: namedIn(context, name) });
  printOutcome(context, { removed: name }, context.say("cli.registry.removed", { name }));
}

async function discover(context: Context, hub: HubClient, name: string): Promise<void> {
  const { tools } = await patiently(context, name, hub.api.discoverTools);
  showFound(context, tools, context.say("cli.server.discovered", { name, count: tools.length }));
}

async function refresh(context: Context, hub: HubClient, name: string): Promise<void> {
  const answer = await patiently(context, name, hub.api.refreshTools);
  showFound(context, answer.tools.tools, answer.message);
}

type Asking<Answer> = (server: { readonly id: string }, timing: Timing) => Promise<Answer>;

/** Every way to the server may be tried several times: that takes up to 30 seconds, and shows that it goes on. */
async function patiently<Answer>(context: Context, name: string, ask: Asking<Answer>): Promise<Answer> {
  const id = namedIn(context, name);
  const progress = spinner(context.world.stderr, context.say("cli.server.discovering", { name }));
  try {
    return await ask({ id }, { timeoutMs: DISCOVERY_TIMEOUT_MS });
  } catch (cause) {
    if (!(cause instanceof HubRefusal) || cause.code !== "NOT_DISCOVERED") throw cause;
    throw new CommandFailure("cli.server.notDiscovered", { text: cause.message, name }, cause);
  } finally {
    progress.stop();
  }
}

function showFound(context: Context, tools: readonly Tool[], note: string): void {
  const rows = tools.map(({ name, description }) => [name, description]);
  printList(context, tools, ["tool", "description"], rows);
  printNote(context, "cli.hub.said", { text: note });
}

/** Each attempt with its time, then what came of it; the newest discovery first. */
async function log(context: Context, hub: HubClient, name: string): Promise<void> {
  const discoveries = await listed(hub, hub.api.discoveryLog({ id: namedIn(context, name) }));
  const rows = discoveries.flatMap((discovery) => story(context, discovery));
  const empty = { key: "cli.server.noLog", params: { name } } as const;
  printList(context, discoveries, ["time", "attempt", "transport", "outcome"], rows, empty);
}

function story({ say }: Context, { startedUtc, ms, ok, tools = 0, error = "", steps }: Discovery): string[][] {
  const end = ok
    ? say("cli.server.logFound", { count: tools, ms })
    : say("cli.server.logFailed", { reason: error, ms });
  return [
    ...steps.map(({ attempt, atMs, transport, outcome }) => [
      moment(startedUtc, atMs),
      String(attempt),
      transport,
      outcome,
    ]),
    [moment(startedUtc, ms), "", "", end],
  ];
}
