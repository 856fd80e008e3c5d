/** The store over one SQLite file. */
import { openSqlStore } from "../sql/store.ts";
import type { Store } from "../store.ts";
import { openDriver } from "./driver.ts";

/** `file` may be ":memory:". Rejects with a TypeError if it cannot be opened or a newer Zaguan wrote it. */
export async function openSqliteStore(file: string): Promise<Store> {
  return openSqlStore(openDriver(file));
}
