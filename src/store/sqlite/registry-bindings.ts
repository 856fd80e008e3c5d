/** Which agent is linked to which tool. */
import { randomUUID } from "node:crypto";
import type { BindingConfig } from "../../contract/agent.ts";
import {
  type BindingRecord,
  type BindingTable,
  type BoundTool,
  Dangling,
  NameTaken,
  type NewBinding,
} from "../registry.ts";
import type { SqliteDriver, SqlRow } from "./driver.ts";
import { TOOL_COLUMNS, toToolRecord } from "./registry-tools.ts";
import { type Columns, changeRow, insertRow, nowUtc } from "./rows.ts";

const JOINED =
  "bindings JOIN agents ON agents.number = bindings.agent_number " +
  "JOIN tools ON tools.number = bindings.tool_number " +
  "JOIN servers ON servers.number = tools.server_number";
const ROWS = `SELECT bindings.*, agents.id AS agent_id, servers.origin AS server_origin, ${TOOL_COLUMNS} FROM ${JOINED}`;

export class SqliteBindings implements BindingTable {
  readonly #driver: SqliteDriver;

  constructor(driver: SqliteDriver) {
    this.#driver = driver;
  }

  async create(binding: NewBinding): Promise<BindingRecord> {
    const [id, now] = [randomUUID(), nowUtc()];
    return this.#driver.transaction(() => {
      const pair = this.#pairOf(binding);
      insertRow(this.#driver, "bindings", { id, ...pair, ...toColumns(binding), created_utc: now, updated_utc: now });
      return toRecord(this.#row(id) as SqlRow);
    });
  }

  async get(id: string): Promise<BindingRecord | undefined> {
    const row = this.#row(id);
    return row && toRecord(row);
  }

  async listOf(agentId: string): Promise<readonly BoundTool[]> {
    const rows = this.#driver.all(`${ROWS} WHERE agents.id = ? ORDER BY bindings.number`, agentId);
    return rows.map((row) => {
      const serverOrigin = row["server_origin"] as BoundTool["serverOrigin"];
      return { ...toRecord(row), tool: toToolRecord(row), serverOrigin };
    });
  }

  async change(
    id: string,
    change: Partial<Pick<NewBinding, "config" | "enabled">>,
  ): Promise<BindingRecord | undefined> {
    return this.#driver.transaction(() => {
      const row = this.#row(id);
      if (!row) return undefined;
      const before = toRecord(row);
      const columns = toColumns({ ...before, ...change, enabled: change.enabled ?? before.enabled });
      changeRow(this.#driver, "bindings", row, columns);
      return toRecord(this.#row(id) as SqlRow);
    });
  }

  async delete(id: string): Promise<boolean> {
    return this.#driver.run("DELETE FROM bindings WHERE id = ?", id) > 0;
  }

  #row(id: string): SqlRow | undefined {
    return this.#driver.first(`${ROWS} WHERE bindings.id = ?`, id);
  }

  #pairOf({ agentId, toolId }: NewBinding): Columns {
    const agent = this.#driver.first("SELECT number FROM agents WHERE id = ?", agentId);
    const tool = this.#driver.first("SELECT number FROM tools WHERE id = ?", toolId);
    if (!agent) throw new Dangling("There is no such agent to link a tool to");
    if (!tool) throw new Dangling("There is no such tool to link to an agent");
    const pair = [agent["number"] as number, tool["number"] as number] as const;
    if (this.#driver.first("SELECT 1 FROM bindings WHERE agent_number = ? AND tool_number = ?", ...pair)) {
      throw new NameTaken("The agent is linked to that tool already");
    }
    return { agent_number: pair[0], tool_number: pair[1] };
  }
}

function toColumns({ config, enabled }: Pick<NewBinding, "config" | "enabled">): Columns {
  return { config: config ? JSON.stringify(config) : null, enabled: Number(enabled) };
}

function toRecord(row: SqlRow): BindingRecord {
  const config = row["config"] as string | null;
  return {
    id: row["id"] as string,
    agentId: row["agent_id"] as string,
    toolId: row["tool_id"] as string,
    ...(config !== null && { config: JSON.parse(config) as BindingConfig }),
    enabled: row["enabled"] === 1,
    createdUtc: row["created_utc"] as string,
    updatedUtc: row["updated_utc"] as string,
  };
}
