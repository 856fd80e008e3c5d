/**
 * What the tables ask of a database. SQLite and PostgreSQL implement it, so that the SQL of every table is written once.
 * A place for a value is `?`, and nothing else in a statement is. Failures of the database are ZaguanErrors; what the work
 * of a transaction throws passes unchanged.
 */
import type { Dialect } from "../migrations/index.ts";

export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, unknown>>;

/** Statements, each by itself or all inside one transaction. */
export interface Statements {
  readonly words: DialectWords;
  first(sql: string, ...values: readonly SqlValue[]): Promise<SqlRow | undefined>;
  all(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Tells how many rows changed. */
  run(sql: string, ...values: readonly SqlValue[]): Promise<number>;
  /** Runs several statements that take no values. */
  script(sql: string): Promise<void>;
}

export interface SqlDriver extends Statements {
  /**
   * All of the work or none of it. `work` uses `tx` and never the driver itself, which may wait for the end of the very
   * transaction; it may be run again from its start if another writer was in its way, and does nothing else than ask `tx`.
   */
  transaction<Result>(work: (tx: Statements) => Promise<Result>): Promise<Result>;
  /** Why nothing can be written at the moment; undefined if it can. */
  fault(): string | undefined;
  onFault(listener: (fault: string | undefined) => void): void;
  /** May be called again. */
  close(): Promise<void>;
}

/** Where the databases differ in their SQL: parts that statements are made of. */
export interface DialectWords {
  readonly dialect: Dialect;
  /** A condition: the text `part` stands in the text `whole`, every character meaning itself. */
  contains(whole: string, part: string): string;
  /** A table with the column `value`, made of one bound list. */
  readonly listed: string;
  /** The value to bind for such a list. */
  list(texts: readonly string[]): SqlValue;
  /** Ends a SELECT inside a transaction whose rows nobody else may change before it is over. */
  readonly forUpdate: string;
  /** Joins the tools of servers to them, in the order of the servers. */
  readonly joinInOrder: string;
  /** Stands behind the table of tools where its texts are searched. */
  readonly searchIndex: string;
  /** A query with one place: whether there is a table of that name. */
  readonly hasTable: string;
  /** The first statements of a transaction that changes the tables themselves: others that want the same wait. */
  readonly lockSchema: string;
  /** The first statements of a transaction that only reads, and reads all as it stands at one moment. */
  readonly snapshot: string;
  /** Lets the database number new rows of the table behind the last one that is there. */
  renumber(table: string): string;
}
