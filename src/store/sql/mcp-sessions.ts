/** MCP sessions that nodes share. */
import type { McpSessionRecord, McpSessionTable, SessionHolder } from "../store.ts";
import type { SqlDriver, SqlRow } from "./driver.ts";

export class SqlMcpSessions implements McpSessionTable {
  readonly #driver: SqlDriver;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  async put({ id, door, scope, principalId, node, boot, state }: McpSessionRecord, seenUtc: string): Promise<void> {
    await this.#driver.run(PUT, id, door, scope, principalId, node, boot, state, seenUtc);
  }

  async get(id: string): Promise<McpSessionRecord | undefined> {
    const row = await this.#driver.first("SELECT * FROM mcp_sessions WHERE id = ?", id);
    return row && toRecord(row);
  }

  async move(id: string, from: SessionHolder, to: SessionHolder): Promise<boolean> {
    const sql = "UPDATE mcp_sessions SET node = ?, boot = ? WHERE id = ? AND boot = ?";
    return (await this.#driver.run(sql, to.node, to.boot, id, from.boot)) > 0;
  }

  async delete(id: string, { boot }: SessionHolder): Promise<void> {
    await this.#driver.run("DELETE FROM mcp_sessions WHERE id = ? AND boot = ?", id, boot);
  }

  async touch(ids: readonly string[], seenUtc: string): Promise<void> {
    const { listed, list } = this.#driver.words;
    const sql = `UPDATE mcp_sessions SET seen_utc = ? WHERE id IN (SELECT value FROM ${listed})`;
    await this.#driver.run(sql, seenUtc, list(ids));
  }

  async deleteUnseen(utc: string): Promise<void> {
    await this.#driver.run("DELETE FROM mcp_sessions WHERE seen_utc < ?", utc);
  }
}

/** Changes nothing if another node has taken the session over meanwhile. */
const PUT = `
  INSERT INTO mcp_sessions (id, door, scope, principal_id, node, boot, state, seen_utc)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET state = excluded.state, seen_utc = excluded.seen_utc
  WHERE mcp_sessions.boot = excluded.boot`;

function toRecord(row: SqlRow): McpSessionRecord {
  return {
    id: row["id"] as string,
    door: row["door"] as string,
    scope: row["scope"] as string,
    principalId: row["principal_id"] as string,
    node: row["node"] as string,
    boot: row["boot"] as string,
    state: row["state"] as string,
  };
}
