/** Everything is moved or nothing; between two SQLite databases here, with PostgreSQL in test/cluster. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fillStore } from "../../../test/support/full-store.ts";
import { openDriver, type SqliteDriver } from "../sqlite/driver.ts";
import { openSqliteStore } from "../sqlite/store.ts";
import { type MoveProgress, moveAll } from "./move.ts";

const QUIET: MoveProgress = { begin: () => {}, copied: () => {}, checked: () => {} };

let folder: string;
let from: SqliteDriver;
let to: SqliteDriver;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "zaguan-move-"));
  const store = await openSqliteStore(join(folder, "from.db"));
  await fillStore(store);
  await store.close();
  from = openDriver(join(folder, "from.db"));
  to = openDriver(join(folder, "to.db"));
});
afterEach(async () => {
  await from.close();
  await to.close();
  rmSync(folder, { recursive: true });
});

describe("moving", () => {
  it("brings every row over, tells how far it is, and new rows are numbered behind the old ones", async () => {
    const told = { steps: 0, rows: 0, copied: 0, checked: 0, seen: 0 };
    const moved = await moveAll(from, to, {
      begin: (steps, rows) => Object.assign(told, { steps, rows }),
      copied: (_, rows) => Object.assign(told, { copied: told.copied + rows, seen: told.seen + 1 }),
      checked: (_, rows) => Object.assign(told, { checked: told.checked + rows, seen: told.seen + 1 }),
    });
    assert.ok(moved.rows > 240, `${moved.rows}`);
    assert.deepEqual(told, {
      steps: told.seen,
      rows: moved.rows,
      copied: moved.rows,
      checked: moved.rows,
      seen: told.seen,
    });
    for (const table of ["tools", "api_keys", "documents", "bridge_sessions", "registry_version", "api_tools"]) {
      const rows = async (driver: SqliteDriver) =>
        (await driver.all(`SELECT * FROM ${table}`)).map((row) => JSON.stringify(row)).sort();
      assert.deepEqual(await rows(to), await rows(from), table);
    }
    const last = async () => (await to.first("SELECT max(number) AS n FROM agents"))?.["n"] as number;
    const before = await last();
    await to.run(
      "INSERT INTO agents (id, name, folded, search, autonomy, created_utc, updated_utc) VALUES ('x', 'x', 'x', 'x', 'Auto', '', '')",
    );
    assert.equal(await last(), before + 1);
  });

  it("refuses a target that holds something, and leaves it as it was", async () => {
    await moveAll(from, to, QUIET);
    await assert.rejects(moveAll(from, to, QUIET), { name: "MoveRefused", why: "notEmpty" });
  });

  it("refuses a source in which there is nothing, and makes nothing of it", async () => {
    await assert.rejects(moveAll(to, from, QUIET), { name: "MoveRefused", why: "nothing" });
    assert.deepEqual(await to.all("SELECT name FROM sqlite_schema"), []);
  });

  it("leaves nothing behind where it fails in the middle", async () => {
    const copied = (table: string): void => {
      if (table === "documents") throw new RangeError("cut");
    };
    await assert.rejects(moveAll(from, to, { ...QUIET, copied }), RangeError);
    assert.deepEqual(await to.all("SELECT name FROM sqlite_schema"), []);
  });

  it("leaves no table out but those that say what running nodes do", async () => {
    await from.run("INSERT INTO owners (key, epoch, forced, lease_end) VALUES ('lamp', 1, 0, '')");
    await from.run("INSERT INTO boots VALUES (1)");
    await from.run("INSERT INTO mcp_sessions VALUES ('id', 'mcp', '', 'local', 'garage', '1', '{}', '')");
    await moveAll(from, to, QUIET);
    const tables = await from.all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    const count = async (driver: SqliteDriver, name: unknown) => (await driver.all(`SELECT 1 FROM ${name}`)).length;
    const left: unknown[] = [];
    for (const { name } of tables) {
      assert.ok((await count(from, name)) > 0, `${name} has nothing that could be moved`);
      if ((await count(to, name)) !== (await count(from, name))) left.push(name);
    }
    assert.deepEqual(left.sort(), ["boots", "mcp_sessions", "owners"]);
  });

  it("does not take the row along by which the database was tried", async () => {
    const store = await openSqliteStore(join(folder, "from.db"));
    assert.equal(store.fault(), undefined);
    await store.close();
    await moveAll(from, to, QUIET);
    assert.equal((await from.all("SELECT 1 FROM documents WHERE collection = 'store'")).length, 1);
    assert.equal((await to.all("SELECT 1 FROM documents WHERE collection = 'store'")).length, 0);
  });
});
