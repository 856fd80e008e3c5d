/** The store: the embedded one in the data folder, or a PostgreSQL database where one is named. */
import { join } from "node:path";
import { ConfigError } from "../config/config-error.ts";
import { type Language, say } from "../messages/catalogue.ts";
import { detailIn } from "../messages/detail.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { Store } from "../store/store.ts";

export interface StorePlace {
  readonly dataDir: string;
  /** The address of a PostgreSQL database, to be used in the place of the file in `dataDir`. */
  readonly database?: string | undefined;
  /** Where the rest of that address is looked for, as `PGPASSWORD`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly language: Language;
}

/** Rejects with a ConfigError whose message is one clear line. */
export async function openStore(place: StorePlace): Promise<Store> {
  const { dataDir, database, language } = place;
  if (database !== undefined) return openDatabase(database, place);
  try {
    return await openSqliteStore(join(dataDir, "zaguan.db"));
  } catch (error) {
    throw new ConfigError(say(language, "start.store", { reason: reasonOf(error) }), error);
  }
}

/** Its client is loaded here, and nowhere else. */
async function openDatabase(database: string, { env, language }: StorePlace): Promise<Store> {
  const { parseAddress } = await import("../store/postgres/address.ts");
  let address = "";
  try {
    const parsed = parseAddress(database, env);
    address = ` ${parsed.shown}`;
    return await (await import("../store/postgres/store.ts")).openPostgresStore(parsed);
  } catch (error) {
    throw new ConfigError(
      say(language, "start.database", { address, reason: detailIn(language, reasonOf(error)) }),
      error,
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
