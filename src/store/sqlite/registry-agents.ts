/** The registry's agents. */
import { randomUUID } from "node:crypto";
import type { NewAgent } from "../../contract/agent.ts";
import { foldCase } from "../fold.ts";
import { type AgentQuery, type AgentRecord, type AgentTable, NameTaken } from "../registry.ts";
import type { SqliteDriver, SqlRow } from "./driver.ts";
import {
  allOf,
  type Columns,
  changeRow,
  countRows,
  insertRow,
  nowUtc,
  pageValues,
  searched,
  withoutNulls,
} from "./rows.ts";

export class SqliteAgents implements AgentTable {
  readonly #driver: SqliteDriver;

  constructor(driver: SqliteDriver) {
    this.#driver = driver;
  }

  async create(agent: NewAgent): Promise<AgentRecord> {
    const [id, now] = [randomUUID(), nowUtc()];
    return this.#driver.transaction(() => {
      this.#refuseTakenName(agent.name);
      insertRow(this.#driver, "agents", { id, ...toColumns(agent), created_utc: now, updated_utc: now });
      return toRecord(this.#row(id) as SqlRow);
    });
  }

  async get(id: string): Promise<AgentRecord | undefined> {
    const row = this.#row(id);
    return row && toRecord(row);
  }

  async findByName(name: string): Promise<AgentRecord | undefined> {
    const row = this.#driver.first("SELECT * FROM agents WHERE folded = ?", foldCase(name));
    return row && toRecord(row);
  }

  async list(query: AgentQuery = {}): Promise<readonly AgentRecord[]> {
    const { sql, values } = allOf(searched("search", query.search));
    const rows = `SELECT * FROM agents ${sql} ORDER BY number LIMIT ? OFFSET ?`;
    return this.#driver.all(rows, ...values, ...pageValues(query)).map(toRecord);
  }

  async count(query: AgentQuery = {}): Promise<number> {
    return countRows(this.#driver, "agents", allOf(searched("search", query.search)));
  }

  async change(id: string, change: Partial<NewAgent>): Promise<AgentRecord | undefined> {
    return this.#driver.transaction(() => {
      const row = this.#row(id);
      if (!row) return undefined;
      if (change.name !== undefined) this.#refuseTakenName(change.name, id);
      changeRow(this.#driver, "agents", row, toColumns(changed(toRecord(row), change)));
      return toRecord(this.#row(id) as SqlRow);
    });
  }

  async delete(id: string): Promise<boolean> {
    return this.#driver.run("DELETE FROM agents WHERE id = ?", id) > 0;
  }

  #row(id: string): SqlRow | undefined {
    return this.#driver.first("SELECT * FROM agents WHERE id = ?", id);
  }

  #refuseTakenName(name: string, exceptId = ""): void {
    if (this.#driver.first("SELECT 1 FROM agents WHERE folded = ? AND id <> ?", foldCase(name), exceptId)) {
      throw new NameTaken(`There is an agent named '${name}' already`);
    }
  }
}

/** What every agent has cannot be taken away: said to be undefined, it stays. */
function changed(agent: AgentRecord, change: Partial<NewAgent>): NewAgent {
  const { name, autonomy } = agent;
  return { ...agent, ...change, name: change.name ?? name, autonomy: change.autonomy ?? autonomy };
}

function toColumns(agent: NewAgent): Columns {
  return {
    name: agent.name,
    folded: foldCase(agent.name),
    search: foldCase(`${agent.name}\n${agent.description ?? ""}`),
    description: agent.description ?? null,
    system_prompt: agent.systemPrompt ?? null,
    autonomy: agent.autonomy,
  };
}

function toRecord(row: SqlRow): AgentRecord {
  return withoutNulls({
    id: row["id"] as string,
    name: row["name"] as string,
    description: row["description"] as string | null,
    systemPrompt: row["system_prompt"] as string | null,
    autonomy: row["autonomy"] as AgentRecord["autonomy"],
    createdUtc: row["created_utc"] as string,
    updatedUtc: row["updated_utc"] as string,
  });
}
