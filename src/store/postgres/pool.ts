/**
 * A pool of a few connections, each with a client of its own. A lost connection is discarded together with its client, so that
 * nothing of its work can reach the next user of a connection.
 */
import type { Sql } from "postgres";
import type { PostgresAddress } from "./address.ts";
import { dial } from "./dial.ts";
import { failureIn, PostgresFailure } from "./failures.ts";
import { fromWire } from "./wire-text.ts";

const START_SECONDS = 10;
const IDLE_SECONDS = 300;

export interface PoolLimits {
  readonly mostConnections: number;
  readonly statementMs: number;
  /** After this time a statement is given up here, if the server did not end it because the network is cut. */
  readonly giveUpMs: number;
}

const DEFAULT_LIMITS: PoolLimits = { mostConnections: 4, statementMs: 15_000, giveUpMs: 20_000 };

export interface Connection {
  readonly client: Sql<Record<string, never>>;
  readonly giveUpMs: number;
}

export class Pool {
  readonly #make: () => Connection;
  readonly #most: number;
  readonly #idle: Connection[] = [];
  readonly #waiting: ((connection: Connection | undefined) => void)[] = [];
  readonly #all = new Set<Connection>();
  #isClosed = false;

  constructor(make: () => Connection, most: number) {
    this.#make = make;
    this.#most = most;
  }

  /** Runs `work` with a connection. Its errors pass through; a PostgresFailure of a lost connection discards the connection. */
  async use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = await this.#take();
    try {
      const result = await work(connection);
      this.#giveBack(connection);
      return result;
    } catch (cause) {
      if (failureIn(cause)?.isLost) this.#discard(connection);
      else this.#giveBack(connection);
      throw cause;
    }
  }

  /** Waits for running statements to end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const wake of this.#waiting.splice(0)) wake(undefined);
    await Promise.all([...this.#all].map(({ client }) => client.end({ timeout: 5 })));
    this.#all.clear();
  }

  async #take(): Promise<Connection> {
    if (this.#isClosed) throw closed();
    const free = this.#idle.pop();
    if (free) return free;
    if (this.#all.size < this.#most) return this.#added();
    const given = await new Promise<Connection | undefined>((resolve) => this.#waiting.push(resolve));
    if (given) return given;
    throw closed();
  }

  #added(): Connection {
    const connection = this.#make();
    this.#all.add(connection);
    return connection;
  }

  #giveBack(connection: Connection): void {
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
  }

  #discard(connection: Connection): void {
    this.#all.delete(connection);
    cut(connection);
    if (this.#waiting.length > 0 && !this.#isClosed) this.#waiting.shift()?.(this.#added());
  }
}

/** Waits for a statement; rejects with a PostgresFailure. A statement that takes too long ends its connection. */
export async function ask<Result>(connection: Connection, asked: PromiseLike<Result>): Promise<Result> {
  const timer = setTimeout(() => cut(connection), connection.giveUpMs);
  try {
    return await asked;
  } catch (cause) {
    throw new PostgresFailure(cause);
  } finally {
    clearTimeout(timer);
  }
}

function cut({ client }: Connection): void {
  void client.end({ timeout: 0 }).catch(() => {});
}

/** Loads the client library, only if a database is configured. `onHangUp` is called when the server ends a connection. */
export async function makePool(address: PostgresAddress, onHangUp: () => void, limits = DEFAULT_LIMITS): Promise<Pool> {
  const { default: postgres } = await import("postgres");
  const { mostConnections, statementMs, giveUpMs } = limits;
  const make = () => postgres(settings(address, onHangUp, statementMs)) as unknown as Connection["client"];
  return new Pool(() => ({ client: make(), giveUpMs }), mostConnections);
}

function settings(address: PostgresAddress, onHangUp: () => void, statementMs: number) {
  const { host, port, database, user, password, schema } = address;
  return {
    host,
    port,
    database,
    user,
    pass: password,
    max: 1,
    // `dial` has negotiated TLS already.
    ssl: false,
    socket: () => dial(address, onHangUp),
    connect_timeout: START_SECONDS,
    idle_timeout: IDLE_SECONDS,
    fetch_types: false,
    prepare: true,
    debug: false,
    onnotice: () => {},
    // The library returns int8 as text by default; ours are counts and milliseconds, which fit into a number.
    types: { int8: { to: 20, from: [20], serialize: String, parse: Number } },
    transform: { value: { from: (value: unknown) => (typeof value === "string" ? fromWire(value) : value) } },
    connection: {
      application_name: "zaguan",
      search_path: schema,
      statement_timeout: statementMs,
      lock_timeout: statementMs,
      idle_in_transaction_session_timeout: 2 * statementMs,
    },
  };
}

function closed(): PostgresFailure {
  return new PostgresFailure(new ClosedPool());
}

/** A write after `close`; not a fault of the database. */
class ClosedPool extends Error {
  readonly severity = "ERROR";
  readonly code = "ZCLOSED";
  override readonly message = "the store is closed";
}
