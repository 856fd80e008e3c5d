/**
 * Where the store is that a command opens by itself: the database that was named, that of the configuration, or the file in
 * the data folder. It must be the one of the hub that runs on that folder, or a key made here would open nothing there.
 */

import type { StorePlace } from "../compose/store.ts";
import { clusterInFile } from "../config/config-file.ts";
import type { Context } from "./command.ts";
import { CommandFailure } from "./failures.ts";
import { findRunningHub } from "./hub-file.ts";
import { serveOptions } from "./options.ts";

export async function storePlace(context: Context): Promise<StorePlace> {
  const { env } = context.world;
  const { dataDir, database: named, language } = serveOptions(context);
  const hub = findRunningHub(dataDir);
  const database = named ?? (await clusterInFile("database", configPlace(context), env));
  if (database === undefined && hub?.database !== undefined) {
    throw new CommandFailure("cli.database.needed", { address: hub.database });
  }
  return { dataDir, database, env, language };
}

/** The file of the hub that runs on the data folder, unless another is named. */
export function configPlace(context: Context): string {
  const { dataDir } = serveOptions(context);
  return context.world.env["ZAGUAN_CONFIG"] || findRunningHub(dataDir)?.configFile || "zaguan.json";
}
