/** What the tables share: records as rows of columns, conditions, pages and times. */
import { foldedWords, type Page } from "../registry.ts";
import type { DialectWords, SqlRow, SqlValue, Statements } from "./driver.ts";

/** Values by column. The columns of a table are always the same ones, so the statements are few. */
export type Columns = Readonly<Record<string, SqlValue>>;

export async function insertRow(tx: Statements, table: string, columns: Columns): Promise<void> {
  const names = Object.keys(columns);
  const places = names.map(() => "?").join(", ");
  await tx.run(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${places})`, ...Object.values(columns));
}

/** A row with the time of its creation, which is that of its last change too. */
export async function insertNew(tx: Statements, table: string, columns: Columns): Promise<void> {
  const now = nowUtc();
  await insertRow(tx, table, { ...columns, created_utc: now, updated_utc: now });
}

/** Writes nothing if nothing is different, and else a new `updated_utc` too. Tells whether something was. */
export async function changeRow(tx: Statements, table: string, row: SqlRow, columns: Columns): Promise<boolean> {
  if (Object.entries(columns).every(([name, value]) => row[name] === value)) return false;
  const changed = { ...columns, updated_utc: timeAfter(row["updated_utc"] as string) };
  const places = Object.keys(changed).map((name) => `${name} = ?`);
  const values = [...Object.values(changed), row["number"] as number];
  await tx.run(`UPDATE ${table} SET ${places.join(", ")} WHERE number = ?`, ...values);
  return true;
}

export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Every word stands in the column. */
export function searched(words: DialectWords, column: string, search: string | undefined): Condition | undefined {
  const [longest, ...others] = foldedWords(search ?? "");
  if (longest === undefined) return undefined;
  const hasOthers = `NOT EXISTS (SELECT 1 FROM ${words.listed} WHERE NOT ${words.contains(column, "value")})`;
  return { sql: `${words.contains(column, "?")} AND ${hasOthers}`, values: [longest, words.list(others)] };
}

export function equal(column: string, value: SqlValue | undefined): Condition | undefined {
  return value === undefined ? undefined : { sql: `${column} = ?`, values: [value] };
}

export function allOf(...conditions: readonly (Condition | undefined)[]): Condition {
  const given = conditions.filter((condition) => condition !== undefined);
  const sql = given.length === 0 ? "" : `WHERE ${given.map((condition) => condition.sql).join(" AND ")}`;
  return { sql, values: given.flatMap((condition) => condition.values) };
}

/** For `LIMIT ? OFFSET ?`. No database has a word for "no limit" that the other one takes, so it is a very large one. */
export function pageValues({ limit, offset }: Page): [number, number] {
  return [limit === undefined ? Number.MAX_SAFE_INTEGER : Math.max(limit, 0), offset ?? 0];
}

/** The same page of a list that is in memory already. */
export function pageOf<Item>(all: readonly Item[], { limit, offset = 0 }: Page): readonly Item[] {
  return all.slice(offset, limit === undefined ? undefined : offset + Math.max(limit, 0));
}

export async function countRows(from: Statements, table: string, { sql, values }: Condition): Promise<number> {
  return Number((await from.first(`SELECT count(*) AS rows FROM ${table} ${sql}`, ...values))?.["rows"]);
}

/** NULL is how a column says that the record has no such member. */
export function withoutNulls<Members extends object>(members: Members): WithoutNulls<Members> {
  const kept = Object.entries(members).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as WithoutNulls<Members>;
}

type WithoutNulls<Members> = {
  [Name in keyof Members]: null extends Members[Name] ? Exclude<Members[Name], null> | undefined : Members[Name];
};

export function nowUtc(): string {
  return new Date().toISOString();
}

/** Now, but never the same or an earlier time: two changes within a millisecond are two, and clocks are set back. */
export function timeAfter(utc: string): string {
  return new Date(Math.max(Date.now(), Date.parse(utc) + 1)).toISOString();
}
