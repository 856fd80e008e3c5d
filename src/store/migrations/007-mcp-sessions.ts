/** Sessions of MCP that several nodes share: which run of which node holds one, and what another needs to go on with it. */
import type { Migration } from "./index.ts";

export const MCP_SESSIONS: Migration = {
  version: 7,
  name: "mcp-sessions",
  sql: {
    sqlite: `
      CREATE TABLE mcp_sessions (
        id           TEXT NOT NULL PRIMARY KEY,
        door         TEXT NOT NULL,
        scope        TEXT NOT NULL,
        principal_id TEXT NOT NULL,
        node         TEXT NOT NULL,
        boot         TEXT NOT NULL,
        state        TEXT NOT NULL,
        seen_utc     TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE INDEX mcp_sessions_by_seen ON mcp_sessions (seen_utc);
    `,
    postgres: `
      CREATE TABLE mcp_sessions (
        id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        door         TEXT COLLATE "C" NOT NULL,
        scope        TEXT COLLATE "C" NOT NULL,
        principal_id TEXT COLLATE "C" NOT NULL,
        node         TEXT COLLATE "C" NOT NULL,
        boot         TEXT COLLATE "C" NOT NULL,
        state        TEXT COLLATE "C" NOT NULL,
        seen_utc     TEXT COLLATE "C" NOT NULL
      );

      CREATE INDEX mcp_sessions_by_seen ON mcp_sessions (seen_utc);
    `,
  },
};
