/**
 * The registry's tools, as they are read: from memory (`tool-cache.ts`), or out of the database. How a server's list comes in
 * is in `registry-sync.ts`.
 */
import type { FoundTool, Page, ToolQuery, ToolRecord, ToolSync, ToolTable } from "../registry.ts";
import type { DialectWords, SqlDriver, SqlRow } from "./driver.ts";
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
const STAMPS = "SELECT id, updated_utc FROM servers";
const TOOLS_OF_ONE =
  `SELECT ${TOOL_COLUMNS}, tools.search AS tool_search FROM ${ONE} ` +
  "WHERE servers.id = ? AND missing = 0 ORDER BY position, tools.number";

export class SqlTools implements ToolTable {
  readonly #driver: SqlDriver;
  readonly #cache: ToolCache;

  /** `heldCharacters` is how much of them may be in memory. */
  constructor(driver: SqlDriver, heldCharacters?: number) {
    this.#driver = driver;
    this.#cache = new ToolCache(toolFile(driver), heldCharacters);
  }

  async sync(serverId: string, tools: readonly FoundTool[]): Promise<ToolSync> {
    return this.#driver.transaction(async (tx) => {
      const changes = await syncTools(tx, serverId, tools);
      await forgetLongMissing(tx, serverId);
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
    const held = await this.#held(query);
    if (held) return pageOf(held, query);
    const { sql, values } = matching(this.#driver.words, query);
    const order = "ORDER BY servers.number, missing, position, tools.number LIMIT ? OFFSET ?";
    const rows = `SELECT ${TOOL_COLUMNS} FROM ${this.#many()} ${sql} ${order}`;
    return (await this.#driver.all(rows, ...values, ...pageValues(query))).map(toToolRecord);
  }

  async count(query: Omit<ToolQuery, keyof Page> = {}): Promise<number> {
    const held = await this.#held(query);
    return held?.length ?? countRows(this.#driver, this.#many(), matching(this.#driver.words, query));
  }

  async version(): Promise<number> {
    return readVersion(this.#driver);
  }

  async #held({ serverId, search, withMissing }: ToolQuery): Promise<readonly ToolRecord[] | undefined> {
    return withMissing ? undefined : this.#cache.find(serverId, search);
  }

  #many(): string {
    return `servers ${this.#driver.words.joinInOrder} tools ON tools.server_number = servers.number`;
  }

  async #one({ sql, values }: Condition): Promise<ToolRecord | undefined> {
    const row = await this.#driver.first(`SELECT ${TOOL_COLUMNS} FROM ${ONE} ${sql}`, ...values);
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

async function readVersion(driver: SqlDriver): Promise<number> {
  return Number((await driver.first("SELECT version FROM registry_version"))?.["version"]);
}

function toolFile(driver: SqlDriver): ToolFile {
  return {
    version: () => readVersion(driver),
    servers: async () => (await driver.all(`${STAMPS} ORDER BY number`)).map(toStamp),
    server: async (id) => (await driver.all(`${STAMPS} WHERE id = ?`, id)).map(toStamp)[0],
    toolsOf: async (serverId) => (await driver.all(TOOLS_OF_ONE, serverId)).map(toShelved),
  };
}

function toStamp(row: SqlRow): ServerStamp {
  return { id: row["id"] as string, updatedUtc: row["updated_utc"] as string };
}

function toShelved(row: SqlRow): CachedTool {
  return { record: toToolRecord(row), search: row["tool_search"] as string };
}

/** The words are looked for in an index that holds little else; only what is found is read as a whole. */
function foundBy({ searchIndex }: DialectWords, condition: Condition | undefined): Condition | undefined {
  if (!condition) return undefined;
  const { sql, values } = condition;
  return { sql: `tools.number IN (SELECT number FROM tools ${searchIndex} WHERE ${sql})`, values };
}

function matching(words: DialectWords, { serverId, search, withMissing }: Omit<ToolQuery, keyof Page>): Condition {
  const present = equal("missing", withMissing ? undefined : 0);
  return allOf(equal("servers.id", serverId), present, foundBy(words, searched(words, "search", search)));
}
