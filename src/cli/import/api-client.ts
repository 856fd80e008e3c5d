/** The imported APIs of a running hub, as this command sees them. */
import type { ImportedApi } from "../../contract/api.ts";
import type { Context } from "../command.ts";
import { CommandFailure } from "../failures.ts";
import type { HubClient, Timing } from "../hub-client.ts";
import { HubRefusal } from "../hub-refusal.ts";
import { spinner } from "../progress.ts";
import { listed, namedIn } from "../registry-client.ts";

/** A document may be large, and its address slow. */
const TIMEOUT_MS = 180_000;

/** Shows that it goes on. */
export async function patiently<Answer>(context: Context, ask: (timing: Timing) => Promise<Answer>): Promise<Answer> {
  const [source = ""] = context.operands;
  const progress = spinner(context.world.stderr, context.say("cli.import.working", { file: source }));
  try {
    return await ask({ timeoutMs: TIMEOUT_MS });
  } finally {
    progress.stop();
  }
}

/** Undefined if there is none of that name. */
export async function apiNamed(context: Context, hub: HubClient, name: string): Promise<ImportedApi | undefined> {
  try {
    return await hub.api.getApi({ id: namedIn(context, name) });
  } catch (cause) {
    if (cause instanceof HubRefusal && cause.code === "NO_SUCH") return undefined;
    throw cause;
  }
}

/** The one that came from this address; several have to be told apart by name. */
export async function apiFrom(hub: HubClient, url: string): Promise<ImportedApi | undefined> {
  const found = (await listed(hub, hub.api.listApis())).filter((api) => isFrom(api, url));
  if (found.length < 2) return found[0];
  const names = found.map(({ name }) => name).join(", ");
  throw new CommandFailure("cli.import.severalApis", { url: withoutQuery(url), names });
}

export function isFrom(api: ImportedApi, url: string): boolean {
  return api.url !== null && withoutQuery(api.url) === withoutQuery(url);
}

/** As URLs compare; the hub shows none of their queries. */
function withoutQuery(url: string): string {
  const { href } = URL.parse(url) ?? { href: url };
  return href.split(/[?#]/, 1)[0] ?? href;
}
