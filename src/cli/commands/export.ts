/** `zaguan export`: all servers in another client's form and without their secrets, or what connects a client to us. */
import { existsSync } from "node:fs";
import { writeConfigText } from "../../config/config-file.ts";
import { type WrittenEntry, writtenServers } from "../../config/edit.ts";
import { variablesOf } from "../../config/import-forms.ts";
import { isLoopback } from "../../security/addresses.ts";
import type { Context } from "../command.ts";
import { configTarget } from "../config-target.ts";
import { CLIENTS } from "../export/clients.ts";
import { type Entries, entryOf, FORMS, Variables, withoutSecrets } from "../export/forms.ts";
import { CommandFailure, EXIT_FAILED, UsageError } from "../failures.ts";
import { connectHub, type HubClient, hubAt } from "../hub-client.ts";
import { choiceOption, isGiven, textOption } from "../options.ts";
import { printLine, printNote } from "../output.ts";
import { listed } from "../registry-client.ts";

export async function run(context: Context): Promise<number> {
  const [form, client] = [choiceOption(context, "form"), choiceOption(context, "client")];
  if (form !== undefined && client !== undefined) {
    throw new UsageError("cli.usage.together", { one: "--form", other: "--client" }, context.command.name);
  }
  const output = textOption(context, "output");
  if (output !== undefined && existsSync(output) && !isGiven(context, "replace")) {
    throw new CommandFailure("cli.export.exists", { file: output });
  }
  const hub = connectHub(context);
  return client === undefined ? exportServers(context, hub, form ?? "mcpServers") : connectClient(context, hub, client);
}

async function exportServers(context: Context, hub: HubClient, form: string): Promise<number> {
  const servers = await allServers(context, hub);
  const count = Object.keys(servers).length;
  if (count === 0) {
    printNote(context, "cli.export.none");
    return EXIT_FAILED;
  }
  const shaped = FORMS[form]?.(servers) ?? {};
  write(context, shaped, count);
  const names = [...new Set(Object.values(shaped).flatMap(Object.values).flatMap(variablesOf))].join(", ");
  if (names !== "") printNote(context, "cli.export.variables", { names });
  return 0;
}

/** Those of the file as they are written there, then those that the hub alone has. */
async function allServers(context: Context, hub: HubClient): Promise<Entries> {
  const all = await listed(hub, hub.api.listServers());
  const variables = new Variables();
  const registered = all.filter(({ origin }) => origin === "registered");
  const known = registered.map((server) => [server.name, entryOf(server, variables)] as const);
  const written = Object.entries(writtenServers(configTarget(context).file));
  const entries = [...written, ...known].flatMap(([name, entry]): [string, WrittenEntry][] => {
    if (entry) return [[name, withoutSecrets(name, entry, variables)]];
    printNote(context, "cli.export.argumentsUnknown", { name });
    return [];
  });
  const names = registered.filter(({ baseUrl }) => baseUrl !== null).map(({ name }) => name);
  if (names.length > 0) printNote(context, "cli.export.headersUnknown", { names: names.join(", ") });
  return Object.fromEntries(entries);
}

async function connectClient(context: Context, hub: HubClient, client: string): Promise<number> {
  const needsKey = await asksForKey(context, hub);
  const snippet = CLIENTS[client]?.(`${hub.url}/mcp`, needsKey);
  if (!snippet) return EXIT_FAILED;
  write(context, snippet.value, 1);
  printNote(context, "cli.export.goesInto", { file: snippet.file });
  if (snippet.command !== undefined) printNote(context, "cli.export.orCommand", { command: snippet.command });
  if (needsKey) printNote(context, snippet.key);
  return 0;
}

/** Asked without a key, as a client would come that has none. */
async function asksForKey(context: Context, hub: HubClient): Promise<boolean> {
  const { hostname } = new URL(hub.url);
  const isHere = hostname === "localhost" || isLoopback(hostname.replace(/^\[|\]$/g, ""));
  try {
    await hubAt(hub.url, undefined, context.language).api.listServers();
    return !isHere || textOption(context, "key") !== undefined;
  } catch (cause) {
    if (cause instanceof CommandFailure && cause.key === "cli.hub.needsKey") return true;
    throw cause;
  }
}

function write(context: Context, value: unknown, count: number): void {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  const file = textOption(context, "output");
  if (file === undefined) {
    context.world.stdout.write(text);
    return;
  }
  writeConfigText(file, text);
  printLine(context, context.say("cli.export.done", { count, file }));
}
