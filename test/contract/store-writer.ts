/**
 * A process of its own that writes to a SQLite store, for the tests of several writers and of sudden death.
 * `FILE increment TIMES` counts a document up; `FILE append FROM` writes numbered documents until it is killed and
 * prints each number once its write was acknowledged.
 */
import { writeSync } from "node:fs";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { increment } from "./store-suite.ts";

const [file = "", mode, number = "0"] = process.argv.slice(2);
const store = await openSqliteStore(file);

if (mode === "increment") {
  for (let done = 0; done < Number(number); done++) await store.documents.update("counter", "n", increment);
  await store.close();
} else {
  const padding = "x".repeat(5_000);
  for (let next = Number(number); ; next++) {
    await store.documents.put("numbered", String(next), { next, padding });
    await store.documents.update("counter", "last", () => next);
    writeSync(1, `${next}\n`);
  }
}
