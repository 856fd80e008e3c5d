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
  },
};
