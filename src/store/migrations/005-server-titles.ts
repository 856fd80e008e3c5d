/** A server's name for people, where that is not the one in addresses, and what the server is for. */
import type { Migration } from "./index.ts";

export const SERVER_TITLES: Migration = {
  version: 5,
  name: "server titles",
  sql: {
    sqlite: `
      ALTER TABLE servers ADD COLUMN title TEXT;
      ALTER TABLE servers ADD COLUMN folded_title TEXT;
      ALTER TABLE servers ADD COLUMN description TEXT;
      CREATE INDEX servers_title ON servers (folded_title) WHERE folded_title IS NOT NULL;
    `,
    postgres: `
      ALTER TABLE servers ADD COLUMN title TEXT COLLATE "C";
      ALTER TABLE servers ADD COLUMN folded_title TEXT COLLATE "C";
      ALTER TABLE servers ADD COLUMN description TEXT COLLATE "C";
      CREATE INDEX servers_title ON servers (folded_title) WHERE folded_title IS NOT NULL;
    `,
  },
};
