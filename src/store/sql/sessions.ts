/** Sessions of the bridge. Times are texts of one form, so that their order is that of the times. */
import type { BridgeSessionExpiry, BridgeSessionRecord, BridgeSessionTable } from "../store.ts";
import type { SqlDriver, SqlRow } from "./driver.ts";
import { withoutNulls } from "./rows.ts";

export class SqlBridgeSessions implements BridgeSessionTable {
  readonly #driver: SqlDriver;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  async list(most: number): Promise<readonly BridgeSessionRecord[]> {
    const rows = await this.#driver.all("SELECT * FROM bridge_sessions ORDER BY expires_utc DESC LIMIT ?", most);
    return rows.map(toRecord).reverse();
  }

  async get(id: string): Promise<BridgeSessionRecord | undefined> {
    const row = await this.#driver.first("SELECT * FROM bridge_sessions WHERE id = ?", id);
    return row && toRecord(row);
  }

  async put(session: BridgeSessionRecord, freeUtc: string): Promise<boolean> {
    const { id, principalId, protocolVersion, clientId = null, createdUtc, expiresUtc } = session;
    const written = [id, principalId, protocolVersion, clientId, createdUtc, expiresUtc];
    return (await this.#driver.run(PUT, ...written, freeUtc)) > 0;
  }

  async slide(expiries: readonly BridgeSessionExpiry[]): Promise<void> {
    await this.#driver.transaction(async (tx) => {
      for (const { id, expiresUtc } of expiries) {
        await tx.run("UPDATE bridge_sessions SET expires_utc = ? WHERE id = ?", expiresUtc, id);
      }
    });
  }

  async delete(id: string): Promise<boolean> {
    return (await this.#driver.run("DELETE FROM bridge_sessions WHERE id = ?", id)) > 0;
  }

  async deleteExpired(utc: string, ids?: readonly string[]): Promise<void> {
    const { listed, list } = this.#driver.words;
    const given = ids && { sql: ` AND id IN (SELECT value FROM ${listed})`, values: [list(ids)] };
    const sql = `DELETE FROM bridge_sessions WHERE expires_utc <= ?${given?.sql ?? ""}`;
    await this.#driver.run(sql, utc, ...(given?.values ?? []));
  }
}

const PUT = `
  INSERT INTO bridge_sessions (id, principal_id, protocol_version, client_id, created_utc, expires_utc)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET
    principal_id = excluded.principal_id,
    protocol_version = excluded.protocol_version,
    client_id = excluded.client_id,
    created_utc = excluded.created_utc,
    expires_utc = excluded.expires_utc
  WHERE bridge_sessions.principal_id = excluded.principal_id OR bridge_sessions.expires_utc <= ?`;

function toRecord(row: SqlRow): BridgeSessionRecord {
  return withoutNulls({
    id: row["id"] as string,
    principalId: row["principal_id"] as string,
    protocolVersion: row["protocol_version"] as string,
    clientId: row["client_id"] as string | null,
    createdUtc: row["created_utc"] as string,
    expiresUtc: row["expires_utc"] as string,
  });
}
