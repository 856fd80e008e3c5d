/**
 * A process of its own that writes to a SQLite store, for the tests of several writers and of sudden death.
 * `FILE increment TIMES` counts a document up; `FILE append FROM` writes numbered documents until it is killed and
 * prints each number once its write was acknowledged; `FILE register TIMES` makes numbered servers with two tools each,
 * unless another process was quicker, and prints how many it made.
 */
import { writeSync } from "node:fs";
import { NameTaken } from "../../src/store/registry.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { newServer, tools } from "./registry-fixtures.ts";
import { increment } from "./store-suite.ts";

const [file = "", mode, number = "0"] = process.argv.slice(2);
const store = await openSqliteStore(file);

if (mode === "increment") {
  for (let done = 0; done < Number(number); done++) await store.documents.update("counter", "n", increment);
  await store.close();
} else if (mode === "register") {
  let made = 0;
  for (let next = 0; next < Number(number); next++) made += Number(await register(`server ${next}`));
  writeSync(1, `${made}\n`);
  await store.close();
} else {
  const padding = "x".repeat(5_000);
  for (let next = Number(number); ; next++) {
    await store.documents.put("numbered", String(next), { next, padding });
    await store.documents.update("counter", "last", () => next);
    writeSync(1, `${next}\n`);
  }
}

async function register(name: string): Promise<boolean> {
  const { servers, tools: table } = store.registry;
  try {
    const { id } = await servers.create(newServer(name));
    await table.sync(id, tools("on", "off"));
    return true;
  } catch (error) {
    if (error instanceof NameTaken) return false;
    throw error;
  }
}
