/** REST APIs and their tools in SQLite. */
import { randomUUID } from "node:crypto";
import type { ApiRecord, ApiTable, ApiToolRecord, ApiWrite, NewApi, NewApiTool } from "../apis.ts";
import { foldCase, NameTaken } from "../registry.ts";
import type { SqliteDriver, SqlRow } from "./driver.ts";
import { type Columns, changeRow, insertNew, withoutNulls } from "./rows.ts";

const APIS = `
  SELECT apis.*, servers.name, servers.base_url, servers.allow_private FROM apis JOIN servers USING (number)`;
const TOOLS = `
  SELECT api_tools.*, apis.id AS api_id FROM api_tools JOIN apis ON apis.number = api_number`;

export class SqliteApis implements ApiTable {
  readonly #driver: SqliteDriver;

  constructor(driver: SqliteDriver) {
    this.#driver = driver;
  }

  async save(writes: readonly ApiWrite[]): Promise<void> {
    this.#driver.transaction(() => {
      for (const { api, tools } of writes) this.#putTools(api, this.#put(api), tools);
    });
  }

  async get(id: string): Promise<ApiRecord | undefined> {
    const row = this.#driver.first(`${APIS} WHERE apis.id = ?`, id);
    return row && toRecord(row);
  }

  async findByName(name: string): Promise<ApiRecord | undefined> {
    const row = this.#driver.first(`${APIS} WHERE servers.folded = ?`, foldCase(name));
    return row && toRecord(row);
  }

  async list(): Promise<readonly ApiRecord[]> {
    return this.#driver.all(`${APIS} ORDER BY number`).map(toRecord);
  }

  async delete(id: string): Promise<boolean> {
    return this.#driver.run("DELETE FROM servers WHERE id = ? AND origin = 'api'", id) > 0;
  }

  async tools(apiId?: string): Promise<readonly ApiToolRecord[]> {
    const [where, values] = apiId === undefined ? ["", []] : ["WHERE apis.id = ?", [apiId]];
    return this.#driver.all(`${TOOLS} ${where} ORDER BY api_number, position`, ...values).map(toTool);
  }

  async findTool(idOrCode: string): Promise<ApiToolRecord | undefined> {
    const byId = this.#driver.first(`${TOOLS} WHERE api_tools.id = ? AND scope = ''`, idOrCode);
    const row = byId ?? this.#driver.first(`${TOOLS} WHERE code = ? AND scope = ''`, idOrCode);
    return row && toTool(row);
  }

  async noteHealth(toolId: string, healthy: boolean, checkedUtc: string): Promise<void> {
    const sql = "UPDATE api_tools SET healthy = ?, checked_utc = ? WHERE id = ?";
    this.#driver.run(sql, Number(healthy), checkedUtc, toolId);
  }

  /** The API's number, which is its server's. */
  #put(api: NewApi): number {
    const server = this.#putServer(api);
    const own = {
      kind: api.kind,
      enabled: Number(api.enabled),
      sealed: api.sealed ?? null,
      described: api.described.toWellFormed(),
    };
    const known = this.#driver.first("SELECT * FROM apis WHERE number = ?", server);
    if (known) changeRow(this.#driver, "apis", known, own);
    else insertNew(this.#driver, "apis", { number: server, id: api.id, ...own });
    return server;
  }

  #putServer({ id, name, baseUrl, allowPrivate }: NewApi): number {
    if (this.#driver.first("SELECT 1 FROM servers WHERE folded = ? AND id <> ?", foldCase(name), id)) {
      throw new NameTaken(`There is a server named '${name}' already`);
    }
    const said = { name, folded: foldCase(name), search: foldCase(`${name}\n${baseUrl}`), base_url: baseUrl };
    const columns = { ...said, allow_private: Number(allowPrivate) };
    const usual = { origin: "api", auth_type: "none", status: "active" };
    const known = this.#driver.first("SELECT * FROM servers WHERE id = ?", id);
    if (known) changeRow(this.#driver, "servers", known, columns);
    else insertNew(this.#driver, "servers", { id, ...columns, ...usual });
    return this.#driver.first("SELECT number FROM servers WHERE id = ?", id)?.["number"] as number;
  }

  #putTools(api: NewApi, number: number, tools: readonly NewApiTool[]): void {
    const scope = api.kind === "openapi" ? api.id : "";
    const rows = this.#driver.all("SELECT * FROM api_tools WHERE api_number = ?", number);
    const byId = new Map(rows.map((row) => [row["id"], row]));
    const byCode = new Map(rows.map((row) => [row["code"], row]));
    const known = tools.map(({ id, code }) => (id === undefined ? byCode.get(code) : byId.get(id)));
    const kept = new Set(known);
    for (const row of rows) if (!kept.has(row)) this.#deleteTool(row);
    tools.forEach((tool, position) => {
      this.#putTool(tool, { api_number: number, position, scope }, known[position]);
    });
  }

  #deleteTool({ number }: SqlRow): void {
    this.#driver.run("DELETE FROM api_tools WHERE number = ?", number as number);
  }

  #putTool({ code, enabled, described }: NewApiTool, place: Columns, known: SqlRow | undefined): void {
    const said = { enabled: Number(enabled), described: described.toWellFormed() };
    const id = (known?.["id"] as string | undefined) ?? randomUUID();
    this.#refuseTakenCode(place["scope"] as string, code, id);
    if (known) changeRow(this.#driver, "api_tools", known, { ...place, code, ...said });
    else insertNew(this.#driver, "api_tools", { id, ...place, code, ...said });
  }

  #refuseTakenCode(scope: string, code: string, exceptId: string): void {
    const sql = "SELECT 1 FROM api_tools WHERE scope = ? AND code = ? AND id <> ?";
    if (this.#driver.first(sql, scope, code, exceptId)) throw new NameTaken(`There is a tool named '${code}' already`);
  }
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
