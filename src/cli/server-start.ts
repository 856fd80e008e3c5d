/**
 * Waits for a server that was written into the configuration of a running hub: until the hub has taken up the file, and then
 * until the server is ready or its start has failed. The hub starts it and bounds that time; here it is only looked at.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "../contract/server.ts";
import type { Context } from "./command.ts";
import { CommandFailure } from "./failures.ts";
import type { HubClient } from "./hub-client.ts";
import { findRunningHub } from "./hub-file.ts";
import { HubRefusal } from "./hub-refusal.ts";
import type { Progress } from "./progress.ts";
import { namedIn } from "./registry-client.ts";
import { plainLine } from "./text.ts";

const LOOK_MS = 250;
/** A hub may have to end the server's predecessor first, which is given its time. */
const TAKE_UP_MS = 60_000;
/** A server that is still idle after this time is started by the hub only when somebody calls it. */
const IDLE_MS = 10_000;
const LOG_LINES = 5;

export interface Awaited {
  readonly name: string;
  readonly dataDir: string;
  /** When the hub had last read its file before that was changed; undefined where it was not changed. */
  readonly before: string | undefined;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

export type Ended =
  | { readonly how: "ready"; readonly tools: number }
  /** The hub knows its tools from before, and starts it with the first call. */
  | { readonly how: "idle"; readonly tools: number }
  | { readonly how: "failed"; readonly reason: string; readonly log: readonly string[] };

export async function serverStarted(
  context: Context,
  hub: HubClient,
  awaited: Awaited,
  progress: Progress,
): Promise<Ended> {
  const { name, signal } = awaited;
  await takenUp(awaited, hub.url);
  const since = performance.now();
  const id = namedIn(context, name);
  for (;;) {
    const server = await serverAt(hub, id, since + IDLE_MS, signal);
    progress.step(labelOf(server));
    if (server.state === "ready") return { how: "ready", tools: await toolsOf(hub, id) };
    if (hasFailed(server)) return { how: "failed", reason: reasonOf(server), log: server.log.slice(-LOG_LINES) };
    if (staysIdle(server, performance.now() - since)) return { how: "idle", tools: server.tools };
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/** The hub may have read its file a moment before the server was written into it: then it reads it once more. */
async function serverAt(hub: HubClient, id: string, limit: number, signal: AbortSignal): Promise<Server> {
  for (;;) {
    try {
      return await hub.api.getServer({ id });
    } catch (cause) {
      const isMissing = cause instanceof HubRefusal && cause.code === "NO_SUCH";
      if (!isMissing || performance.now() > limit) throw cause;
    }
    await sleep(LOOK_MS, undefined, { signal });
  }
}

async function takenUp({ dataDir, before, signal }: Awaited, url: string): Promise<void> {
  const limit = performance.now() + TAKE_UP_MS;
  while (before !== undefined) {
    const hub = findRunningHub(dataDir);
    if (!hub) throw new CommandFailure("cli.hub.none", { url });
    if (hub.configUtc !== before && hub.configRefused === undefined) return;
    if (hub.configUtc !== before) throw new CommandFailure("cli.add.refused", { reason: hub.configRefused ?? "" });
    if (performance.now() > limit) throw new CommandFailure("cli.add.notTaken", { url, seconds: TAKE_UP_MS / 1_000 });
    await sleep(LOOK_MS, undefined, { signal });
  }
}

function labelOf({ name, state, progress }: Pick<Server, "name" | "state" | "progress">): string {
  return plainLine([`${name}: ${state}`, progress].filter(Boolean).join(" · "));
}

/** A second start means that the first failed, though the pause between them was too short to be seen. */
function hasFailed({ state, restarts }: Server): boolean {
  return state === "waiting" || state === "broken" || state === "closed" || restarts > 0;
}

function reasonOf({ lastError, state }: Server): string {
  return lastError ?? state;
}

/** One whose tools are known is not started for a list of them; others are, in their turn. */
function staysIdle({ state, tools }: Server, ms: number): boolean {
  return state === "idle" && (tools > 0 || ms > IDLE_MS);
}

/** Asked for now: the hub itself may still be asking. */
async function toolsOf(hub: HubClient, id: string): Promise<number> {
  const { tools } = await hub.api.discoverTools({ id });
  return tools.length;
}
