/** Sessions of the bridge. */
import type { Migration } from "./index.ts";

export const BRIDGE_SESSIONS: Migration = {
  version: 3,
  name: "bridge-sessions",
  sql: {
    sqlite: `
      CREATE TABLE bridge_sessions (
        id               TEXT NOT NULL PRIMARY KEY,
        principal_id     TEXT NOT NULL,
        protocol_version TEXT NOT NULL,
        client_id        TEXT,
        created_utc      TEXT NOT NULL,
        expires_utc      TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX bridge_sessions_expiry ON bridge_sessions (expires_utc);
    `,
    postgres: `
      CREATE TABLE bridge_sessions (
        id               TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        principal_id     TEXT COLLATE "C" NOT NULL,
        protocol_version TEXT COLLATE "C" NOT NULL,
        client_id        TEXT COLLATE "C",
        created_utc      TEXT COLLATE "C" NOT NULL,
        expires_utc      TEXT COLLATE "C" NOT NULL
      );
      CREATE INDEX bridge_sessions_expiry ON bridge_sessions (expires_utc);
    `,
  },
};
