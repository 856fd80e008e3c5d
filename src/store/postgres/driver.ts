/**
 * The SQL driver for PostgreSQL. A read whose connection is lost is repeated once. A write is repeated only if it is certain that
 * nothing of it was kept, as in a transaction that did not reach its COMMIT.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { RowList } from "postgres";
import { ZaguanError } from "../../errors.ts";
import type { DialectWords, SqlDriver, SqlRow, SqlValue, Statements } from "../sql/driver.ts";
import { PROBE, WriteHealth } from "../sql/write-health.ts";
import type { PostgresAddress } from "./address.ts";
import { AWAY, failureIn, faultIn, inDoubt, PostgresFailure, toError, wasCut } from "./failures.ts";
import { ask, type Connection, makePool, type Pool, type PoolLimits } from "./pool.ts";
import { toWire } from "./wire-text.ts";
import { postgresWords } from "./words.ts";

/** How often a transaction is tried that conflicts with others. */
const TRIES = 6;
const PAUSE_MS = 20;
/** How often a database that is away is probed. */
const PROBE_MS = 1_000;

type Rows = RowList<SqlRow[]>;

export async function openPostgresDriver(address: PostgresAddress, limits?: PoolLimits): Promise<PostgresDriver> {
  const pool = await makePool(address, () => driver.probeSoon(), limits);
  const driver = new PostgresDriver(pool, postgresWords(address.schema));
  return driver;
}

export class PostgresDriver implements SqlDriver {
  readonly words: DialectWords;
  readonly #pool: Pool;
  readonly #health: WriteHealth;
  #isClosed = false;
  #isProbing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: Pool, words: DialectWords) {
    this.#pool = pool;
    this.words = words;
    this.#health = new WriteHealth(() => void this.#probe());
  }

  fault(): string | undefined {
    return this.#health.fault();
  }

  onFault(listener: (fault: string | undefined) => void): void {
    this.#health.onChange(listener);
  }

  async first(sql: string, ...values: readonly SqlValue[]): Promise<SqlRow | undefined> {
    return (await this.#read(sql, values))[0];
  }

  all(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#read(sql, values);
  }

  async run(sql: string, ...values: readonly SqlValue[]): Promise<number> {
    return (await this.#write(sql, values)).count;
  }

  /** A write that returns rows. If the answer is lost, this rejects, and the caller decides whether to repeat it. */
  runReturning(sql: string, ...values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#write(sql, values);
  }

  async script(sql: string): Promise<void> {
    await this.#attempt(() => this.#pool.use((connection) => script(connection, sql).catch(inDoubt)));
  }

  transaction<Result>(work: (tx: Statements) => Promise<Result>): Promise<Result> {
    return this.#attempt(async () => {
      for (let tried = 1; ; tried++) {
        try {
          return await this.#pool.use((connection) => transact(connection, this.words, work));
        } catch (cause) {
          if (tried === TRIES || !isUndone(cause)) throw cause;
          await sleep(Math.random() * PAUSE_MS * tried);
        }
      }
    });
  }

  /** Probes the database at once, after a sign that it may be away. */
  probeSoon(): void {
    this.#scheduleProbe(0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#pool.close();
  }

  async #read(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    const once = (): Promise<Rows> => this.#pool.use((connection) => statement(connection, sql, values));
    return this.#attempt(() => once().catch((cause) => (failureIn(cause)?.isLost ? once() : Promise.reject(cause))));
  }

  #write(sql: string, values: readonly SqlValue[]): Promise<Rows> {
    return this.#attempt(() => this.#pool.use((connection) => statement(connection, sql, values).catch(inDoubt)));
  }

  /**
   * Turns failures into ZaguanErrors. While the database is known to be away, it fails at once instead of waiting for a timeout.
   */
  async #attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#health.known === AWAY && !this.#isClosed) {
      throw new ZaguanError("STORE_UNAVAILABLE", { params: { reason: AWAY } });
    }
    try {
      return await work();
    } catch (cause) {
      const failure = failureIn(cause);
      if (failure) this.#failed(failure);
      throw cause instanceof PostgresFailure ? toError(cause) : cause;
    }
  }

  #failed(failure: PostgresFailure): void {
    const reason = faultIn(failure);
    if (reason === undefined || this.#isClosed) return;
    // A single connection may be lost while the next one works: only the probe decides.
    if (!wasCut(failure)) this.#health.found(reason);
    this.probeSoon();
  }

  #scheduleProbe(afterMs: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#probe(), afterMs).unref();
  }

  /** Tries a small write, and again every second until it succeeds. */
  async #probe(): Promise<void> {
    if (this.#isProbing || this.#isClosed) return;
    this.#isProbing = true;
    try {
      await this.#pool.use((connection) => statement(connection, PROBE, [`${Date.now()}`]));
      this.#health.found(undefined);
    } catch (cause) {
      const failure = failureIn(cause);
      if (!this.#isClosed) this.#health.found((failure && faultIn(failure)) ?? AWAY);
      this.#scheduleProbe(PROBE_MS);
    } finally {
      this.#isProbing = false;
    }
  }
}

async function transact<Result>(
  connection: Connection,
  words: DialectWords,
  work: (tx: Statements) => Promise<Result>,
): Promise<Result> {
  await script(connection, "BEGIN");
  const result = await work(inside(connection, words)).catch((cause) => undo(connection, cause));
  const { command } = await script(connection, "COMMIT").catch(inDoubt);
  if (command !== "COMMIT") throw new TypeError("A transaction whose statement had failed was to be committed");
  return result;
}

function inside(connection: Connection, words: DialectWords): Statements {
  return {
    words,
    first: async (sql, ...values) => (await statement(connection, sql, values))[0],
    all: (sql, ...values) => statement(connection, sql, values),
    run: async (sql, ...values) => (await statement(connection, sql, values)).count,
    script: async (sql) => void (await script(connection, sql)),
  };
}

/** If ROLLBACK fails, its failure discards the connection; the server then rolls back by itself. */
async function undo(connection: Connection, cause: unknown): Promise<never> {
  if (!failureIn(cause)?.isLost) await script(connection, "ROLLBACK");
  throw cause;
}

function statement(connection: Connection, sql: string, values: readonly SqlValue[]): Promise<Rows> {
  const asked = connection.client.unsafe<SqlRow[]>(numbered(sql), values.map(bound), { prepare: true });
  return ask(connection, asked);
}

function script(connection: Connection, sql: string): Promise<Rows> {
  return ask(connection, connection.client.unsafe<SqlRow[]>(sql).simple());
}

/** Whether nothing was kept and a retry may succeed: another writer was quicker, or the connection was lost before COMMIT. */
function isUndone(cause: unknown): boolean {
  const failure = failureIn(cause);
  return failure !== undefined && !failure.isInDoubt && (failure.isOvertaken || failure.isLost);
}

const texts = new Map<string, string>();

/** Turns `?` into `$1`, `$2` and so on. The cache is bounded by the number of statements in the code. */
function numbered(sql: string): string {
  const known = texts.get(sql);
  if (known !== undefined) return known;
  let place = 0;
  const text = sql.replace(/\?/g, () => `$${++place}`);
  texts.set(sql, text);
  return text;
}

function bound(value: SqlValue): SqlValue {
  if (typeof value === "string") return toWire(value);
  if (typeof value === "number" || value === null) return value;
  throw new ZaguanError("INTERNAL", { cause: new TypeError("Only texts, numbers and null can be stored") });
}
