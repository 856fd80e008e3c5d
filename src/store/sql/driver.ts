/**
 * The driver interface of the tables. SQLite and PostgreSQL implement it, so that the SQL of every table is written once. `?` in a
 * statement is always a placeholder for a value. Failures of the database are ZaguanErrors; errors that the work of a transaction
 * throws pass through unchanged.
 */
import type { Dialect } from "../migrations/index.ts";

export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, unknown>>;

/** Statements, each by itself or all inside one transaction. */
export interface Statements {
  readonly words: DialectWords;
  first(sql: string, ...values: readonly SqlValue[]): Promise<SqlRow | undefined>;
  all(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Resolves with the number of changed rows. */
  run(sql: string, ...values: readonly SqlValue[]): Promise<number>;
  /** Runs several statements that take no values. */
  script(sql: string): Promise<void>;
}

export interface SqlDriver extends Statements {
  /**
   * Runs `work` as one transaction. It must use `tx` and not the driver, which may wait for the end of this very transaction. It is
   * run again from its start after a conflict with another writer, so that it must have no other effects than through `tx`.
   */
  transaction<Result>(work: (tx: Statements) => Promise<Result>): Promise<Result>;
  /** Why nothing can be written at the moment; undefined if it can. */
  fault(): string | undefined;
  onFault(listener: (fault: string | undefined) => void): void;
  /** May be called again. */
  close(): Promise<void>;
}

/** The parts of statements in which the SQL dialects differ. */
export interface DialectWords {
  readonly dialect: Dialect;
  /** A condition: the text `whole` contains the text `part`, without wildcards. */
  contains(whole: string, part: string): string;
  /** A table expression with the column `value`, from one bound list. */
  readonly listed: string;
  /** The value to bind for `listed`. */
  list(texts: readonly string[]): SqlValue;
  /** The end of a SELECT that locks its rows until the transaction is over. */
  readonly forUpdate: string;
  /** Joins the tools of servers to them, in the order of the servers. */
  readonly joinInOrder: string;
  /** An index hint after the table of tools in searches of its texts. */
  readonly searchIndex: string;
  /** A query with one placeholder: whether there is a table of that name. */
  readonly hasTable: string;
  /** The first statements of a transaction that migrates the tables: others that want the same wait. */
  readonly lockSchema: string;
  /** The first statements of a transaction that reads a consistent snapshot. */
  readonly snapshot: string;
  /** Sets the sequence of row numbers of a table behind its last row. */
  renumber(table: string): string;
}
