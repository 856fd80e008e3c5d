/** The registry's servers, and the log of how each one's tools were looked for. */
import { randomUUID } from "node:crypto";
import type { Discovery } from "../../contract/server.ts";
import {
  foldCase,
  NameTaken,
  type NewServer,
  type ServerChange,
  type ServerQuery,
  type ServerRecord,
  type ServerTable,
} from "../registry.ts";
import type { DialectWords, SqlDriver, SqlRow, Statements } from "./driver.ts";
import {
  allOf,
  type Columns,
  type Condition,
  changeRow,
  countRows,
  equal,
  insertNew,
  insertRow,
  pageValues,
  searched,
  withoutNulls,
} from "./rows.ts";

const LOG_LENGTH = 20;

export class SqlServers implements ServerTable {
  readonly #driver: SqlDriver;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  async create(server: NewServer): Promise<ServerRecord> {
    const id = randomUUID();
    const made = toColumns({ ...server, status: "active" });
    return this.#driver.transaction(async (tx) => {
      await refuseTakenName(tx, server.name);
      await insertNew(tx, "servers", { id, ...made });
      return toRecord((await rowOf(tx, id)) as SqlRow);
    });
  }

  async get(id: string): Promise<ServerRecord | undefined> {
    const row = await rowOf(this.#driver, id);
    return row && toRecord(row);
  }

  async findByName(name: string): Promise<ServerRecord | undefined> {
    const row = await this.#driver.first("SELECT * FROM servers WHERE folded = ?", foldCase(name));
    return row && toRecord(row);
  }

  async findByTitle(title: string): Promise<ServerRecord | undefined> {
    const row = await this.#driver.first(
      "SELECT * FROM servers WHERE folded_title = ? ORDER BY number",
      foldCase(title),
    );
    return row && toRecord(row);
  }

  async list(query: ServerQuery = {}): Promise<readonly ServerRecord[]> {
    const { sql, values } = matching(this.#driver.words, query);
    const rows = `SELECT * FROM servers ${sql} ORDER BY number LIMIT ? OFFSET ?`;
    return (await this.#driver.all(rows, ...values, ...pageValues(query))).map(toRecord);
  }

  async count(query: ServerQuery = {}): Promise<number> {
    return countRows(this.#driver, "servers", matching(this.#driver.words, query));
  }

  async change(id: string, change: ServerChange): Promise<ServerRecord | undefined> {
    return this.#driver.transaction(async (tx) => {
      const row = await rowOf(tx, id, tx.words.forUpdate);
      if (!row) return undefined;
      if (change.name !== undefined) await refuseTakenName(tx, change.name, id);
      await changeRow(tx, "servers", row, toColumns(changed(toRecord(row), change)));
      return toRecord((await rowOf(tx, id)) as SqlRow);
    });
  }

  async delete(id: string): Promise<boolean> {
    return (await this.#driver.run("DELETE FROM servers WHERE id = ?", id)) > 0;
  }

  async log(id: string, entry: Discovery): Promise<void> {
    await this.#driver.transaction(async (tx) => {
      const number = (await rowOf(tx, id))?.["number"] as number | undefined;
      if (number === undefined) return;
      await insertRow(tx, "discovery_log", { server_number: number, entry: JSON.stringify(entry) });
      await forgetOldEntries(tx, number);
    });
  }

  async readLog(id: string): Promise<readonly Discovery[]> {
    const sql =
      "SELECT entry FROM discovery_log JOIN servers ON servers.number = server_number " +
      "WHERE servers.id = ? ORDER BY discovery_log.number DESC";
    return (await this.#driver.all(sql, id)).map((row) => JSON.parse(row["entry"] as string) as Discovery);
  }
}

function rowOf(from: Statements, id: string, held = ""): Promise<SqlRow | undefined> {
  return from.first(`SELECT * FROM servers WHERE id = ? ${held}`, id);
}

async function refuseTakenName(tx: Statements, name: string, exceptId = ""): Promise<void> {
  if (await tx.first("SELECT 1 FROM servers WHERE folded = ? AND id <> ?", foldCase(name), exceptId)) {
    throw new NameTaken(`There is a server named '${name}' already`);
  }
}

async function forgetOldEntries(tx: Statements, number: number): Promise<void> {
  const kept = `SELECT number FROM discovery_log WHERE server_number = ? ORDER BY number DESC LIMIT ${LOG_LENGTH}`;
  await tx.run(`DELETE FROM discovery_log WHERE server_number = ? AND number NOT IN (${kept})`, number, number);
}

function matching(words: DialectWords, { search, origin }: ServerQuery): Condition {
  return allOf(equal("origin", origin), searched(words, "search", search));
}

type Changeable = Omit<ServerRecord, "id" | "createdUtc" | "updatedUtc">;

/** What every server has cannot be taken away: said to be undefined, it stays. */
function changed(server: ServerRecord, change: ServerChange): Changeable {
  const { name, origin, authType, allowPrivate, status } = server;
  return {
    ...server,
    ...change,
    name: change.name ?? name,
    origin: change.origin ?? origin,
    authType: change.authType ?? authType,
    allowPrivate: change.allowPrivate ?? allowPrivate,
    status: change.status ?? status,
  };
}

function toColumns(server: Changeable): Columns {
  return {
    name: server.name,
    origin: server.origin,
    folded: foldCase(server.name),
    title: server.title ?? null,
    folded_title: server.title === undefined ? null : foldCase(server.title),
    description: server.description ?? null,
    search: foldCase([server.name, server.title, server.description, server.baseUrl ?? ""].filter(isGiven).join("\n")),
    base_url: server.baseUrl ?? null,
    command: server.command ?? null,
    args: server.args ? JSON.stringify(server.args) : null,
    auth_type: server.authType,
    sealed: server.sealed ?? null,
    allow_private: Number(server.allowPrivate),
    status: server.status,
    transport: server.transport ?? null,
    last_seen_utc: server.lastSeenUtc ?? null,
    last_error: server.lastError ?? null,
  };
}

function isGiven(text: string | undefined): boolean {
  return text !== undefined;
}

function toRecord(row: SqlRow): ServerRecord {
  const args = row["args"] as string | null;
  return withoutNulls({
    id: row["id"] as string,
    name: row["name"] as string,
    title: row["title"] as string | null,
    description: row["description"] as string | null,
    origin: row["origin"] as ServerRecord["origin"],
    baseUrl: row["base_url"] as string | null,
    command: row["command"] as string | null,
    args: args === null ? null : (JSON.parse(args) as string[]),
    authType: row["auth_type"] as ServerRecord["authType"],
    sealed: row["sealed"] as string | null,
    allowPrivate: row["allow_private"] === 1,
    status: row["status"] as ServerRecord["status"],
    transport: row["transport"] as string | null,
    lastSeenUtc: row["last_seen_utc"] as string | null,
    lastError: row["last_error"] as string | null,
    createdUtc: row["created_utc"] as string,
    updatedUtc: row["updated_utc"] as string,
  });
}
