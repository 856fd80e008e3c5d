/** SQLite's own SQL. */
import type { DialectWords } from "../sql/driver.ts";

export const SQLITE: DialectWords = {
  dialect: "sqlite",
  // Not LIKE, in which some characters mean something else.
  contains: (whole, part) => `instr(${whole}, ${part}) > 0`,
  listed: "json_each(?)",
  list: (texts) => JSON.stringify(texts),
  // A transaction holds the lock of the whole file from its start.
  forUpdate: "",
  // CROSS JOIN goes through the servers first: then an index has the tools in the order of their lists, unsorted.
  joinInOrder: "CROSS JOIN",
  searchIndex: "INDEXED BY tools_search",
  hasTable: "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?",
  lockSchema: "",
  snapshot: "",
  // It does so by itself.
  renumber: () => "",
};
