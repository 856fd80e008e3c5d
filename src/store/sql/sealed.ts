/** Everything under seal, in the columns where it stands. */
import type { SealedPlace, SealedText, SealedTexts } from "../sealed.ts";
import type { SqlDriver } from "./driver.ts";

interface Place {
  readonly table: string;
  readonly column: string;
  /** Its rows: `id`, `owner` and `text`. */
  readonly rows: string;
}

const PLACES: Readonly<Record<SealedPlace, Place>> = {
  server: {
    table: "servers",
    column: "sealed",
    rows: "SELECT id, name AS owner, sealed AS text FROM servers WHERE sealed IS NOT NULL",
  },
  api: {
    table: "apis",
    column: "sealed",
    rows: "SELECT id, id AS owner, sealed AS text FROM apis WHERE sealed IS NOT NULL",
  },
  "api-description": {
    table: "apis",
    column: "described",
    rows: "SELECT id, id AS owner, described AS text FROM apis",
  },
  "tool-description": {
    table: "api_tools",
    column: "described",
    rows:
      "SELECT api_tools.id, apis.id AS owner, api_tools.described AS text " +
      "FROM api_tools JOIN apis ON apis.number = api_number",
  },
};

export class SqlSealedTexts implements SealedTexts {
  readonly #driver: SqlDriver;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  async list(): Promise<readonly SealedText[]> {
    const all: SealedText[] = [];
    for (const place of Object.keys(PLACES) as SealedPlace[]) {
      const rows = await this.#driver.all(PLACES[place].rows);
      all.push(...rows.map((row) => ({ place, ...(row as Omit<SealedText, "place">) })));
    }
    return all;
  }

  /** One statement: whoever writes at the same moment comes before it or after it. */
  async replace({ place, id, text: read }: SealedText, text: string): Promise<boolean> {
    const { table, column } = PLACES[place];
    const sql = `UPDATE ${table} SET ${column} = ? WHERE id = ? AND ${column} = ?`;
    return (await this.#driver.run(sql, text, id, read)) > 0;
  }
}
