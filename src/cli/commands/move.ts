/** `zaguan move`: all data from the data folder into a PostgreSQL database, or back. */
import { existsSync, rmSync } from "node:fs";
import { type PostgresAddress, parseAddress } from "../../store/postgres/address.ts";
import { openCheckedDriver } from "../../store/postgres/store.ts";
import type { SqlDriver } from "../../store/sql/driver.ts";
import { type Moved, type MoveProgress, MoveRefused, moveAll } from "../../store/sql/move.ts";
import { openDriver } from "../../store/sqlite/driver.ts";
import type { Context } from "../command.ts";
import { databaseFile } from "../doctor/data-folder.ts";
import { CommandFailure, UsageError } from "../failures.ts";
import { findRunningHub } from "../hub-file.ts";
import { serveOptions, textOption } from "../options.ts";
import { printLine, printNote } from "../output.ts";
import { progressBar } from "../progress.ts";

/** How often a line tells how far it is where there is no terminal. */
const LINE_MS = 5_000;

export async function run(context: Context): Promise<number> {
  const [to, from] = [textOption(context, "to"), textOption(context, "from")];
  const url = to ?? from;
  if (url === undefined || (to !== undefined && from !== undefined)) throw new UsageError("cli.move.one", {}, "move");
  const { dataDir: dir } = serveOptions(context);
  const hub = findRunningHub(dir);
  if (hub) throw new CommandFailure("cli.move.running", { dir, pid: hub.pid });
  if (to !== undefined && !existsSync(databaseFile(dir))) throw new CommandFailure("cli.move.nothing", { dir });
  const address = addressOf(url, context);
  const { rows: count, tables } = await movedBetween(context, address, dir, to !== undefined);
  printLine(context, context.say("cli.move.moved", { count, tables }));
  printNote(context, to === undefined ? "cli.move.startFrom" : "cli.move.startTo", { address: named(address), dir });
  if (to !== undefined) printNote(context, "cli.move.key", { dir });
  return 0;
}

/** With its user, whose password is asked for in the environment. */
function named({ shown, user }: PostgresAddress): string {
  return shown.replace("//", `//${encodeURIComponent(user)}@`);
}

function addressOf(url: string, { world }: Context): PostgresAddress {
  try {
    return parseAddress(url, world.env);
  } catch (cause) {
    throw explained(cause, "");
  }
}

/** The file of the data folder is made only for what comes into it: where nothing came, it is taken away again. */
async function movedBetween(context: Context, address: PostgresAddress, dir: string, isThere: boolean): Promise<Moved> {
  const file = databaseFile(dir);
  const isNew = !existsSync(file);
  const opened: SqlDriver[] = [];
  const progress = shownProgress(context);
  try {
    const database = await openCheckedDriver(address);
    opened.push(database);
    const folder = openDriver(file);
    opened.push(folder);
    const [source, target] = isThere ? [folder, database] : [database, folder];
    return await moveAll(source, target, progress);
  } catch (cause) {
    for (const driver of opened.splice(0)) await driver.close();
    if (isNew) for (const each of [file, `${file}-wal`, `${file}-shm`]) rmSync(each, { force: true });
    throw explained(cause, isThere ? dir : address.shown);
  } finally {
    progress.stop();
    for (const driver of opened) await driver.close();
  }
}

function explained(cause: unknown, dir: string): unknown {
  if (cause instanceof MoveRefused) {
    const { why, table, count } = cause;
    return new CommandFailure(`cli.move.${why}`, { table, count, dir }, cause);
  }
  if (!(cause instanceof TypeError)) return cause;
  return new CommandFailure("cli.move.failed", { reason: cause.message }, cause);
}

/** A bar on a terminal; elsewhere a line every few seconds. */
function shownProgress({ world, say }: Context): MoveProgress & { stop(): void } {
  let bar = progressBar(world.stderr, 0);
  let [done, total, toldAt] = [0, 0, performance.now()];
  const line = (): void => {
    if (world.stderr.isTTY || performance.now() - toldAt < LINE_MS) return;
    toldAt = performance.now();
    world.stderr.write(`${say("cli.move.lines", { done, total })}\n`);
  };
  return {
    begin: (steps, rows) => {
      bar.stop();
      [done, total] = [0, rows];
      bar = progressBar(world.stderr, steps);
    },
    copied: (table, rows) => {
      done += rows;
      bar.step(say("cli.move.step", { table, count: done, total }));
      line();
    },
    checked: (table) => {
      bar.step(say("cli.move.check", { table }));
      line();
    },
    stop: () => bar.stop(),
  };
}
