/** The store over one SQLite file. Its methods are async for the contract's sake: the work itself is done at once. */
import { randomUUID } from "node:crypto";
import { isPromise } from "node:util/types";
import { MIGRATIONS, type Migration, migrationAfter } from "../migrations/index.ts";
import { Dangling, NameTaken } from "../registry.ts";
import type { DocumentTable, KeyRecord, KeyTable, NewKey, Store } from "../store.ts";
import { SqliteApis } from "./apis.ts";
import { openDriver, type SqliteDriver, type SqlRow } from "./driver.ts";
import { SqliteAgents, SqliteBindings } from "./registry-agents.ts";
import { SqliteServers } from "./registry-servers.ts";
import { SqliteTools } from "./registry-tools.ts";
import { allOf, type Columns, equal, insertRow, nowUtc, withoutNulls } from "./rows.ts";
import { SqliteBridgeSessions } from "./sessions.ts";

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
    registry: {
      servers: new SqliteServers(driver),
      tools: new SqliteTools(driver),
      agents: new SqliteAgents(driver),
      bindings: new SqliteBindings(driver),
    },
    apis: new SqliteApis(driver),
    sessions: new SqliteBridgeSessions(driver),
    fault: () => driver.fault(),
    onFault: (listener) => driver.onFault(listener),
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
      if (key.agentId !== undefined) this.#refuseUnknownAgent(key.agentId);
      insertRow(this.#driver, "api_keys", { id, ...toColumns(key), created_utc: nowUtc() });
      return toRecord(this.#driver.first("SELECT * FROM api_keys WHERE id = ?", id) as SqlRow);
    });
  }

  async list(query: { readonly agentId?: string | undefined } = {}): Promise<readonly KeyRecord[]> {
    const { sql, values } = allOf(equal("agent_id", query.agentId));
    return this.#driver.all(`SELECT * FROM api_keys ${sql} ORDER BY number`, ...values).map(toRecord);
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
      throw new NameTaken(`There is an active key named '${name}' already`);
    }
  }

  #refuseUnknownAgent(agentId: string): void {
    if (!this.#driver.first("SELECT 1 FROM agents WHERE id = ?", agentId)) {
      throw new Dangling("There is no such agent to make a key for");
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

function toColumns({ name, hash, hint, allow, agentId, admin }: NewKey): Columns {
  const rights = { allow: allow ? JSON.stringify(allow) : null, agent_id: agentId ?? null, admin: admin ? 1 : 0 };
  return { name, hash, hint, ...rights };
}

function toRecord(row: SqlRow): KeyRecord {
  const allow = row["allow"] as string | null;
  return withoutNulls({
    id: row["id"] as string,
    name: row["name"] as string,
    hash: row["hash"] as string,
    hint: row["hint"] as string,
    createdUtc: row["created_utc"] as string,
    allow: allow === null ? null : (JSON.parse(allow) as string[]),
    agentId: row["agent_id"] as string | null,
    admin: row["admin"] === 1 ? true : null,
    lastUsedUtc: row["last_used_utc"] as string | null,
    revokedUtc: row["revoked_utc"] as string | null,
  });
}

/** A promise would be written as `{}` without a word, so it is refused by name. */
function toJson(value: unknown): string {
  const json = isPromise(value) ? undefined : JSON.stringify(value);
  if (json === undefined) throw new TypeError("A document must be a JSON value");
  return json;
}

/**
 * Brings the database to the newest schema, step by step. Each migration and its row in `schema_version` are one transaction, which looks at the version again: of two
 * processes that start together, one migrates and the other finds it done.
 */
export function migrate(driver: SqliteDriver, migrations: readonly Migration[] = MIGRATIONS): void {
  while (migrationAfter(versionOf(driver), migrations)) driver.transaction(() => applyNext(driver, migrations));
}

function applyNext(driver: SqliteDriver, migrations: readonly Migration[]): void {
  const next = migrationAfter(versionOf(driver), migrations);
  if (!next) return;
  driver.script(
    "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_utc TEXT NOT NULL) STRICT",
  );
  driver.script(next.sql.sqlite);
  const values = [next.version, next.name, new Date().toISOString()];
  driver.run("INSERT INTO schema_version (version, name, applied_utc) VALUES (?, ?, ?)", ...values);
}

function versionOf(driver: SqliteDriver): number {
  const known = driver.first("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'");
  if (!known) return 0;
  return Number(driver.first("SELECT coalesce(max(version), 0) AS version FROM schema_version")?.["version"]);
}
