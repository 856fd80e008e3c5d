/** `zaguan add`: writes a server into the configuration file and, where a running hub applies that, tells how its start ended. */
import { basename } from "node:path";
import { addServer, type WrittenEntry } from "../../config/edit.ts";
import { addOwnAddress } from "../../security/addresses.ts";
import { refuseOwnUrl } from "../../security/outbound.ts";
import type { Context } from "../command.ts";
import { configTarget, whatHappensNow } from "../config-target.ts";
import { UsageError } from "../failures.ts";
import { headerOf, pairOf } from "../given-text.ts";
import { findRunningHub } from "../hub-file.ts";
import { isGiven, listOption, serveOptions } from "../options.ts";
import { usageOf } from "../parse.ts";
import { checkedAddress, checkedName, isPrivateUrl } from "../server-options.ts";
import { watchStart } from "../server-start.ts";

export async function run(context: Context): Promise<number> {
  const { world, say } = context;
  const [given = "", url] = context.operands;
  const name = checkedName(context, given);
  const entry = url === undefined ? programEntry(context) : urlEntry(context, name, url);
  const target = configTarget(context);
  const { dataDir } = serveOptions(context);
  const hub = findRunningHub(dataDir);
  if (url !== undefined && hub?.url !== undefined) await refuseHub(hub.url, url);
  const isChanged = addServer(target.file, name, entry, { replace: isGiven(context, "replace") });
  world.stdout.write(
    `${say("cli.add.done", { name, file: basename(target.file) })} ${whatHappensNow(context, target)}\n`,
  );
  if (url !== undefined && !isGiven(context, "allow-private") && isPrivateUrl(url)) {
    world.stderr.write(`${say("cli.add.private", { host: new URL(url).hostname })}\n`);
  }
  if (!target.watched || hub?.url === undefined || hub.configUtc === undefined || isGiven(context, "no-wait")) return 0;
  const before = isChanged ? hub.configUtc : undefined;
  return await watchStart(context, { name, dataDir, before, url: hub.url, file: basename(target.file) });
}

/** The hub would refuse itself as a server; told before anything is written. */
async function refuseHub(hub: string, url: string): Promise<void> {
  const { hostname, port } = new URL(hub);
  addOwnAddress({ address: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || 80 });
  await refuseOwnUrl(url);
}

function programEntry(context: Context): WrittenEntry {
  const [program, ...args] = context.program ?? [];
  const usage = usageOf(context.command);
  if (!program) throw new UsageError("cli.usage.missing", { name: "URL | -- COMMAND", usage }, context.command.name);
  refuseWith(context, ["header", "allow-private"], "URL");
  const env = Object.fromEntries(listOption(context, "env").map((text) => pairOf(context, "env", text, "=")));
  return {
    ...(isGiven(context, "line") && { type: "line" }),
    command: program,
    args,
    ...(Object.keys(env).length > 0 && { env }),
  };
}

function urlEntry(context: Context, name: string, url: string): WrittenEntry {
  if (context.program) throw new UsageError("cli.add.both", { usage: usageOf(context.command) }, context.command.name);
  checkedAddress(context, name, url);
  refuseWith(context, ["env", "line"], "-- COMMAND");
  const headers = Object.fromEntries(listOption(context, "header").map((text) => headerOf(context, text)));
  return {
    url,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(isGiven(context, "allow-private") && { zaguan: { allowPrivate: true } }),
  };
}

/** An option that would be silently without effect is refused. */
function refuseWith(context: Context, names: readonly string[], form: string): void {
  const given = names.find((name) => context.flags[name] !== undefined);
  if (given === undefined) return;
  throw new UsageError("cli.add.optionOfOther", { option: `--${given}`, form }, context.command.name);
}
