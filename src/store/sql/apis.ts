/** REST APIs and their tools. */
import { randomUUID } from "node:crypto";
import type { ApiRecord, ApiTable, ApiToolRecord, ApiWrite, NewApi, NewApiTool } from "../apis.ts";
import { foldCase, NameTaken } from "../registry.ts";
import type { SqlDriver, SqlRow, Statements } from "./driver.ts";
import { type Columns, changeRow, insertNew, withoutNulls } from "./rows.ts";

const APIS = `
  SELECT apis.*, servers.name, servers.base_url, servers.allow_private FROM apis JOIN servers USING (number)`;
const TOOLS = `
  SELECT api_tools.*, apis.id AS api_id FROM api_tools JOIN apis ON apis.number = api_number`;

export class SqlApis implements ApiTable {
  readonly #driver: SqlDriver;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  async save(writes: readonly ApiWrite[]): Promise<void> {
    await this.#driver.transaction(async (tx) => {
      for (const { api, tools } of writes) await putTools(tx, api, await put(tx, api), tools);
    });
  }

  async get(id: string): Promise<ApiRecord | undefined> {
    const row = await this.#driver.first(`${APIS} WHERE apis.id = ?`, id);
    return row && toRecord(row);
  }

  async findByName(name: string): Promise<ApiRecord | undefined> {
    const row = await this.#driver.first(`${APIS} WHERE servers.folded = ?`, foldCase(name));
    return row && toRecord(row);
  }

  async list(): Promise<readonly ApiRecord[]> {
    return (await this.#driver.all(`${APIS} ORDER BY number`)).map(toRecord);
  }

  async delete(id: string): Promise<boolean> {
    return (await this.#driver.run("DELETE FROM servers WHERE id = ? AND origin = 'api'", id)) > 0;
  }

  async tools(apiId?: string): Promise<readonly ApiToolRecord[]> {
    const [where, values] = apiId === undefined ? ["", []] : ["WHERE apis.id = ?", [apiId]];
    const rows = await this.#driver.all(`${TOOLS} ${where} ORDER BY api_number, position`, ...values);
    return rows.map(toTool);
  }

  async findTool(idOrCode: string): Promise<ApiToolRecord | undefined> {
    const byId = await this.#driver.first(`${TOOLS} WHERE api_tools.id = ? AND scope = ''`, idOrCode);
    const row = byId ?? (await this.#driver.first(`${TOOLS} WHERE code = ? AND scope = ''`, idOrCode));
    return row && toTool(row);
  }

  async noteHealth(toolId: string, healthy: boolean, checkedUtc: string): Promise<void> {
    const sql = "UPDATE api_tools SET healthy = ?, checked_utc = ? WHERE id = ?";
    await this.#driver.run(sql, Number(healthy), checkedUtc, toolId);
  }
}

/** The API's number, which is its server's. */
async function put(tx: Statements, api: NewApi): Promise<number> {
  const server = await putServer(tx, api);
  const own = {
    kind: api.kind,
    enabled: Number(api.enabled),
    sealed: api.sealed ?? null,
    described: api.described.toWellFormed(),
  };
  const known = await tx.first("SELECT * FROM apis WHERE number = ?", server);
  if (known) await changeRow(tx, "apis", known, own);
  else await insertNew(tx, "apis", { number: server, id: api.id, ...own });
  return server;
}

/** Known or new, the server is held until the end: two writers of one API come one after the other. */
async function putServer(tx: Statements, { id, name, baseUrl, allowPrivate }: NewApi): Promise<number> {
  if (await tx.first("SELECT 1 FROM servers WHERE folded = ? AND id <> ?", foldCase(name), id)) {
    throw new NameTaken(`There is a server named '${name}' already`);
  }
  const said = { name, folded: foldCase(name), search: foldCase(`${name}\n${baseUrl}`), base_url: baseUrl };
  const columns = { ...said, allow_private: Number(allowPrivate) };
  const usual = { origin: "api", auth_type: "none", status: "active" };
  const known = await tx.first(`SELECT * FROM servers WHERE id = ? ${tx.words.forUpdate}`, id);
  if (known) await changeRow(tx, "servers", known, columns);
  else await insertNew(tx, "servers", { id, ...columns, ...usual });
  return (await tx.first("SELECT number FROM servers WHERE id = ?", id))?.["number"] as number;
}

async function putTools(tx: Statements, api: NewApi, number: number, tools: readonly NewApiTool[]): Promise<void> {
  const scope = api.kind === "openapi" ? api.id : "";
  const rows = await tx.all("SELECT * FROM api_tools WHERE api_number = ?", number);
  const byId = new Map(rows.map((row) => [row["id"], row]));
  const byCode = new Map(rows.map((row) => [row["code"], row]));
  const known = tools.map(({ id, code }) => (id === undefined ? byCode.get(code) : byId.get(id)));
  const kept = new Set(known);
  for (const row of rows) if (!kept.has(row)) await deleteTool(tx, row);
  for (const [position, tool] of tools.entries()) {
    await putTool(tx, tool, { api_number: number, position, scope }, known[position]);
  }
}

async function deleteTool(tx: Statements, { number }: SqlRow): Promise<void> {
  await tx.run("DELETE FROM api_tools WHERE number = ?", number as number);
}

async function putTool(
  tx: Statements,
  { code, enabled, described }: NewApiTool,
  place: Columns,
  known: SqlRow | undefined,
): Promise<void> {
  const said = { enabled: Number(enabled), described: described.toWellFormed() };
  const id = (known?.["id"] as string | undefined) ?? randomUUID();
  await refuseTakenCode(tx, place["scope"] as string, code, id);
  if (known) await changeRow(tx, "api_tools", known, { ...place, code, ...said });
  else await insertNew(tx, "api_tools", { id, ...place, code, ...said });
}

async function refuseTakenCode(tx: Statements, scope: string, code: string, exceptId: string): Promise<void> {
  const sql = "SELECT 1 FROM api_tools WHERE scope = ? AND code = ? AND id <> ?";
  if (await tx.first(sql, scope, code, exceptId)) throw new NameTaken(`There is a tool named '${code}' already`);
}

function toRecord(row: SqlRow): ApiRecord {
  return withoutNulls({
    id: row["id"] as string,
    name: row["name"] as string,
    kind: row["kind"] as ApiRecord["kind"],
    baseUrl: row["base_url"] as string,
    enabled: row["enabled"] === 1,
    allowPrivate: row["allow_private"] === 1,
    described: row["described"] as string,
    sealed: row["sealed"] as string | null,
    createdUtc: row["created_utc"] as string,
    updatedUtc: row["updated_utc"] as string,
  });
}

function toTool(row: SqlRow): ApiToolRecord {
  return withoutNulls({
    id: row["id"] as string,
    apiId: row["api_id"] as string,
    code: row["code"] as string,
    enabled: row["enabled"] === 1,
    described: row["described"] as string,
    healthy: row["healthy"] === null ? null : row["healthy"] === 1,
    checkedUtc: row["checked_utc"] as string | null,
    createdUtc: row["created_utc"] as string,
    updatedUtc: row["updated_utc"] as string,
  });
}
