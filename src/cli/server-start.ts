/**
 * Shows how the start of a server goes that was just written into the configuration of a running hub: until the hub has taken
 * up the file, and then until the server is ready or its start has failed. The hub starts it and bounds that time; here it is
 * only watched, and Ctrl+C ends the watching alone.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "../contract/server.ts";
import type { Context } from "./command.ts";
import { CommandFailure, EXIT_FAILED } from "./failures.ts";
import { type HubClient, hubAt, isNoSuch } from "./hub-client.ts";
import { findRunningHub, tokenFor } from "./hub-file.ts";
import { textOption } from "./options.ts";
import { printLine, printNote } from "./output.ts";
import { type Progress, spinner } from "./progress.ts";
import { namedIn } from "./registry-client.ts";
import { listenForStop } from "./stopping.ts";
import { plainLine } from "./terminal.ts";

const LOOK_MS = 250;
/** How long the hub may take to apply its file: it may have to stop an earlier server of that name first. */
const TAKE_UP_MS = 60_000;
/** A server that is still idle after this time is started by the hub only when somebody calls it. */
const IDLE_MS = 10_000;
const LOG_LINES = 5;
/** The exit code that shells use for a program ended by Ctrl+C. */
const EXIT_INTERRUPTED = 130;

interface Awaited {
  readonly name: string;
  readonly dataDir: string;
  /** When the hub had last read its file before that was changed; undefined where it was not changed. */
  readonly before: string | undefined;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

type Ended =
  | { readonly how: "ready"; readonly tools: number }
  /** The hub knows its tools from before, and starts it with the first call. */
  | { readonly how: "idle"; readonly tools: number }
  | { readonly how: "failed"; readonly reason: string; readonly log: readonly string[] };

interface Watched extends Omit<Awaited, "signal"> {
  /** The running hub's. */
  readonly url: string;
  /** The configuration file, as people call it. */
  readonly file: string;
}

/** Resolves with the exit code. */
export async function watchStart(context: Context, watched: Watched): Promise<number> {
  const { world, language } = context;
  const { name, url, dataDir } = watched;
  const stopping = listenForStop(world.env);
  const progress = spinner(world.stderr, name);
  const left = new AbortController();
  const hub = hubAt(url, textOption(context, "key") ?? tokenFor(dataDir, url), language);
  try {
    const started = serverStarted(context, hub, { ...watched, signal: left.signal }, progress);
    const ended = await Promise.race([started, stopping.asked.then(() => undefined)]);
    progress.stop();
    return tell(context, watched, ended);
  } catch (cause) {
    if (!(cause instanceof CommandFailure)) throw cause;
    throw new CommandFailure("cli.add.unknown", { name, reason: context.say(cause.key, cause.params) }, cause);
  } finally {
    left.abort();
    progress.stop();
    stopping.release();
  }
}

function tell(context: Context, { name, file }: Watched, ended: Ended | undefined): number {
  if (!ended) {
    printNote(context, "cli.add.interrupted", { name });
    return EXIT_INTERRUPTED;
  }
  if (ended.how === "failed") {
    for (const line of ended.log) context.world.stderr.write(`  ${plainLine(line)}\n`);
    printNote(context, "cli.add.failed", { name, reason: ended.reason.replace(/[.。]+$/, ""), file });
    return EXIT_FAILED;
  }
  printLine(context, context.say(`cli.add.${ended.how}`, { name, count: ended.tools }));
  return 0;
}

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
    if (hasFailed(server))
      return { how: "failed", reason: server.lastError ?? server.state, log: server.log.slice(-LOG_LINES) };
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
      if (!isNoSuch(cause) || performance.now() > limit) throw cause;
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

function labelOf({ name, state, progress }: Server): string {
  return plainLine([`${name}: ${state}`, progress].filter(Boolean).join(" · "));
}

/** A second start means that the first failed, though the pause between them was too short to be seen. */
function hasFailed({ state, restarts }: Server): boolean {
  return state === "waiting" || state === "broken" || state === "closed" || restarts > 0;
}

/** A hub does not start a server whose tools it knows; others it starts, one after the other. */
function staysIdle({ state, tools }: Server, ms: number): boolean {
  return state === "idle" && (tools > 0 || ms > IDLE_MS);
}

/** Discovered now, since the hub itself may not have its answer yet. */
async function toolsOf(hub: HubClient, id: string): Promise<number> {
  const { tools } = await hub.api.discoverTools({ id });
  return tools.length;
}
