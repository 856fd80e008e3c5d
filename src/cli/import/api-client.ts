/** The imported APIs of a running hub, as this command sees them. */
import type { Context } from "../command.ts";
import { CommandFailure } from "../failures.ts";
import type { HubClient } from "../hub-client.ts";
import { HubRefusal } from "../hub-refusal.ts";
import { spinner } from "../progress.ts";
import { listAt, placeOf } from "../registry-client.ts";

export const APIS = "/admin/apis";

export interface Skipped {
  readonly where: string;
  readonly reason: string;
}

export interface Scheme {
  readonly name: string;
  readonly type: string;
  /** Of those of an imported API: there are credentials for it. */
  readonly given?: boolean;
}

export interface Preview {
  readonly name: string;
  readonly title: string;
  readonly baseUrl: string | null;
  readonly tags: readonly string[];
  readonly schemes: readonly Scheme[];
  readonly operations: readonly { readonly name: string; readonly method: string; readonly path: string }[];
  readonly skipped: readonly Skipped[];
}

export interface Api {
  readonly name: string;
  readonly title: string;
  /** Without its query, which may be secret. */
  readonly url: string | null;
  readonly baseUrl: string;
  readonly schemes: readonly Scheme[];
  readonly tools: number;
  readonly skipped: readonly Skipped[];
}

export interface Refreshed {
  readonly api: Api;
  readonly changes: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly { readonly name: string; readonly members: readonly string[] }[];
  };
  readonly skipped: readonly Skipped[];
}

/** A document may be large, and its address slow. */
const TIMEOUT_MS = 180_000;

/** Shows that it goes on. */
export async function patiently(context: Context, hub: HubClient, path: string, body: object): Promise<unknown> {
  const [source = ""] = context.operands;
  const progress = spinner(context.world.stderr, context.say("cli.import.working", { file: source }));
  try {
    return await hub.send("POST", path, body, { timeoutMs: TIMEOUT_MS });
  } finally {
    progress.stop();
  }
}

/** Undefined if there is none of that name. */
export async function apiNamed(context: Context, hub: HubClient, name: string): Promise<Api | undefined> {
  try {
    return (await hub.get(placeOf(context, APIS, name))) as Api;
  } catch (cause) {
    if (cause instanceof HubRefusal && cause.code === "NO_SUCH") return undefined;
    throw cause;
  }
}

/** The one that came from this address; several have to be told apart by name. */
export async function apiFrom(hub: HubClient, url: string): Promise<Api | undefined> {
  const found = (await listAt<Api>(hub, APIS)).filter((api) => isFrom(api, url));
  if (found.length < 2) return found[0];
  const names = found.map(({ name }) => name).join(", ");
  throw new CommandFailure("cli.import.severalApis", { url: withoutQuery(url), names });
}

export function isFrom(api: Api, url: string): boolean {
  return api.url !== null && withoutQuery(api.url) === withoutQuery(url);
}

/** As URLs compare; the hub shows none of their queries. */
function withoutQuery(url: string): string {
  const { href } = URL.parse(url) ?? { href: url };
  return href.split(/[?#]/, 1)[0] ?? href;
}
