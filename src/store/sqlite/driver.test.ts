/** A durable, private connection whose transactions are all or nothing. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Statements } from "../sql/driver.ts";
import { IN_MEMORY, openConnection } from "./connection.ts";
import { openDriver, type SqliteDriver } from "./driver.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zaguan-driver-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("opening", () => {
  it("sets the connection up for durability and safety", async () => {
    const driver = openDriver(join(folder, "a.db"));
    const setting = async (name: string): Promise<unknown> =>
      Object.values((await driver.first(`PRAGMA ${name}`)) ?? {})[0];
    const names = ["journal_mode", "synchronous", "foreign_keys", "busy_timeout", "trusted_schema"];
    assert.deepEqual(await Promise.all(names.map(setting)), ["wal", 2, 1, 5000, 0]);
    await driver.close();
  });

  it("makes folder, file and side files for their owner only, whatever the umask", { skip: onWindows() }, async () => {
    const before = process.umask(0);
    try {
      const file = join(folder, "data", "deep", "a.db");
      const driver = openDriver(file);
      await driver.script("CREATE TABLE t (n)");
      const modes = [join(folder, "data"), join(folder, "data", "deep"), file, `${file}-wal`, `${file}-shm`].map(mode);
      assert.deepEqual(modes, ["700", "700", "600", "600", "600"]);
      await driver.close();
    } finally {
      process.umask(before);
    }
  });

  it("leaves the mode of a file that is there to its owner", { skip: onWindows() }, async () => {
    const file = join(folder, "a.db");
    writeFileSync(file, "", { mode: 0o640 });
    await openDriver(file).close();
    assert.equal(mode(file), "640");
  });

  it("says what is wrong with a file that is no database, without its path", () => {
    const file = join(folder, "a.db");
    writeFileSync(file, "this is a letter and not a database at all".repeat(100));
    assert.throws(() => openDriver(file), refusal(/cannot be opened: file is not a database$/));
  });

  it("says what is wrong with a place where no file can be, without its path", () => {
    mkdirSync(join(folder, "a.db"));
    assert.throws(() => openDriver(join(folder, "a.db")), refusal(/cannot be opened: /));
    writeFileSync(join(folder, "file"), "");
    assert.throws(() => openDriver(join(folder, "file", "a.db")), refusal(/cannot be opened: E[A-Z]+$/));
  });

  it("keeps stderr clean of SQLite's notice, but of no other warning", () => {
    const module = JSON.stringify(pathToFileURL(join(import.meta.dirname, "driver.ts")).href);
    const script = `
      const { openDriver } = await import(${module});
      await openDriver(":memory:").close();
      process.emitWarning("something else", "ExperimentalWarning");`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    assert.equal(stdout, "");
    assert.match(stderr, /ExperimentalWarning: something else/);
    assert.doesNotMatch(stderr, /SQLite/);
  });
});

describe("a transaction", () => {
  let driver: SqliteDriver;
  beforeEach(async () => {
    driver = openDriver(IN_MEMORY);
    await driver.script("CREATE TABLE t (n INTEGER UNIQUE)");
  });
  afterEach(() => driver.close());

  const rows = async (): Promise<unknown[]> => (await driver.all("SELECT n FROM t ORDER BY n")).map((row) => row["n"]);

  it("keeps all of its work and answers with its result", async () => {
    const result = await driver.transaction((tx) => tx.run("INSERT INTO t VALUES (?), (?)", 1, 2));
    assert.equal(result, 2);
    assert.deepEqual(await rows(), [1, 2]);
  });

  it("keeps nothing if the work throws, passes the error on, and the next one works", async () => {
    const refusal = new RangeError("no");
    const work = async (tx: Statements): Promise<never> => {
      await tx.run("INSERT INTO t VALUES (1)");
      throw refusal;
    };
    await assert.rejects(driver.transaction(work), (error) => error === refusal);
    assert.deepEqual(await rows(), []);
    await driver.transaction((tx) => tx.run("INSERT INTO t VALUES (2)"));
    assert.deepEqual(await rows(), [2]);
  });

  it("keeps nothing if a statement fails, and tells it as an inner failure", async () => {
    const work = async (tx: Statements): Promise<void> => {
      await tx.run("INSERT INTO t VALUES (1)");
      await tx.run("INSERT INTO t VALUES (1)");
    };
    await assert.rejects(driver.transaction(work), { name: "ZaguanError", code: "INTERNAL" });
    assert.deepEqual(await rows(), []);
  });

  it("holds the write lock from its start", async () => {
    const file = join(folder, "a.db");
    const [one, two] = [openDriver(file), openConnection(file)];
    two.script("PRAGMA busy_timeout = 0");
    await one.transaction(async () => assert.throws(() => two.script("BEGIN IMMEDIATE"), LOCKED));
    two.script("BEGIN IMMEDIATE");
    two.close();
    await one.close();
  });
});

describe("several at once on one connection", () => {
  let driver: SqliteDriver;
  beforeEach(async () => {
    driver = openDriver(IN_MEMORY);
    await driver.script("CREATE TABLE t (n INTEGER)");
  });
  afterEach(() => driver.close());

  /** Adds numbers with a pause before each, in which others could come in. */
  const add = (...numbers: readonly number[]) =>
    driver.transaction(async (tx) => {
      for (const number of numbers) {
        await new Promise((resolve) => setImmediate(resolve));
        await tx.run("INSERT INTO t VALUES (?)", number);
      }
    });
  const count = async () => (await driver.first("SELECT count(*) AS n FROM t"))?.["n"];

  it("wait for the end of a transaction, and see all of it or nothing", async () => {
    const seen = [count(), add(1, 2, 3).then(count), count(), driver.run("INSERT INTO t VALUES (9)").then(count)];
    assert.deepEqual(await Promise.all(seen), [0, 4, 3, 4]);
  });

  it("are not part of a transaction that is undone", async () => {
    const undone = driver.transaction(async (tx) => {
      await tx.run("INSERT INTO t VALUES (1)");
      throw new RangeError("no");
    });
    await Promise.all([assert.rejects(undone, RangeError), driver.run("INSERT INTO t VALUES (2)"), add(3)]);
    assert.deepEqual(
      (await driver.all("SELECT n FROM t")).map((row) => row["n"]),
      [2, 3],
    );
  });

  it("are closed after the last of them, and what comes later is refused", async () => {
    const last = add(1, 2);
    const closed = driver.close();
    await Promise.all([last, closed]);
    await assert.rejects(count(), { code: "INTERNAL" });
    await assert.rejects(add(1), { code: "INTERNAL" });
  });

  it("are from two drivers of this process too, none of which stops the thread for the other", async () => {
    const file = join(folder, "a.db");
    const [one, two] = [openDriver(file), openDriver(file)];
    await one.script("CREATE TABLE t (n INTEGER)");
    const startedAt = performance.now();
    const insert = async (tx: Statements): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      await tx.run("INSERT INTO t VALUES (1)");
    };
    await Promise.all([one, two, one, two].map((each) => each.transaction(insert)));
    assert.ok(performance.now() - startedAt < 4_000, "less than SQLite would stop it");
    assert.equal((await one.first("SELECT count(*) AS n FROM t"))?.["n"], 4);
    await one.close();
    await two.close();
  });

  it("do not let a look at the disk become part of a transaction", async () => {
    await driver.script("CREATE TABLE documents (collection, key, value, PRIMARY KEY (collection, key))");
    await driver.transaction(async () => assert.equal(driver.fault(), undefined));
    assert.deepEqual(await driver.all("SELECT * FROM documents"), []);
  });
});

