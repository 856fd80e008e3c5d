/**
 * One SQLite connection, set up for durability: what a statement answered for is on the disk. The only file that knows
 * `node:sqlite`. Its failures are ZaguanErrors.
 */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ZaguanError } from "../../errors.ts";
import type { SqlRow, SqlValue } from "../sql/driver.ts";
import { faultIn } from "./faults.ts";

export const IN_MEMORY = ":memory:";

const BUSY_MS = 5000;
const BUSY_CODE = 5;
const SETTINGS = `
  PRAGMA busy_timeout = ${BUSY_MS};
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
`;

/** Opens the file, making it and its folder if need be, for their owner only. Throws a TypeError if that cannot be. */
export function openConnection(file: string): SqliteConnection {
  let database: DatabaseSync | undefined;
  try {
    if (file !== IN_MEMORY) createPrivately(resolve(file));
    database = new (loadSqlite().DatabaseSync)(file === IN_MEMORY ? file : resolve(file));
    database.exec(SETTINGS);
    useWriteAheadLog(database);
    return new SqliteConnection(database);
  } catch (cause) {
    database?.close();
    throw new TypeError(`The database cannot be opened: ${reasonOf(cause)}`, { cause });
  }
}

export class SqliteConnection {
  readonly #database: DatabaseSync;
  /** Never more than the statements written in the code: values are always bound. */
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  first(sql: string, values: readonly SqlValue[]): SqlRow | undefined {
    return attempt(() => this.#prepared(sql).get(...values));
  }

  all(sql: string, values: readonly SqlValue[]): readonly SqlRow[] {
    return attempt(() => this.#prepared(sql).all(...values));
  }

  run(sql: string, values: readonly SqlValue[]): number {
    return attempt(() => Number(this.#prepared(sql).run(...values).changes));
  }

  script(sql: string): void {
    attempt(() => this.#database.exec(sql));
  }

  /** A full disk, for one, has ended the transaction already. */
  rollBack(): void {
    if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
  }

  /** Waits for no other process: whoever asks how we are must not be kept waiting for that. */
  runWithoutWaiting(sql: string, value: SqlValue): void {
    this.#database.exec("PRAGMA busy_timeout = 0");
    try {
      this.run(sql, [value]);
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    }
  }

  /** Moves all that is in the write-ahead log into the file itself; may be called again. */
  close(): void {
    if (!this.#database.isOpen) return;
    try {
      this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Another process may be busy with the file; what is in its log is just as durable.
    } finally {
      this.#statements.clear();
      this.#database.close();
    }
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/**
 * SQLite gives its side files the mode of the main one. A file that is there is not even opened: closing it would drop
 * the locks that another connection of this process holds on it.
 */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
}

/** Of several processes that meet on a new file all but one are refused at once, whatever the busy timeout says. */
function useWriteAheadLog(database: DatabaseSync): void {
  const giveUpAt = performance.now() + BUSY_MS;
  for (;;) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (cause) {
      if (!isBusy(cause) || performance.now() > giveUpAt) throw cause;
      sleep(10);
    }
  }
}

/** The low byte of the number is the kind of failure, the rest its variant. */
function isBusy(cause: unknown): boolean {
  return ((cause as { errcode?: number }).errcode ?? 0) % 256 === BUSY_CODE;
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Some releases of Node 24 announce that SQLite is experimental; that one line is kept off stderr, no other. */
function loadSqlite(): typeof import("node:sqlite") {
  const emitWarning = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: never[]): void => {
    if (!String(warning).startsWith("SQLite is an experimental feature")) emitWarning(warning, ...rest);
  }) as typeof emitWarning;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}

function attempt<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const reason = faultIn(cause);
    if (reason === undefined) throw new ZaguanError("INTERNAL", { cause });
    throw new ZaguanError("STORE_UNAVAILABLE", { params: { reason }, cause });
  }
}

/** Node's file errors name the path and the system call; their code is enough. */
function reasonOf(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  return code?.startsWith("E") && !code.startsWith("ERR_") ? code : message;
}
