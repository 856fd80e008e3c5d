/** The embedded store in the data folder. */
import { join } from "node:path";
import { ConfigError } from "../config/config-error.ts";
import { type Language, say } from "../messages/catalogue.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { Store } from "../store/store.ts";

export async function openStore(dataDir: string, language: Language = "en"): Promise<Store> {
  try {
    return await openSqliteStore(join(dataDir, "zaguan.db"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(say(language, "start.store", { reason }), error);
  }
}
