/**
 * The history of the database, oldest first. A migration that was released is never edited: a change is a new file.
 * Each one holds its SQL by dialect, PostgreSQL's beside SQLite's: the same tables and columns, texts as texts
 * and yes and no as 1 and 0, so that rows can be moved from one to the other.
 */
import { FIRST } from "./001-first.ts";
import { REGISTRY } from "./002-registry.ts";
import { BRIDGE_SESSIONS } from "./003-bridge-sessions.ts";
import { APIS } from "./004-apis.ts";
import { SERVER_TITLES } from "./005-server-titles.ts";
import { OWNERS } from "./006-owners.ts";
import { MCP_SESSIONS } from "./007-mcp-sessions.ts";

export type Dialect = "sqlite" | "postgres";

export interface Migration {
  /** Its place in the list, from 1. */
  readonly version: number;
  readonly name: string;
  /** Runs inside a transaction of the driver: no BEGIN, COMMIT or PRAGMA here. */
  readonly sql: Readonly<Record<Dialect, string>>;
}

export const MIGRATIONS: readonly Migration[] = [
  FIRST,
  REGISTRY,
  BRIDGE_SESSIONS,
  APIS,
  SERVER_TITLES,
  OWNERS,
  MCP_SESSIONS,
];

/** The one to apply to a database of `version`, if any. Throws a TypeError if the database comes from a newer Zaguan. */
export function migrationAfter(version: number, migrations: readonly Migration[] = MIGRATIONS): Migration | undefined {
  if (version > migrations.length) {
    throw new TypeError(
      `The database was written by a newer Zaguan (its schema is ${version}, this one knows up to ${migrations.length}): ` +
        "update Zaguan, or choose another data folder",
    );
  }
  return migrations[version];
}
