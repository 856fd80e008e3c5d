/**
 * SQLite behind the contract of the tables. The work itself is done at once; only what comes while a transaction is under
 * way waits for its end: it would become part of it, or stop the thread that has to end it.
 */
import { ZaguanError } from "../../errors.ts";
import type { SqlDriver, SqlRow, SqlValue, Statements } from "../sql/driver.ts";
import { PROBE, WriteHealth } from "../sql/write-health.ts";
import { IN_MEMORY, openConnection, type SqliteConnection } from "./connection.ts";
import { faultIn, LOCKED } from "./faults.ts";
import { Turns, turnsOf } from "./turns.ts";
import { SQLITE } from "./words.ts";

/** Opens the file, making it and its folder if need be, for their owner only. Throws a TypeError if that cannot be. */
export function openDriver(file: string): SqliteDriver {
  const connection = openConnection(file);
  return new SqliteDriver(connection, file === IN_MEMORY ? new Turns() : turnsOf(file));
}

export class SqliteDriver implements SqlDriver {
  readonly words = SQLITE;
  readonly #connection: SqliteConnection;
  readonly #turns: Turns;
  readonly #health: WriteHealth;
  /** What a transaction is given: statements that do not wait for its end. */
  readonly #inside: Statements;

  constructor(connection: SqliteConnection, turns: Turns) {
    this.#connection = connection;
    this.#turns = turns;
    this.#health = new WriteHealth(() => this.#look());
    this.#inside = {
      words: SQLITE,
      first: async (sql, ...values) => connection.first(sql, values),
      all: async (sql, ...values) => connection.all(sql, values),
      run: async (sql, ...values) => this.#write(() => connection.run(sql, values)),
      script: async (sql) => this.#write(() => connection.script(sql)),
    };
  }

  fault(): string | undefined {
    return this.#health.fault();
  }

  onFault(listener: (fault: string | undefined) => void): void {
    this.#health.onChange(listener);
  }

  async first(sql: string, ...values: readonly SqlValue[]): Promise<SqlRow | undefined> {
    return this.#inTurn(() => this.#connection.first(sql, values));
  }

  async all(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#inTurn(() => this.#connection.all(sql, values));
  }

  async run(sql: string, ...values: readonly SqlValue[]): Promise<number> {
    return this.#inTurn(() => this.#write(() => this.#connection.run(sql, values)));
  }

  async script(sql: string): Promise<void> {
    return this.#inTurn(() => this.#write(() => this.#connection.script(sql)));
  }

  /** Holds the file's write lock from the start, so that what `work` reads is what it changes; undoes all if it throws. */
  async transaction<Result>(work: (tx: Statements) => Promise<Result>): Promise<Result> {
    await this.#turns.take();
    try {
      this.#write(() => this.#connection.script("BEGIN IMMEDIATE"));
      return await this.#committed(work);
    } finally {
      this.#turns.release();
    }
  }

  async close(): Promise<void> {
    return this.#inTurn(() => this.#connection.close());
  }

  async #committed<Result>(work: (tx: Statements) => Promise<Result>): Promise<Result> {
    try {
      const result = await work(this.#inside);
      this.#write(() => this.#connection.script("COMMIT"));
      return result;
    } catch (cause) {
      this.#connection.rollBack();
      throw cause;
    }
  }

  /** At once where no transaction is under way, without a promise in between. */
  #inTurn<Result>(work: () => Result): Result | Promise<Result> {
    return this.#turns.isTaken ? this.#later(work) : work();
  }

  async #later<Result>(work: () => Result): Promise<Result> {
    await this.#turns.take();
    try {
      return work();
    } finally {
      this.#turns.release();
    }
  }

  #write<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (cause) {
      this.#failed(cause);
      throw cause;
    }
  }

  /** Not in the middle of a transaction, which would take the row along. */
  #look(): void {
    if (this.#turns.isTaken) return;
    try {
      this.#connection.runWithoutWaiting(PROBE, `${Date.now()}`);
      this.#health.found(undefined);
    } catch (cause) {
      // Another process may be writing at this very moment, which shows that it can be done.
      if (reasonOf(cause) !== LOCKED) this.#failed(cause);
    }
  }

  /** What is no fault of the disk, such as a name that is taken, says nothing of it. */
  #failed(cause: unknown): void {
    const reason = reasonOf(cause);
    if (reason !== undefined) this.#health.found(reason);
  }
}

function reasonOf(cause: unknown): string | undefined {
  return cause instanceof ZaguanError ? faultIn(cause.cause) : undefined;
}
