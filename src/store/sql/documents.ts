/** Documents as JSON text. */
import { isPromise } from "node:util/types";
import type { DocumentTable } from "../store.ts";
import type { SqlDriver, SqlRow, Statements } from "./driver.ts";

const PUT =
  "INSERT INTO documents (collection, key, value) VALUES (?, ?, ?) " +
  "ON CONFLICT (collection, key) DO UPDATE SET value = excluded.value";
/** Writes nothing if there is one. */
const MAKE_ROOM =
  "INSERT INTO documents (collection, key, value) VALUES (?, ?, 'null') ON CONFLICT (collection, key) DO NOTHING";

export class SqlDocuments implements DocumentTable {
  readonly #driver: SqlDriver;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  async get(collection: string, key: string): Promise<unknown> {
    return fromRow(await read(this.#driver, collection, key));
  }

  async list(collection: string): Promise<readonly { readonly key: string; readonly value: unknown }[]> {
    const rows = await this.#driver.all("SELECT key, value FROM documents WHERE collection = ?", collection);
    const found = rows.map((row) => ({ key: row["key"] as string, value: fromRow(row) }));
    // Here, since each engine has an order of its own for letters.
    return found.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  async put(collection: string, key: string, value: unknown): Promise<void> {
    await this.#driver.run(PUT, collection, key, toJson(value));
  }

  async delete(collection: string, key: string, only?: unknown): Promise<void> {
    const which = "DELETE FROM documents WHERE collection = ? AND key = ?";
    if (only === undefined) await this.#driver.run(which, collection, key);
    else await this.#driver.run(`${which} AND value = ?`, collection, key, toJson(only));
  }

  async update(collection: string, key: string, change: (value: unknown) => unknown): Promise<unknown> {
    return this.#driver.transaction(async (tx) => {
      const json = toJson(change(fromRow(await hold(tx, collection, key))));
      await tx.run(PUT, collection, key, json);
      return JSON.parse(json);
    });
  }
}

function read(from: Statements, collection: string, key: string, held = ""): Promise<SqlRow | undefined> {
  return from.first(`SELECT value FROM documents WHERE collection = ? AND key = ? ${held}`, collection, key);
}

/**
 * Nobody else writes the document until the transaction is over, be it there or not: one that is not there is made first,
 * for which a second writer waits. Undefined if it was not there.
 */
async function hold(tx: Statements, collection: string, key: string): Promise<SqlRow | undefined> {
  for (;;) {
    const row = await read(tx, collection, key, tx.words.forUpdate);
    if (row || (await tx.run(MAKE_ROOM, collection, key)) > 0) return row;
  }
}

function fromRow(row: SqlRow | undefined): unknown {
  return row && JSON.parse(row["value"] as string);
}

/** A promise would be written as `{}` without a word, so it is refused by name. */
function toJson(value: unknown): string {
  const json = isPromise(value) ? undefined : JSON.stringify(value);
  if (json === undefined) throw new TypeError("A document must be a JSON value");
  return json;
}
