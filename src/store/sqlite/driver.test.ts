/** A durable, private connection whose transactions are all or nothing. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { IN_MEMORY, openDriver, type SqliteDriver } from "./driver.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zaguan-driver-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("opening", () => {
  it("sets the connection up for durability and safety", () => {
    const driver = openDriver(join(folder, "a.db"));
    const setting = (name: string): unknown => Object.values(driver.first(`PRAGMA ${name}`) ?? {})[0];
    const names = ["journal_mode", "synchronous", "foreign_keys", "busy_timeout", "trusted_schema"];
    assert.deepEqual(names.map(setting), ["wal", 2, 1, 5000, 0]);
    driver.close();
  });

  it("makes folder, file and side files for their owner only, whatever the umask", { skip: onWindows() }, () => {
    const before = process.umask(0);
    try {
      const file = join(folder, "data", "deep", "a.db");
      const driver = openDriver(file);
      driver.script("CREATE TABLE t (n)");
      const modes = [join(folder, "data"), join(folder, "data", "deep"), file, `${file}-wal`, `${file}-shm`].map(mode);
      assert.deepEqual(modes, ["700", "700", "600", "600", "600"]);
      driver.close();
    } finally {
      process.umask(before);
    }
  });

  it("leaves the mode of a file that is there to its owner", { skip: onWindows() }, () => {
    const file = join(folder, "a.db");
    writeFileSync(file, "", { mode: 0o640 });
    openDriver(file).close();
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
      openDriver(":memory:").close();
      process.emitWarning("something else", "ExperimentalWarning");`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    assert.equal(stdout, "");
    assert.match(stderr, /ExperimentalWarning: something else/);
    assert.doesNotMatch(stderr, /SQLite/);
  });
});

describe("a transaction", () => {
  let driver: SqliteDriver;
  beforeEach(() => {
    driver = openDriver(IN_MEMORY);
    driver.script("CREATE TABLE t (n INTEGER UNIQUE)");
  });
  afterEach(() => driver.close());

  const rows = (): unknown[] => driver.all("SELECT n FROM t ORDER BY n").map((row) => row["n"]);

  it("keeps all of its work and answers with its result", () => {
    const result = driver.transaction(() => driver.run("INSERT INTO t VALUES (?), (?)", 1, 2));
    assert.equal(result, 2);
    assert.deepEqual(rows(), [1, 2]);
  });

  it("keeps nothing if the work throws, passes the error on, and the next one works", () => {
    const refusal = new RangeError("no");
    const work = (): never => {
      driver.run("INSERT INTO t VALUES (1)");
      throw refusal;
    };
    assert.throws(
      () => driver.transaction(work),
      (error) => error === refusal,
    );
    assert.deepEqual(rows(), []);
    driver.transaction(() => driver.run("INSERT INTO t VALUES (2)"));
    assert.deepEqual(rows(), [2]);
  });

  it("keeps nothing if a statement fails, and tells it as an inner failure", () => {
    const work = (): void => {
      driver.run("INSERT INTO t VALUES (1)");
      driver.run("INSERT INTO t VALUES (1)");
    };
    assert.throws(() => driver.transaction(work), { name: "ZaguanError", code: "INTERNAL" });
    assert.deepEqual(rows(), []);
  });

  it("holds the write lock from its start", () => {
    const file = join(folder, "a.db");
    const [one, two] = [openDriver(file), openDriver(file)];
    two.script("PRAGMA busy_timeout = 0");
    one.transaction(() => {
      assert.throws(() => two.transaction(() => {}), LOCKED);
    });
    two.transaction(() => {});
    one.close();
    two.close();
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
  beforeEach(() => {
    told = [];
    driver = openDriver(join(folder, "a.db"));
    driver.script("CREATE TABLE documents (collection, key, value, PRIMARY KEY (collection, key))");
    driver.onFault((fault) => told.push(fault));
  });
  afterEach(() => driver.close());

  for (const [setting, reason] of [
    ["query_only = 1", "the database is read-only"],
    ["max_page_count = 1", "the disk is full"],
  ] as const) {
    it(`says why, to whoever writes and to whoever asks: ${reason}`, () => {
      driver.script(`PRAGMA ${setting}`);
      const write = () => driver.run("INSERT INTO documents VALUES ('a', 'b', ?)", "x".repeat(100_000));
      assert.throws(write, { code: "STORE_UNAVAILABLE" });
      assert.equal(driver.fault(), reason);
      assert.deepEqual(told, [reason]);
      assert.deepEqual(driver.all("SELECT * FROM documents"), []);
    });
  }

  it("is found out by whoever asks, though nobody writes", () => {
    driver.script("PRAGMA query_only = 1");
    assert.equal(driver.fault(), "the database is read-only");
  });

  it("is not one whose rows we got wrong", () => {
    driver.run("INSERT INTO documents VALUES ('a', 'b', 'c')");
    assert.throws(() => driver.run("INSERT INTO documents VALUES ('a', 'b', 'c')"), { code: "INTERNAL" });
    assert.deepEqual([driver.fault(), told], [undefined, []]);
  });

  it("is not one that another process writes at this moment, for which nobody waits", () => {
    const other = openDriver(join(folder, "a.db"));
    const startedAt = performance.now();
    other.transaction(() => assert.equal(driver.fault(), undefined));
    assert.ok(performance.now() - startedAt < 4_000, "less than a write would wait");
    assert.equal(driver.first("PRAGMA busy_timeout")?.["timeout"], 5_000);
    other.close();
  });
});

describe("closing", () => {
  it("moves the write-ahead log into the file, even while another connection is open", () => {
    const file = join(folder, "a.db");
    const [one, two] = [openDriver(file), openDriver(file)];
    one.script("CREATE TABLE t (n)");
    assert.ok(statSync(`${file}-wal`).size > 0);
    one.close();
    assert.equal(statSync(`${file}-wal`).size, 0);
    two.close();
    two.close();
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
