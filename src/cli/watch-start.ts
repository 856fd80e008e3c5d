/** Shows a person how the start of a server goes that was just added, and how it ended. Ctrl+C ends the watching only. */
import type { Context } from "./command.ts";
import { CommandFailure, EXIT_FAILED } from "./failures.ts";
import { hubAt } from "./hub-client.ts";
import { tokenFor } from "./hub-file.ts";
import { textOption } from "./options.ts";
import { printLine, printNote } from "./output.ts";
import { spinner } from "./progress.ts";
import { type Awaited, type Ended, serverStarted } from "./server-start.ts";
import { listenForStop } from "./stopping.ts";
import { plainLine } from "./text.ts";

/** The exit code that shells use for a program ended by Ctrl+C. */
const EXIT_INTERRUPTED = 130;

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
