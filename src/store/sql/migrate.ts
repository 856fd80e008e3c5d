/** Brings a database to the newest schema, step by step. */
import { MIGRATIONS, type Migration, migrationAfter } from "../migrations/index.ts";
import type { SqlDriver, Statements } from "./driver.ts";

const TABLE =
  "CREATE TABLE IF NOT EXISTS schema_version " +
  "(version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_utc TEXT NOT NULL)";

/**
 * Each migration and its row in `schema_version` are one transaction, which looks at the version again: of several
 * processes that start together, one migrates and the others find it done.
 */
export async function migrate(driver: SqlDriver, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  while (migrationAfter(await versionOf(driver), migrations)) {
    await driver.transaction(async (tx) => {
      await tx.script(tx.words.lockSchema);
      await applyNext(tx, migrations);
    });
  }
}

/** All steps inside one transaction of its caller. */
export async function migrateWithin(tx: Statements): Promise<void> {
  await tx.script(tx.words.lockSchema);
  let isApplied = true;
  while (isApplied) isApplied = await applyNext(tx, MIGRATIONS);
}

/** Tells whether there was one. */
async function applyNext(tx: Statements, migrations: readonly Migration[]): Promise<boolean> {
  const next = migrationAfter(await versionOf(tx), migrations);
  if (!next) return false;
  await tx.script(tx.words.dialect === "sqlite" ? `${TABLE} STRICT` : TABLE);
  await tx.script(next.sql[tx.words.dialect]);
  const values = [next.version, next.name, new Date().toISOString()];
  await tx.run("INSERT INTO schema_version (version, name, applied_utc) VALUES (?, ?, ?)", ...values);
  return true;
}

async function versionOf(from: Statements): Promise<number> {
  if (!(await from.first(from.words.hasTable, "schema_version"))) return 0;
  return Number((await from.first("SELECT coalesce(max(version), 0) AS version FROM schema_version"))?.["version"]);
}
