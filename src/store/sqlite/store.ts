/** The store over one SQLite file. Its methods are async for the contract's sake: the work itself is done at once. */
import { randomUUID } from "node:crypto";
import { isPromise } from "node:util/types";
import type { DocumentTable, KeyRecord, KeyTable, NewKey, Store } from "../store.ts";
import { openDriver, type SqliteDriver, type SqlRow } from "./driver.ts";
import { migrate } from "./migrate.ts";

/** `file` may be ":memory:". Rejects with a TypeError if it cannot be opened or a newer Zaguan wrote it. */
export async function openSqliteStore(file: string): Promise<Store> {
  const driver = openDriver(file);
  try {
    migrate(driver);
  } catch (cause) {
    driver.close();
    throw cause;
  }
  return {
    keys: new SqliteKeys(driver),
    documents: new SqliteDocuments(driver),
    close: async () => driver.close(),
  };
}

class SqliteKeys implements KeyTable {
  readonly #driver: SqliteDriver;

  constructor(driver: SqliteDriver) {
    this.#driver = driver;
  }

  async create(key: NewKey): Promise<KeyRecord> {
    const id = randomUUID();
    return this.#driver.transaction(() => {
      this.#refuseTakenName(key.name);
      const values = [id, key.name, key.hash, key.hint, key.allow ? JSON.stringify(key.allow) : null, nowUtc()];
      this.#driver.run(
        "INSERT INTO api_keys (id, name, hash, hint, allow, created_utc) VALUES (?, ?, ?, ?, ?, ?)",
        ...values,
      );
      return toRecord(this.#driver.first("SELECT * FROM api_keys WHERE id = ?", id) as SqlRow);
    });
  }

  async list(): Promise<readonly KeyRecord[]> {
    return this.#driver.all("SELECT * FROM api_keys ORDER BY number").map(toRecord);
  }

  async findByHash(hash: string): Promise<KeyRecord | undefined> {
    const row = this.#driver.first("SELECT * FROM api_keys WHERE hash = ? AND revoked_utc IS NULL", hash);
    return row && toRecord(row);
  }

  /** A name may look like another key's id: the id wins. */
  async revoke(idOrName: string): Promise<boolean> {
    return this.#driver.transaction(() => this.#revokeBy("id", idOrName) || this.#revokeBy("name", idOrName));
  }

  async touch(id: string, usedUtc: string): Promise<void> {
    this.#driver.run("UPDATE api_keys SET last_used_utc = ? WHERE id = ?", usedUtc, id);
  }

  async countActive(): Promise<number> {
    return Number(this.#driver.first("SELECT count(*) AS active FROM api_keys WHERE revoked_utc IS NULL")?.["active"]);
  }

  #refuseTakenName(name: string): void {
    if (this.#driver.first("SELECT 1 FROM api_keys WHERE name = ? AND revoked_utc IS NULL", name)) {
      throw new TypeError(`There is an active key named '${name}' already`);
    }
  }

  #revokeBy(column: "id" | "name", value: string): boolean {
    const sql = `UPDATE api_keys SET revoked_utc = ? WHERE ${column} = ? AND revoked_utc IS NULL`;
    return this.#driver.run(sql, nowUtc(), value) > 0;
  }
}

class SqliteDocuments implements DocumentTable {
  readonly #driver: SqliteDriver;

  constructor(driver: SqliteDriver) {
    this.#driver = driver;
  }

  async get(collection: string, key: string): Promise<unknown> {
    return this.#read(collection, key);
  }

  async put(collection: string, key: string, value: unknown): Promise<void> {
    this.#write(collection, key, toJson(value));
  }

  async delete(collection: string, key: string): Promise<void> {
    this.#driver.run("DELETE FROM documents WHERE collection = ? AND key = ?", collection, key);
  }

  async update(collection: string, key: string, change: (value: unknown) => unknown): Promise<unknown> {
    return this.#driver.transaction(() => {
      const json = toJson(change(this.#read(collection, key)));
      this.#write(collection, key, json);
      return JSON.parse(json);
    });
  }

  #read(collection: string, key: string): unknown {
    const row = this.#driver.first("SELECT value FROM documents WHERE collection = ? AND key = ?", collection, key);
    return row && JSON.parse(row["value"] as string);
  }

  #write(collection: string, key: string, json: string): void {
    this.#driver.run(
      "INSERT INTO documents (collection, key, value) VALUES (?, ?, ?) " +
        "ON CONFLICT (collection, key) DO UPDATE SET value = excluded.value",
      collection,
      key,
      json,
    );
  }
}

function toRecord(row: SqlRow): KeyRecord {
  const allow = row["allow"] as string | null;
  const lastUsedUtc = row["last_used_utc"] as string | null;
  const revokedUtc = row["revoked_utc"] as string | null;
  return {
    id: row["id"] as string,
    name: row["name"] as string,
    hash: row["hash"] as string,
    hint: row["hint"] as string,
    createdUtc: row["created_utc"] as string,
    ...(allow !== null && { allow: JSON.parse(allow) as string[] }),
    ...(lastUsedUtc !== null && { lastUsedUtc }),
    ...(revokedUtc !== null && { revokedUtc }),
  };
}

/** A promise would be written as `{}` without a word, so it is refused by name. */
function toJson(value: unknown): string {
  const json = isPromise(value) ? undefined : JSON.stringify(value);
  if (json === undefined) throw new TypeError("A document must be a JSON value");
  return json;
}

function nowUtc(): string {
  return new Date().toISOString();
}
