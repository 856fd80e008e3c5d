/** Brings a SQLite database to the newest schema, step by step. */
import { MIGRATIONS, type Migration, migrationAfter } from "../migrations/index.ts";
import type { SqliteDriver } from "./driver.ts";

/**
 * Each migration and its row in `schema_version` are one transaction, which looks at the version again: of two
 * processes that start together, one migrates and the other finds it done.
 */
export function migrate(driver: SqliteDriver, migrations: readonly Migration[] = MIGRATIONS): void {
  while (migrationAfter(versionOf(driver), migrations)) driver.transaction(() => applyNext(driver, migrations));
}

function applyNext(driver: SqliteDriver, migrations: readonly Migration[]): void {
  const next = migrationAfter(versionOf(driver), migrations);
  if (!next) return;
  driver.script(
    "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_utc TEXT NOT NULL) STRICT",
  );
  driver.script(next.sql.sqlite);
  const values = [next.version, next.name, new Date().toISOString()];
  driver.run("INSERT INTO schema_version (version, name, applied_utc) VALUES (?, ?, ?)", ...values);
}

function versionOf(driver: SqliteDriver): number {
  const known = driver.first("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'");
  if (!known) return 0;
  return Number(driver.first("SELECT coalesce(max(version), 0) AS version FROM schema_version")?.["version"]);
}
