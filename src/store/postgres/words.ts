/** The parts of statements that differ in PostgreSQL's SQL dialect. */
import type { DialectWords } from "../sql/driver.ts";

/** How long a start waits for another node that migrates the tables or moves data in. */
const MIGRATION_MS = 60_000;

/** `schema` is a plain name that needs no quotes. */
export function postgresWords(schema: string): DialectWords {
  return {
    dialect: "postgres",
    contains: (whole, part) => `strpos(${whole}, ${part}) > 0`,
    listed: "unnest(?::text[]) AS listed (value)",
    list: (texts) => `{${texts.map(quoted).join(",")}}`,
    // Weaker than FOR UPDATE: others may still insert rows that reference these.
    forUpdate: "FOR NO KEY UPDATE",
    joinInOrder: "JOIN",
    searchIndex: "",
    hasTable: "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename = ?",
    lockSchema: `
      SET LOCAL statement_timeout = ${MIGRATION_MS};
      SET LOCAL lock_timeout = ${MIGRATION_MS};
      SELECT pg_advisory_xact_lock(hashtextextended('zaguan:${schema}', 0));
      DO $$ BEGIN IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF; END $$;
    `,
    snapshot: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    renumber: (table) => `
      SELECT setval(pg_get_serial_sequence('${table}', 'number'), coalesce(max(number), 1), max(number) IS NOT NULL)
      FROM ${table};
    `,
  };
}

/** An element of an array in PostgreSQL's array syntax. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}
