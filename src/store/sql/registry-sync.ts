/**
 * What a server lists now takes the place of what it listed before, and tools that it has not listed for long are forgotten.
 * Runs inside a transaction of its caller.
 */
import { randomUUID } from "node:crypto";
import { Dangling, type FoundTool, foldCase, type ToolSync } from "../registry.ts";
import type { SqlRow, Statements } from "./driver.ts";
import { type Columns, changeRow, insertNew, timeAfter } from "./rows.ts";

/** Holds the server until the end: two lists of one server come in one after the other. */
export async function syncTools(tx: Statements, serverId: string, tools: readonly FoundTool[]): Promise<ToolSync> {
  const sql = `SELECT number, updated_utc FROM servers WHERE id = ? ${tx.words.forUpdate}`;
  const server = await tx.first(sql, serverId);
  if (!server) throw new Dangling("There is no such server to list tools of");
  return new Sync(tx, server).run(tools);
}

class Sync implements ToolSync {
  readonly added: string[] = [];
  readonly changed: string[] = [];
  readonly missing: string[] = [];
  readonly returned: string[] = [];
  readonly #tx: Statements;
  readonly #server: SqlRow;
  #isReordered = false;

  constructor(tx: Statements, server: SqlRow) {
    this.#tx = tx;
    this.#server = server;
  }

  async run(tools: readonly FoundTool[]): Promise<ToolSync> {
    const found = new Map(tools.map(toColumns).map((columns) => [columns["name"], columns]));
    const known = new Map((await this.#readKnown()).map((row) => [row["name"], row]));
    for (const [position, [name, columns]] of [...found].entries()) {
      await this.#find(known.get(name), columns, position);
    }
    for (const [name, row] of known) if (!found.has(name as string)) await this.#miss(row);
    const { added, changed, missing, returned } = this;
    const isChanged = [added, changed, missing, returned].some((names) => names.length > 0);
    if (this.#isReordered || isChanged) await this.#touchServer();
    return { added, changed, missing, returned };
  }

  #readKnown(): Promise<readonly SqlRow[]> {
    const sql = "SELECT * FROM tools WHERE server_number = ? ORDER BY missing, position, number";
    return this.#tx.all(sql, this.#server["number"] as number);
  }

  async #find(row: SqlRow | undefined, columns: Columns, position: number): Promise<void> {
    const name = columns["name"] as string;
    if (!row) {
      await this.#insert(columns, position);
      this.added.push(name);
    } else {
      const isChanged = await changeRow(this.#tx, "tools", row, columns);
      if (isChanged) (row["missing"] === 1 ? this.returned : this.changed).push(name);
      if (row["position"] !== position) await this.#move(row, position);
    }
  }

  async #insert(columns: Columns, position: number): Promise<void> {
    const own = { id: randomUUID(), server_number: this.#server["number"] as number, position };
    await insertNew(this.#tx, "tools", { ...own, ...columns });
  }

  /** Its place is the list's affair: the tool itself did not change. */
  async #move(row: SqlRow, position: number): Promise<void> {
    await this.#tx.run("UPDATE tools SET position = ? WHERE number = ?", position, row["number"] as number);
    this.#isReordered = true;
  }

  async #miss(row: SqlRow): Promise<void> {
    if (await changeRow(this.#tx, "tools", row, { missing: 1 })) this.missing.push(row["name"] as string);
  }

  async #touchServer(): Promise<void> {
    const { number, updated_utc: before } = this.#server;
    const sql = "UPDATE servers SET updated_utc = ? WHERE number = ?";
    await this.#tx.run(sql, timeAfter(before as string), number as number);
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
export async function forgetLongMissing(tx: Statements, serverId: string): Promise<void> {
  const server = await tx.first("SELECT number, updated_utc FROM servers WHERE id = ?", serverId);
  if (!server) return;
  const [number, before] = [server["number"] as number, server["updated_utc"] as string];
  const since = new Date(Date.now() - KEPT_MS).toISOString();
  if ((await tx.run(`DELETE FROM tools WHERE ${LONG_MISSING}`, number, since)) === 0) return;
  // No list may change, not even that of the missing, under an unchanged version.
  await tx.run("UPDATE servers SET updated_utc = ? WHERE number = ?", timeAfter(before), number);
}
