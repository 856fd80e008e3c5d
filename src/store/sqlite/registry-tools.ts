/**
 * The registry's tools, as they are read: from memory (`tool-cache.ts`), or out of the file. How a server's list comes in
 * is in `registry-sync.ts`.
 */
import type { FoundTool, Page, ToolQuery, ToolRecord, ToolSync, ToolTable } from "../registry.ts";
import type { SqliteDriver, SqlRow } from "./driver.ts";
import { forgetLongMissing, syncTools } from "./registry-sync.ts";
import { allOf, type Condition, countRows, equal, pageOf, pageValues, searched } from "./rows.ts";
import { type CachedTool, type ServerStamp, ToolCache, type ToolFile } from "./tool-cache.ts";

/** The columns of `toToolRecord`, under names that no other table of a join has. */
export const TOOL_COLUMNS: string = [
  "tools.id AS tool_id, servers.id AS server_id, servers.name AS server_name, tools.name AS tool_name",
  "servers.title AS server_title",
  "tools.description AS tool_description, scope, definition, quarantine, missing",
  "tools.created_utc AS tool_created_utc, tools.updated_utc AS tool_updated_utc",
].join(", ");
const ONE = "tools JOIN servers ON servers.number = tools.server_number";
/** CROSS JOIN goes through the servers first: then an index has the tools in the order of their lists, unsorted. */
const MANY = "servers CROSS JOIN tools ON tools.server_number = servers.number";
const STAMPS = "SELECT id, updated_utc FROM servers";
const TOOLS_OF_ONE =
  `SELECT ${TOOL_COLUMNS}, tools.search AS tool_search FROM ${ONE} ` +
  "WHERE servers.id = ? AND missing = 0 ORDER BY position, tools.number";

export class SqliteTools implements ToolTable {
  readonly #driver: SqliteDriver;
  readonly #cache: ToolCache;

  /** `heldCharacters` is how much of them may be in memory. */
  constructor(driver: SqliteDriver, heldCharacters?: number) {
    this.#driver = driver;
    this.#cache = new ToolCache(toolFile(driver), heldCharacters);
  }

  async sync(serverId: string, tools: readonly FoundTool[]): Promise<ToolSync> {
    return this.#driver.transaction(() => {
      const changes = syncTools(this.#driver, serverId, tools);
      forgetLongMissing(this.#driver, serverId);
      return changes;
    });
  }

  async get(id: string): Promise<ToolRecord | undefined> {
    return this.#one(allOf(equal("tools.id", id)));
  }

  async findByName(serverId: string, name: string): Promise<ToolRecord | undefined> {
    return this.#one(allOf(equal("servers.id", serverId), equal("tools.name", name)));
  }

  async list(query: ToolQuery = {}): Promise<readonly ToolRecord[]> {
    const held = this.#held(query);
    if (held) return pageOf(held, query);
    const { sql, values } = matching(query);
    const order = "ORDER BY servers.number, missing, position, tools.number LIMIT ? OFFSET ?";
    const rows = `SELECT ${TOOL_COLUMNS} FROM ${MANY} ${sql} ${order}`;
    return this.#driver.all(rows, ...values, ...pageValues(query)).map(toToolRecord);
  }

  async count(query: Omit<ToolQuery, keyof Page> = {}): Promise<number> {
    return this.#held(query)?.length ?? countRows(this.#driver, MANY, matching(query));
  }

  async version(): Promise<number> {
    return readVersion(this.#driver);
  }

  #held({ serverId, search, withMissing }: ToolQuery): readonly ToolRecord[] | undefined {
    return withMissing ? undefined : this.#cache.find(serverId, search);
  }

  #one({ sql, values }: Condition): ToolRecord | undefined {
    const row = this.#driver.first(`SELECT ${TOOL_COLUMNS} FROM ${ONE} ${sql}`, ...values);
    return row && toToolRecord(row);
  }
}

export function toToolRecord(row: SqlRow): ToolRecord {
  const quarantine = row["quarantine"] as string | null;
  const serverTitle = row["server_title"] as string | null;
  return {
    id: row["tool_id"] as string,
    serverId: row["server_id"] as string,
    serverName: row["server_name"] as string,
    ...(serverTitle !== null && { serverTitle }),
    name: row["tool_name"] as string,
    description: row["tool_description"] as string,
    scope: row["scope"] as string,
    definition: row["definition"] as string,
    ...(quarantine !== null && { quarantine }),
    missing: row["missing"] === 1,
    createdUtc: row["tool_created_utc"] as string,
    updatedUtc: row["tool_updated_utc"] as string,
  };
}

function readVersion(driver: SqliteDriver): number {
  return Number(driver.first("SELECT version FROM registry_version")?.["version"]);
}

function toolFile(driver: SqliteDriver): ToolFile {
  return {
    version: () => readVersion(driver),
    servers: () => driver.all(`${STAMPS} ORDER BY number`).map(toStamp),
    server: (id) => driver.all(`${STAMPS} WHERE id = ?`, id).map(toStamp)[0],
    toolsOf: (serverId) => driver.all(TOOLS_OF_ONE, serverId).map(toShelved),
  };
}

function toStamp(row: SqlRow): ServerStamp {
  return { id: row["id"] as string, updatedUtc: row["updated_utc"] as string };
}

function toShelved(row: SqlRow): CachedTool {
  return { record: toToolRecord(row), search: row["tool_search"] as string };
}

/** The words are looked for in an index that holds little else; only what is found is read as a whole. */
function foundBy(condition: Condition | undefined): Condition | undefined {
  if (!condition) return undefined;
  const { sql, values } = condition;
  return { sql: `tools.number IN (SELECT number FROM tools INDEXED BY tools_search WHERE ${sql})`, values };
}

function matching({ serverId, search, withMissing }: Omit<ToolQuery, keyof Page>): Condition {
  const present = equal("missing", withMissing ? undefined : 0);
  return allOf(equal("servers.id", serverId), present, foundBy(searched("search", search)));
}
