/**
 * Copies everything from one database into another, empty one: all in one transaction there, compared row by row before it is
 * committed. The source is read as it stands at one moment, and not changed.
 */
import { createHash, type Hash } from "node:crypto";
import type { SqlDriver, SqlRow, SqlValue, Statements } from "./driver.ts";
import { migrate, migrateWithin } from "./migrate.ts";
import { countRows } from "./rows.ts";

interface Table {
  readonly name: string;
  /** The columns by which its rows are told apart, and read in order. */
  readonly key: readonly string[];
  /** Its rows are numbered by the database, which has to go on behind the last one. */
  readonly isNumbered?: boolean;
  /** A condition on what belongs to the hub, where the database has rows of its own. */
  readonly where?: string;
}

const NUMBERED = { key: ["number"], isNumbered: true };

/**
 * What refers to another table stands behind it. `owners`, `boots` and `mcp_sessions` are left out: they say what running nodes
 * do at this moment, all of them have stopped when data is moved, and leases of the old database would only keep their next run
 * waiting.
 */
const TABLES: readonly Table[] = [
  { name: "agents", ...NUMBERED },
  { name: "servers", ...NUMBERED },
  { name: "discovery_log", ...NUMBERED },
  { name: "tools", ...NUMBERED },
  { name: "bindings", ...NUMBERED },
  { name: "api_keys", ...NUMBERED },
  { name: "apis", key: ["number"] },
  { name: "api_tools", ...NUMBERED },
  { name: "documents", key: ["collection", "key"], where: "NOT (collection = 'store' AND key = 'probe')" },
  { name: "bridge_sessions", key: ["id"] },
];
/** One row, which every database has from its start. */
const VERSION: Table = { name: "registry_version", key: ["version"] };
const PAGE = 100;

/** Why nothing was moved; the command line has a text for each. */
export class MoveRefused extends TypeError {
  override readonly name = "MoveRefused";
  readonly why: "nothing" | "notEmpty" | "differs";
  readonly table: string;
  readonly count: number;

  constructor(why: MoveRefused["why"], table = "", count = 0) {
    super(`${why} ${table}`);
    this.why = why;
    this.table = table;
    this.count = count;
  }
}

/** Told while it goes on; told from the beginning again if the database had to be asked anew. */
export interface MoveProgress {
  /** So many steps follow, and so many rows are copied in them. */
  begin(steps: number, rows: number): void;
  copied(table: string, rows: number): void;
  checked(table: string, rows: number): void;
}

export interface Moved {
  readonly tables: number;
  readonly rows: number;
}

/** Rejects with a `MoveRefused`, or what a database failed with; then the target is as it was. */
export async function moveAll(from: SqlDriver, to: SqlDriver, progress: MoveProgress): Promise<Moved> {
  if (!(await from.first(from.words.hasTable, "schema_version"))) throw new MoveRefused("nothing");
  await migrate(from);
  return from.transaction(async (source) => {
    await source.script(source.words.snapshot);
    return to.transaction(async (target) => {
      await migrateWithin(target);
      return new Move(source, target, progress).run();
    });
  });
}

class Move {
  readonly #source: Statements;
  readonly #target: Statements;
  readonly #progress: MoveProgress;

  constructor(source: Statements, target: Statements, progress: MoveProgress) {
    this.#source = source;
    this.#target = target;
    this.#progress = progress;
  }

  async run(): Promise<Moved> {
    for (const table of TABLES) await this.#refuseFull(table);
    const counts = await this.#counts();
    const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const pages = [...counts.values()].reduce((sum, count) => sum + Math.ceil(count / PAGE), 0);
    this.#progress.begin(2 * pages, rows);
    const digests = new Map<Table, string>();
    for (const table of TABLES) digests.set(table, await this.#copy(table));
    await this.#copyVersion();
    for (const table of TABLES) await this.#compare(table, counts.get(table) ?? 0, digests.get(table) ?? "");
    return { tables: TABLES.length, rows };
  }

  async #refuseFull(table: Table): Promise<void> {
    const count = await countOf(this.#target, table);
    if (count > 0) throw new MoveRefused("notEmpty", table.name, count);
  }

  async #counts(): Promise<ReadonlyMap<Table, number>> {
    const counts = new Map<Table, number>();
    for (const table of TABLES) counts.set(table, await countOf(this.#source, table));
    return counts;
  }

  /** The digest of what was read. */
  async #copy(table: Table): Promise<string> {
    const digest = createHash("sha256");
    for await (const page of pagesOf(this.#source, table)) {
      add(digest, page);
      await insertAll(this.#target, table, page);
      this.#progress.copied(table.name, page.length);
    }
    if (table.isNumbered) await this.#target.script(this.#target.words.renumber(table.name));
    return digest.digest("hex");
  }

  /** The trigger of each server that was copied has raised it. */
  async #copyVersion(): Promise<void> {
    const row = await this.#source.first("SELECT version FROM registry_version");
    await this.#target.run("UPDATE registry_version SET version = ?", row?.["version"] as number);
    const [source, target] = [await digestOf(this.#source, VERSION), await digestOf(this.#target, VERSION)];
    if (source !== target) throw new MoveRefused("differs", VERSION.name);
  }

  async #compare(table: Table, count: number, digest: string): Promise<void> {
    const isSame =
      (await countOf(this.#target, table)) === count &&
      (await digestOf(this.#target, table, (rows) => this.#progress.checked(table.name, rows))) === digest;
    if (!isSame) throw new MoveRefused("differs", table.name);
  }
}

function countOf(from: Statements, { name, where }: Table): Promise<number> {
  return countRows(from, name, { sql: where === undefined ? "" : `WHERE ${where}`, values: [] });
}

async function digestOf(from: Statements, table: Table, tell: (rows: number) => void = () => {}): Promise<string> {
  const digest = createHash("sha256");
  for await (const page of pagesOf(from, table)) {
    add(digest, page);
    tell(page.length);
  }
  return digest.digest("hex");
}

async function* pagesOf(from: Statements, table: Table): AsyncGenerator<readonly SqlRow[]> {
  const { name, key, where } = table;
  const places = key.map(() => "?").join(", ");
  const order = `ORDER BY ${key.join(", ")} LIMIT ${PAGE}`;
  let last: SqlRow | undefined;
  do {
    const behind = last && `(${key.join(", ")}) > (${places})`;
    const conditions = [where, behind].filter((condition) => condition !== undefined).join(" AND ");
    const values = last ? key.map((column) => last?.[column] as SqlValue) : [];
    const sql = `SELECT * FROM ${name} ${conditions && `WHERE ${conditions}`} ${order}`;
    const page: readonly SqlRow[] = await from.all(sql, ...values);
    if (page.length > 0) yield page;
    last = page.length === PAGE ? page.at(-1) : undefined;
  } while (last);
}

/** Columns by name, since the two databases may have them in another order. */
function add(digest: Hash, page: readonly SqlRow[]): void {
  for (const row of page) {
    const columns = Object.keys(row).sort();
    digest.update(`${JSON.stringify(columns.map((column) => [column, row[column]]))}\n`);
  }
}

async function insertAll(target: Statements, { name }: Table, page: readonly SqlRow[]): Promise<void> {
  const columns = Object.keys(page[0] ?? {});
  const places = `(${columns.map(() => "?").join(", ")})`;
  const values = page.flatMap((row) => columns.map((column) => row[column] as SqlValue));
  const rows = page.map(() => places).join(", ");
  await target.run(`INSERT INTO ${name} (${columns.join(", ")}) VALUES ${rows}`, ...values);
}