const LOCKED = {
  name: "ZaguanError",
  code: "STORE_UNAVAILABLE",
  message: /"reason":"another process keeps the database locked"/,
};

describe("a database that cannot be written", () => {
  let driver: SqliteDriver;
  let told: (string | undefined)[];
  beforeEach(async () => {
    told = [];
    driver = openDriver(join(folder, "a.db"));
    await driver.script("CREATE TABLE documents (collection, key, value, PRIMARY KEY (collection, key))");
    driver.onFault((fault) => told.push(fault));
  });
  afterEach(() => driver.close());

  for (const [setting, reason] of [
    ["query_only = 1", "the database is read-only"],
    ["max_page_count = 1", "the disk is full"],
  ] as const) {
    it(`says why, to whoever writes and to whoever asks: ${reason}`, async () => {
      await driver.script(`PRAGMA ${setting}`);
      const write = () => driver.run("INSERT INTO documents VALUES ('a', 'b', ?)", "x".repeat(100_000));
      await assert.rejects(write, { code: "STORE_UNAVAILABLE" });
      assert.equal(driver.fault(), reason);
      assert.deepEqual(told, [reason]);
      assert.deepEqual(await driver.all("SELECT * FROM documents"), []);
    });
  }

  it("is found out by whoever asks, though nobody writes", async () => {
    await driver.script("PRAGMA query_only = 1");
    assert.equal(driver.fault(), "the database is read-only");
  });

  it("is not one whose rows we got wrong", async () => {
    await driver.run("INSERT INTO documents VALUES ('a', 'b', 'c')");
    await assert.rejects(driver.run("INSERT INTO documents VALUES ('a', 'b', 'c')"), { code: "INTERNAL" });
    assert.deepEqual([driver.fault(), told], [undefined, []]);
  });

  it("is not one that another process writes at this moment, for which nobody waits", async () => {
    const other = openConnection(join(folder, "a.db"));
    const startedAt = performance.now();
    other.script("BEGIN IMMEDIATE");
    assert.equal(driver.fault(), undefined);
    assert.ok(performance.now() - startedAt < 4_000, "less than a write would wait");
    assert.equal((await driver.first("PRAGMA busy_timeout"))?.["timeout"], 5_000);
    other.close();
  });
});

describe("closing", () => {
  it("moves the write-ahead log into the file, even while another connection is open", async () => {
    const file = join(folder, "a.db");
    const [one, two] = [openDriver(file), openDriver(file)];
    await one.script("CREATE TABLE t (n)");
    assert.ok(statSync(`${file}-wal`).size > 0);
    await one.close();
    assert.equal(statSync(`${file}-wal`).size, 0);
    await two.close();
    await two.close();
  });
});

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

function refusal(text: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof TypeError);
    assert.match(error.message, text);
    assert.ok(!error.message.includes(folder));
    return true;
  };
}

function onWindows(): boolean {
  return process.platform === "win32";
}
