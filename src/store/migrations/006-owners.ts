/**
 * Which node holds which source, and how many runs of nodes there were: state of running nodes, and no data. Only nodes that
 * share a database use it, so that in SQLite both tables stay empty.
 *
 * A row of `owners` is the last claim that succeeded: `before_…` is who held the key when it did. `lease_end` is on the
 * database's clock. `node` and `boot` are empty where the key was released.
 */
import type { Migration } from "./index.ts";

export const OWNERS: Migration = {
  version: 6,
  name: "owners",
  sql: {
    sqlite: `
      CREATE TABLE owners (
        key         TEXT NOT NULL PRIMARY KEY,
        node        TEXT,
        boot        TEXT,
        epoch       INTEGER NOT NULL,
        forced      INTEGER NOT NULL,
        lease_end   TEXT NOT NULL,
        before_node TEXT,
        before_boot TEXT
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE boots (last INTEGER NOT NULL) STRICT;
    `,
    postgres: `
      -- Every row is written anew every few seconds: with room beside it on its page, the index is not touched by that.
      CREATE TABLE owners (
        key         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
        node        TEXT COLLATE "C",
        boot        TEXT COLLATE "C",
        epoch       BIGINT NOT NULL,
        forced      INTEGER NOT NULL,
        lease_end   TIMESTAMPTZ NOT NULL,
        before_node TEXT COLLATE "C",
        before_boot TEXT COLLATE "C"
      ) WITH (fillfactor = 50);

      -- One row for all nodes: a boot id stands for one run of one of them.
      CREATE TABLE boots (last BIGINT NOT NULL);
      INSERT INTO boots VALUES (0);
    `,
  },
};
