/**
 * The registry: servers, their tools, agents, the links between agents and tools, and whom a key belongs to.
 * `folded` and `search` hold texts with their case folded by us, because SQLite knows the case of ASCII letters only.
 */
import type { Migration } from "./index.ts";

export const REGISTRY: Migration = {
  version: 2,
  name: "registry",
  sql: {
    sqlite: `
      CREATE TABLE servers (
        number        INTEGER PRIMARY KEY AUTOINCREMENT,
        id            TEXT NOT NULL UNIQUE,
        name          TEXT NOT NULL,
        folded        TEXT NOT NULL UNIQUE,
        search        TEXT NOT NULL,
        origin        TEXT NOT NULL,
        base_url      TEXT,
        command       TEXT,
        args          TEXT,
        auth_type     TEXT NOT NULL,
        sealed        TEXT,
        allow_private INTEGER NOT NULL,
        status        TEXT NOT NULL,
        transport     TEXT,
        last_seen_utc TEXT,
        last_error    TEXT,
        created_utc   TEXT NOT NULL,
        updated_utc   TEXT NOT NULL
      ) STRICT;

      CREATE TABLE discovery_log (
        number        INTEGER PRIMARY KEY AUTOINCREMENT,
        server_number INTEGER NOT NULL REFERENCES servers (number) ON DELETE CASCADE,
        entry         TEXT NOT NULL
      ) STRICT;
      CREATE INDEX discovery_log_server ON discovery_log (server_number, number);

      -- The long definition stands last, so that a search does not have to read over it.
      CREATE TABLE tools (
        number        INTEGER PRIMARY KEY AUTOINCREMENT,
        id            TEXT NOT NULL UNIQUE,
        server_number INTEGER NOT NULL REFERENCES servers (number) ON DELETE CASCADE,
        position      INTEGER NOT NULL,
        missing       INTEGER NOT NULL,
        created_utc   TEXT NOT NULL,
        updated_utc   TEXT NOT NULL,
        name          TEXT NOT NULL,
        scope         TEXT NOT NULL,
        quarantine    TEXT,
        search        TEXT NOT NULL,
        description   TEXT NOT NULL,
        definition    TEXT NOT NULL,
        UNIQUE (server_number, name)
      ) STRICT;
      CREATE INDEX tools_order ON tools (server_number, missing, position, number);
      -- A search reads this alone, and not the rows.
      CREATE INDEX tools_search ON tools (search);

      CREATE TABLE agents (
        number        INTEGER PRIMARY KEY AUTOINCREMENT,
        id            TEXT NOT NULL UNIQUE,
        name          TEXT NOT NULL,
        folded        TEXT NOT NULL UNIQUE,
        search        TEXT NOT NULL,
        description   TEXT,
        system_prompt TEXT,
        autonomy      TEXT NOT NULL,
        created_utc   TEXT NOT NULL,
        updated_utc   TEXT NOT NULL
      ) STRICT;

      CREATE TABLE bindings (
        number        INTEGER PRIMARY KEY AUTOINCREMENT,
        id            TEXT NOT NULL UNIQUE,
        agent_number  INTEGER NOT NULL REFERENCES agents (number) ON DELETE CASCADE,
        tool_number   INTEGER NOT NULL REFERENCES tools (number) ON DELETE CASCADE,
        config        TEXT,
        enabled       INTEGER NOT NULL,
        created_utc   TEXT NOT NULL,
        updated_utc   TEXT NOT NULL,
        UNIQUE (agent_number, tool_number)
      ) STRICT;
      CREATE INDEX bindings_tool ON bindings (tool_number);

      ALTER TABLE api_keys ADD COLUMN agent_id TEXT REFERENCES agents (id) ON DELETE CASCADE;
      ALTER TABLE api_keys ADD COLUMN admin INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX api_keys_agent ON api_keys (agent_id) WHERE agent_id IS NOT NULL;

      -- Starts at the time of day: a new database in the place of an old one does not repeat versions that clients keep.
      CREATE TABLE registry_version (version INTEGER NOT NULL) STRICT;
      INSERT INTO registry_version VALUES (CAST(unixepoch('subsec') * 1000 AS INTEGER));

      -- Triggers, so that no writer can forget it. No tool changes without a touch of its server's time.
      CREATE TRIGGER server_made AFTER INSERT ON servers BEGIN UPDATE registry_version SET version = version + 1; END;
      CREATE TRIGGER server_changed AFTER UPDATE ON servers BEGIN UPDATE registry_version SET version = version + 1; END;
      CREATE TRIGGER server_deleted AFTER DELETE ON servers BEGIN UPDATE registry_version SET version = version + 1; END;
    `,
  },
};
