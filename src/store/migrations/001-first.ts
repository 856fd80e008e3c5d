/** API keys and documents. */
import type { Migration } from "./index.ts";

export const FIRST: Migration = {
  version: 1,
  name: "first",
  sql: {
    sqlite: `
      CREATE TABLE api_keys (
        number        INTEGER PRIMARY KEY AUTOINCREMENT,
        id            TEXT NOT NULL UNIQUE,
        name          TEXT NOT NULL,
        hash          TEXT NOT NULL UNIQUE,
        hint          TEXT NOT NULL,
        allow         TEXT,
        created_utc   TEXT NOT NULL,
        last_used_utc TEXT,
        revoked_utc   TEXT
      ) STRICT;
      CREATE UNIQUE INDEX api_keys_active_name ON api_keys (name) WHERE revoked_utc IS NULL;

      CREATE TABLE documents (
        collection TEXT NOT NULL,
        key        TEXT NOT NULL,
        value      TEXT NOT NULL,
        PRIMARY KEY (collection, key)
      ) STRICT;
    `,
  },
};
