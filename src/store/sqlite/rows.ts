/** What the tables share: records as rows of columns, conditions, pages and times. */
import { foldedWords, type Page } from "../registry.ts";
import type { SqliteDriver, SqlRow, SqlValue } from "./driver.ts";

/** Values by column. The columns of a table are always the same ones, so the statements are few. */
export type Columns = Readonly<Record<string, SqlValue>>;

export function insertRow(driver: SqliteDriver, table: string, columns: Columns): void {
  const names = Object.keys(columns);
  const places = names.map(() => "?").join(", ");
  driver.run(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${places})`, ...Object.values(columns));
}

/** A row with the time of its creation, which is that of its last change too. */
export function insertNew(driver: SqliteDriver, table: string, columns: Columns): void {
  const now = nowUtc();
  insertRow(driver, table, { ...columns, created_utc: now, updated_utc: now });
}

/** Writes nothing if nothing is different, and else a new `updated_utc` too. Tells whether something was. */
export function changeRow(driver: SqliteDriver, table: string, row: SqlRow, columns: Columns): boolean {
  if (Object.entries(columns).every(([name, value]) => row[name] === value)) return false;
  const changed = { ...columns, updated_utc: timeAfter(row["updated_utc"] as string) };
  const places = Object.keys(changed).map((name) => `${name} = ?`);
  const values = [...Object.values(changed), row["number"] as number];
  driver.run(`UPDATE ${table} SET ${places.join(", ")} WHERE number = ?`, ...values);
  return true;
}

export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Every word stands in the column. With `instr`, and not `LIKE`, because no character means anything but itself. */
export function searched(column: string, search: string | undefined): Condition | undefined {
  const [longest, ...others] = foldedWords(search ?? "");
  if (longest === undefined) return undefined;
  const hasOthers = `NOT EXISTS (SELECT 1 FROM json_each(?) WHERE instr(${column}, value) = 0)`;
  return { sql: `instr(${column}, ?) > 0 AND ${hasOthers}`, values: [longest, JSON.stringify(others)] };
}

export function equal(column: string, value: SqlValue | undefined): Condition | undefined {
  return value === undefined ? undefined : { sql: `${column} = ?`, values: [value] };
}

export function allOf(...conditions: readonly (Condition | undefined)[]): Condition {
  const given = conditions.filter((condition) => condition !== undefined);
  const sql = given.length === 0 ? "" : `WHERE ${given.map((condition) => condition.sql).join(" AND ")}`;
  return { sql, values: given.flatMap((condition) => condition.values) };
}

/** For `LIMIT ? OFFSET ?`; a negative limit is none. */
export function pageValues({ limit, offset }: Page): [number, number] {
  return [limit === undefined ? -1 : Math.max(limit, 0), offset ?? 0];
}

/** The same page of a list that is in memory already. */
export function pageOf<Item>(all: readonly Item[], { limit, offset = 0 }: Page): readonly Item[] {
  return all.slice(offset, limit === undefined ? undefined : offset + Math.max(limit, 0));
}

export function countRows(driver: SqliteDriver, table: string, { sql, values }: Condition): number {
  return Number(driver.first(`SELECT count(*) AS rows FROM ${table} ${sql}`, ...values)?.["rows"]);
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
