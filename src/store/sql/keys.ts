/** API keys. */
import { randomUUID } from "node:crypto";
import { Dangling, NameTaken } from "../registry.ts";
import type { KeyRecord, KeyTable, NewKey } from "../store.ts";
import type { SqlDriver, SqlRow, Statements } from "./driver.ts";
import { allOf, type Columns, equal, insertRow, nowUtc, withoutNulls } from "./rows.ts";

export class SqlKeys implements KeyTable {
  readonly #driver: SqlDriver;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  async create(key: NewKey): Promise<KeyRecord> {
    const id = randomUUID();
    return this.#driver.transaction(async (tx) => {
      await refuseTakenName(tx, key.name);
      if (key.agentId !== undefined) await refuseUnknownAgent(tx, key.agentId);
      await insertRow(tx, "api_keys", { id, ...toColumns(key), created_utc: nowUtc() });
      return toRecord((await tx.first("SELECT * FROM api_keys WHERE id = ?", id)) as SqlRow);
    });
  }

  async list(query: { readonly agentId?: string | undefined } = {}): Promise<readonly KeyRecord[]> {
    const { sql, values } = allOf(equal("agent_id", query.agentId));
    return (await this.#driver.all(`SELECT * FROM api_keys ${sql} ORDER BY number`, ...values)).map(toRecord);
  }

  async findByHash(hash: string): Promise<KeyRecord | undefined> {
    const row = await this.#driver.first("SELECT * FROM api_keys WHERE hash = ? AND revoked_utc IS NULL", hash);
    return row && toRecord(row);
  }

  /** A name may look like another key's id: the id wins. */
  async revoke(idOrName: string): Promise<boolean> {
    return this.#driver.transaction(
      async (tx) => (await revokeBy(tx, "id", idOrName)) || revokeBy(tx, "name", idOrName),
    );
  }

  async touch(id: string, usedUtc: string): Promise<void> {
    await this.#driver.run("UPDATE api_keys SET last_used_utc = ? WHERE id = ?", usedUtc, id);
  }

  async countActive(): Promise<number> {
    const row = await this.#driver.first("SELECT count(*) AS active FROM api_keys WHERE revoked_utc IS NULL");
    return Number(row?.["active"]);
  }
}

async function refuseTakenName(tx: Statements, name: string): Promise<void> {
  if (await tx.first("SELECT 1 FROM api_keys WHERE name = ? AND revoked_utc IS NULL", name)) {
    throw new NameTaken(`There is an active key named '${name}' already`);
  }
}

async function refuseUnknownAgent(tx: Statements, agentId: string): Promise<void> {
  if (!(await tx.first("SELECT 1 FROM agents WHERE id = ?", agentId))) {
    throw new Dangling("There is no such agent to make a key for");
  }
}

async function revokeBy(tx: Statements, column: "id" | "name", value: string): Promise<boolean> {
  const sql = `UPDATE api_keys SET revoked_utc = ? WHERE ${column} = ? AND revoked_utc IS NULL`;
  return (await tx.run(sql, nowUtc(), value)) > 0;
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
