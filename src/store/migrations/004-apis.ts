/** REST APIs and their tools. An API is a row of `servers` as well; `scope` keeps codes apart where they may repeat. */
import type { Migration } from "./index.ts";

export const APIS: Migration = {
  version: 4,
  name: "apis",
  sql: {
    sqlite: `
      CREATE TABLE apis (
        number      INTEGER PRIMARY KEY REFERENCES servers (number) ON DELETE CASCADE,
        id          TEXT NOT NULL UNIQUE,
        kind        TEXT NOT NULL,
        enabled     INTEGER NOT NULL,
        created_utc TEXT NOT NULL,
        updated_utc TEXT NOT NULL,
        sealed      TEXT,
        described   TEXT NOT NULL
      ) STRICT;

      CREATE TABLE api_tools (
        number      INTEGER PRIMARY KEY AUTOINCREMENT,
        id          TEXT NOT NULL UNIQUE,
        api_number  INTEGER NOT NULL REFERENCES apis (number) ON DELETE CASCADE,
        position    INTEGER NOT NULL,
        scope       TEXT NOT NULL,
        code        TEXT NOT NULL,
        enabled     INTEGER NOT NULL,
        healthy     INTEGER,
        checked_utc TEXT,
        created_utc TEXT NOT NULL,
        updated_utc TEXT NOT NULL,
        described   TEXT NOT NULL,
        UNIQUE (scope, code)
      ) STRICT;
      CREATE INDEX api_tools_order ON api_tools (api_number, position);
    `,
  },
};
