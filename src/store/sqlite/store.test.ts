/** What is SQLite's own; the contract itself is tested for every store in test/contract. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { MIGRATIONS, type Migration } from "../migrations/index.ts";
import { migrate } from "../sql/migrate.ts";
import { IN_MEMORY } from "./connection.ts";
import { openDriver, type SqliteDriver } from "./driver.ts";
import { openSqliteStore } from "./store.ts";

describe("the SQLite store", () => {
  it("lives in memory if asked to, each one alone", async () => {
    const [one, two] = await Promise.all([openSqliteStore(":memory:"), openSqliteStore(":memory:")]);
    await one.documents.put("house", "state", 1);
    assert.equal(await one.documents.get("house", "state"), 1);
    assert.equal(await two.documents.get("house", "state"), undefined);
    await one.close();
    await two.close();
  });
});

const ONE: Migration = {
  version: 1,
  name: "one",
  sql: { sqlite: "CREATE TABLE one (n); INSERT INTO one VALUES (1)", postgres: "" },
};
const TWO: Migration = {
  version: 2,
  name: "two",
  sql: { sqlite: "ALTER TABLE one ADD COLUMN m; UPDATE one SET m = 2", postgres: "" },
};
const BAD: Migration = {
  version: 2,
  name: "bad",
  sql: { sqlite: "CREATE TABLE half (n); INSERT INTO nowhere VALUES (1)", postgres: "" },
};

describe("migrations", () => {
  it("are numbered from one without a gap", () => {
    assert.deepEqual(
      MIGRATIONS.map((migration) => migration.version),
      MIGRATIONS.map((_, index) => index + 1),
    );
  });

  it("are applied in order, each once, and noted with a time", async () => {
    const driver = openDriver(IN_MEMORY);
    await migrate(driver, [ONE]);
    await migrate(driver, [ONE, TWO]);
    await migrate(driver, [ONE, TWO]);
    assert.deepEqual({ ...(await driver.first("SELECT * FROM one")) }, { n: 1, m: 2 });
    assert.deepEqual(await versions(driver), [
      [1, "one"],
      [2, "two"],
    ]);
    const noted = (await driver.first("SELECT applied_utc FROM schema_version"))?.["applied_utc"] as string;
    assert.equal(new Date(noted).toISOString(), noted);
    await driver.close();
  });

  it("leave no trace if they fail, and the ones before stay", async () => {
    const driver = openDriver(IN_MEMORY);
    await assert.rejects(migrate(driver, [ONE, BAD]), { code: "INTERNAL" });
    assert.deepEqual(await versions(driver), [[1, "one"]]);
    assert.deepEqual(await driver.all("SELECT name FROM sqlite_schema WHERE name = 'half'"), []);
    await migrate(driver, [ONE, TWO]);
    assert.equal((await versions(driver)).length, 2);
    await driver.close();
  });

  it("bring the keys of the first schema along, as ordinary ones", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-migrate-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "a.db");
    const driver = openDriver(file);
    await migrate(driver, MIGRATIONS.slice(0, 1));
    await driver.script(
      "INSERT INTO api_keys (id, name, hash, hint, created_utc) VALUES ('1', 'phone', 'h', 'zgn_', 'then')",
    );
    await driver.close();
    const store = await openSqliteStore(file);
    const phone = { id: "1", name: "phone", hash: "h", hint: "zgn_", createdUtc: "then" };
    assert.deepEqual(await store.keys.findByHash("h"), phone);
    await store.close();
  });

  it("are left alone in a database of a newer Zaguan, which is refused in one clear sentence", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "zaguan-migrate-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "a.db");
    await (await openSqliteStore(file)).close();
    const driver = openDriver(file);
    await driver.run("INSERT INTO schema_version VALUES (99, 'future', '2030-01-01T00:00:00.000Z')");
    await driver.close();
    await assert.rejects(openSqliteStore(file), {
      name: "TypeError",
      message:
        /^The database was written by a newer Zaguan \(its schema is 99, this one knows up to \d+\): update Zaguan/,
    });
  });
});

async function versions(driver: SqliteDriver): Promise<unknown[]> {
  const rows = await driver.all("SELECT * FROM schema_version ORDER BY version");
  return rows.map((row) => [row["version"], row["name"]]);
}
