/** `zaguan key`: API keys, made and revoked in the store itself, whether or not a hub is running. */
import { makeKey } from "../../security/api-keys.ts";
import type { KeyRecord, KeyTable } from "../../store/store.ts";
import type { Context } from "../command.ts";
import { CommandFailure, UsageError } from "../failures.ts";
import { isGiven, listOption } from "../options.ts";
import { minute, printList } from "../output.ts";
import { storePlace } from "../store-place.ts";

type Action = (context: Context, keys: KeyTable) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = { create, list, revoke };

export async function run(context: Context): Promise<number> {
  const [word = "", name] = context.operands;
  if (name !== undefined && !/^[^\p{Cc}]{1,64}$/u.test(name)) throw new UsageError("cli.key.name", {}, "key");
  const place = await storePlace(context);
  const { openStore } = await import("../../compose/store.ts");
  const store = await openStore(place);
  try {
    await ACTIONS[word]?.(context, store.keys);
  } finally {
    await store.close();
  }
  return 0;
}

/** The key alone goes to stdout, so that a script can take it; what a person should know goes to stderr. */
async function create(context: Context, keys: KeyTable): Promise<void> {
  const [, name = ""] = context.operands;
  const allow = listOption(context, "tools");
  const admin = isGiven(context, "admin");
  if (admin && allow.length > 0)
    throw new UsageError("cli.usage.together", { one: "--admin", other: "--tools" }, "key");
  if ((await keys.list()).some((key) => key.name === name && key.revokedUtc === undefined)) {
    throw new CommandFailure("cli.key.taken", { name });
  }
  const { key, kept } = makeKey({ name, ...(allow.length > 0 && { allow }), ...(admin && { admin }) });
  await keys.create(kept);
  context.world.stdout.write(`${key}\n`);
  context.world.stderr.write(`${context.say("cli.key.created", { name })}\n`);
}

async function list(context: Context, keys: KeyTable): Promise<void> {
  const found = await keys.list();
  const rows = found.map((key) => row(context, key));
  const columns = ["name", "key", "created", "lastUsed", "state", "tools"] as const;
  printList(context, found.map(withoutHash), columns, rows, { key: "cli.key.none" });
}

async function revoke(context: Context, keys: KeyTable): Promise<void> {
  const [, name = ""] = context.operands;
  if (!(await keys.revoke(name))) throw new CommandFailure("cli.key.unknown", { name });
  context.world.stdout.write(`${context.say("cli.key.revoked", { name })}\n`);
}

function row({ say }: Context, key: KeyRecord): string[] {
  const state = say(key.revokedUtc === undefined ? "cli.key.stateActive" : "cli.key.stateRevoked");
  return [key.name, key.hint, minute(key.createdUtc), minute(key.lastUsedUtc), state, rightsOf(key, say)];
}

function rightsOf({ allow, admin }: KeyRecord, say: Context["say"]): string {
  return admin ? `* (${say("cli.key.admin")})` : (allow?.join(" ") ?? "*");
}

function withoutHash({ hash: _, ...rest }: KeyRecord): Omit<KeyRecord, "hash"> {
  return rest;
}
