/** The registry's agents, and which tool each of them is linked to. */
import { randomUUID } from "node:crypto";
import type { BindingConfig, NewAgent } from "../../contract/agent.ts";
import {
  type AgentQuery,
  type AgentRecord,
  type AgentTable,
  type BindingRecord,
  type BindingTable,
  type BoundTool,
  Dangling,
  foldCase,
  NameTaken,
  type NewBinding,
} from "../registry.ts";
import type { SqlDriver, SqlRow, Statements } from "./driver.ts";
import { TOOL_COLUMNS, toToolRecord } from "./registry-tools.ts";
import { allOf, type Columns, changeRow, countRows, insertNew, pageValues, searched, withoutNulls } from "./rows.ts";

export class SqlAgents implements AgentTable {
  readonly #driver: SqlDriver;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  async create(agent: NewAgent): Promise<AgentRecord> {
    const id = randomUUID();
    return this.#driver.transaction(async (tx) => {
      await refuseTakenName(tx, agent.name);
      await insertNew(tx, "agents", { id, ...toColumns(agent) });
      return toRecord((await agentRow(tx, id)) as SqlRow);
    });
  }

  async get(id: string): Promise<AgentRecord | undefined> {
    const row = await agentRow(this.#driver, id);
    return row && toRecord(row);
  }

  async findByName(name: string): Promise<AgentRecord | undefined> {
    const row = await this.#driver.first("SELECT * FROM agents WHERE folded = ?", foldCase(name));
    return row && toRecord(row);
  }

  async list(query: AgentQuery = {}): Promise<readonly AgentRecord[]> {
    const { sql, values } = allOf(searched(this.#driver.words, "search", query.search));
    const rows = `SELECT * FROM agents ${sql} ORDER BY number LIMIT ? OFFSET ?`;
    return (await this.#driver.all(rows, ...values, ...pageValues(query))).map(toRecord);
  }

  async count(query: AgentQuery = {}): Promise<number> {
    return countRows(this.#driver, "agents", allOf(searched(this.#driver.words, "search", query.search)));
  }

  async change(id: string, change: Partial<NewAgent>): Promise<AgentRecord | undefined> {
    return this.#driver.transaction(async (tx) => {
      const row = await agentRow(tx, id, tx.words.forUpdate);
      if (!row) return undefined;
      if (change.name !== undefined) await refuseTakenName(tx, change.name, id);
      await changeRow(tx, "agents", row, toColumns(changed(toRecord(row), change)));
      return toRecord((await agentRow(tx, id)) as SqlRow);
    });
  }

  async delete(id: string): Promise<boolean> {
    return (await this.#driver.run("DELETE FROM agents WHERE id = ?", id)) > 0;
  }
}

function agentRow(from: Statements, id: string, held = ""): Promise<SqlRow | undefined> {
  return from.first(`SELECT * FROM agents WHERE id = ? ${held}`, id);
}

async function refuseTakenName(tx: Statements, name: string, exceptId = ""): Promise<void> {
  if (await tx.first("SELECT 1 FROM agents WHERE folded = ? AND id <> ?", foldCase(name), exceptId)) {
    throw new NameTaken(`There is an agent named '${name}' already`);
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

const JOINED =
  "bindings JOIN agents ON agents.number = bindings.agent_number " +
  "JOIN tools ON tools.number = bindings.tool_number " +
  "JOIN servers ON servers.number = tools.server_number";
const ROWS = `SELECT bindings.*, agents.id AS agent_id, servers.origin AS server_origin, ${TOOL_COLUMNS} FROM ${JOINED}`;

export class SqlBindings implements BindingTable {
  readonly #driver: SqlDriver;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  async create(binding: NewBinding): Promise<BindingRecord> {
    const id = randomUUID();
    return this.#driver.transaction(async (tx) => {
      const pair = await pairOf(tx, binding);
      await insertNew(tx, "bindings", { id, ...pair, ...bindingColumns(binding) });
      return toBinding((await bindingRow(tx, id)) as SqlRow);
    });
  }

  async get(id: string): Promise<BindingRecord | undefined> {
    const row = await bindingRow(this.#driver, id);
    return row && toBinding(row);
  }

  async listOf(agentId: string): Promise<readonly BoundTool[]> {
    const rows = await this.#driver.all(`${ROWS} WHERE agents.id = ? ORDER BY bindings.number`, agentId);
    return rows.map((row) => {
      const serverOrigin = row["server_origin"] as BoundTool["serverOrigin"];
      return { ...toBinding(row), tool: toToolRecord(row), serverOrigin };
    });
  }

  async change(
    id: string,
    change: Partial<Pick<NewBinding, "config" | "enabled">>,
  ): Promise<BindingRecord | undefined> {
    return this.#driver.transaction(async (tx) => {
      await tx.first(`SELECT 1 FROM bindings WHERE id = ? ${tx.words.forUpdate}`, id);
      const row = await bindingRow(tx, id);
      if (!row) return undefined;
      const before = toBinding(row);
      const columns = bindingColumns({ ...before, ...change, enabled: change.enabled ?? before.enabled });
      await changeRow(tx, "bindings", row, columns);
      return toBinding((await bindingRow(tx, id)) as SqlRow);
    });
  }

  async delete(id: string): Promise<boolean> {
    return (await this.#driver.run("DELETE FROM bindings WHERE id = ?", id)) > 0;
  }
}

function bindingRow(from: Statements, id: string): Promise<SqlRow | undefined> {
  return from.first(`${ROWS} WHERE bindings.id = ?`, id);
}

async function pairOf(tx: Statements, { agentId, toolId }: NewBinding): Promise<Columns> {
  const agent = await tx.first("SELECT number FROM agents WHERE id = ?", agentId);
  const tool = await tx.first("SELECT number FROM tools WHERE id = ?", toolId);
  if (!agent) throw new Dangling("There is no such agent to link a tool to");
  if (!tool) throw new Dangling("There is no such tool to link to an agent");
  const pair = [agent["number"] as number, tool["number"] as number] as const;
  if (await tx.first("SELECT 1 FROM bindings WHERE agent_number = ? AND tool_number = ?", ...pair)) {
    throw new NameTaken("The agent is linked to that tool already");
  }
  return { agent_number: pair[0], tool_number: pair[1] };
}

function bindingColumns({ config, enabled }: Pick<NewBinding, "config" | "enabled">): Columns {
  return { config: config ? JSON.stringify(config) : null, enabled: Number(enabled) };
}

function toBinding(row: SqlRow): BindingRecord {
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
