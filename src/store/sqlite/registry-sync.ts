/**
 * What a server lists now takes the place of what it listed before, and tools that it has not listed for long are forgotten.
 * Runs inside a transaction of its caller.
 */
import { randomUUID } from "node:crypto";
import { Dangling, type FoundTool, foldCase, type ToolSync } from "../registry.ts";
import type { SqliteDriver, SqlRow } from "./driver.ts";
import { type Columns, changeRow, insertNew, timeAfter } from "./rows.ts";

export function syncTools(driver: SqliteDriver, serverId: string, tools: readonly FoundTool[]): ToolSync {
  const server = driver.first("SELECT number, updated_utc FROM servers WHERE id = ?", serverId);
  if (!server) throw new Dangling("There is no such server to list tools of");
  return new Sync(driver, server).run(tools);
}

class Sync implements ToolSync {
  readonly added: string[] = [];
  readonly changed: string[] = [];
  readonly missing: string[] = [];
  readonly returned: string[] = [];
  readonly #driver: SqliteDriver;
  readonly #server: SqlRow;
  #isReordered = false;

  constructor(driver: SqliteDriver, server: SqlRow) {
    this.#driver = driver;
    this.#server = server;
  }

  run(tools: readonly FoundTool[]): ToolSync {
    const found = new Map(tools.map(toColumns).map((columns) => [columns["name"], columns]));
    const known = new Map(this.#readKnown().map((row) => [row["name"], row]));
    [...found].forEach(([name, columns], position) => {
      this.#find(known.get(name), columns, position);
    });
    for (const [name, row] of known) if (!found.has(name as string)) this.#miss(row);
    const { added, changed, missing, returned } = this;
    if (this.#isReordered || [added, changed, missing, returned].some((names) => names.length > 0)) this.#touchServer();
    return { added, changed, missing, returned };
  }

  #readKnown(): readonly SqlRow[] {
    const sql = "SELECT * FROM tools WHERE server_number = ? ORDER BY missing, position, number";
    return this.#driver.all(sql, this.#server["number"] as number);
  }

  #find(row: SqlRow | undefined, columns: Columns, position: number): void {
    const name = columns["name"] as string;
    if (!row) {
      this.#insert(columns, position);
      this.added.push(name);
    } else {
      const isChanged = changeRow(this.#driver, "tools", row, columns);
      if (isChanged) (row["missing"] === 1 ? this.returned : this.changed).push(name);
      if (row["position"] !== position) this.#move(row, position);
    }
  }

  #insert(columns: Columns, position: number): void {
    const own = { id: randomUUID(), server_number: this.#server["number"] as number, position };
    insertNew(this.#driver, "tools", { ...own, ...columns });
  }

  /** Its place is the list's affair: the tool itself did not change. */
  #move(row: SqlRow, position: number): void {
    this.#driver.run("UPDATE tools SET position = ? WHERE number = ?", position, row["number"] as number);
    this.#isReordered = true;
  }

  #miss(row: SqlRow): void {
    if (changeRow(this.#driver, "tools", row, { missing: 1 })) this.missing.push(row["name"] as string);
  }

  #touchServer(): void {
    const { number, updated_utc: before } = this.#server;
    const sql = "UPDATE servers SET updated_utc = ? WHERE number = ?";
    this.#driver.run(sql, timeAfter(before as string), number as number);
  }
}

/** Half a surrogate pair cannot be stored, and would look like a change each time. */
function toColumns(tool: FoundTool): Columns {
  const name = tool.name.toWellFormed();
  const description = tool.description.toWellFormed();
  return {
    name,
    description,
    search: foldCase(`${name}\n${description}`),
    scope: tool.scope.toWellFormed(),
    definition: tool.definition.toWellFormed(),
    quarantine: tool.quarantine?.toWellFormed() ?? null,
    missing: 0,
  };
}

const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/** The time of a missing tool is when it went missing: nothing else of it changes until it is back. */
const LONG_MISSING = `
  server_number = ? AND missing = 1 AND updated_utc < ?
  AND NOT EXISTS (SELECT 1 FROM bindings WHERE tool_number = tools.number)`;

/**
 * Deletes tools that their server has not listed for 90 days and that nobody is linked to, so that a server which names its
 * tools anew each time does not fill the file.
 */
export function forgetLongMissing(driver: SqliteDriver, serverId: string): void {
  const server = driver.first("SELECT number, updated_utc FROM servers WHERE id = ?", serverId);
  if (!server) return;
  const [number, before] = [server["number"] as number, server["updated_utc"] as string];
  const since = new Date(Date.now() - KEPT_MS).toISOString();
  if (driver.run(`DELETE FROM tools WHERE ${LONG_MISSING}`, number, since) === 0) return;
  // No list may change, not even that of the missing, under an unchanged version.
  driver.run("UPDATE servers SET updated_utc = ? WHERE number = ?", timeAfter(before), number);
}
