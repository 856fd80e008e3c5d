/** The contract over SQLite in a file, and what only a file can show: other processes and sudden death. */
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { openDriver } from "../../src/store/sqlite/driver.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";
import { describeApis } from "./apis-suite.ts";
import { serverWith, tool, tools } from "./registry-fixtures.ts";
import { describeRegistry } from "./registry-suite.ts";
import { describeSealed } from "./sealed-suite.ts";
import { describeStore, type StoreUnderTest } from "./store-suite.ts";

const WRITER = join(import.meta.dirname, "store-writer.ts");

describeStore("SQLite", openInFolder);
describeRegistry("SQLite", openInFolder);
describeApis("SQLite", openInFolder);
describeSealed("SQLite", openInFolder);

describe("SQLite with other processes on the file", () => {
  it("loses none of 200 increments each from two processes that start on a new file together", async (t) => {
    const file = temporaryFile(t);
    const writers = [startWriter(file, "increment", 200), startWriter(file, "increment", 200)];
    const exits = await Promise.all(writers.map((writer) => once(writer, "exit")));
    assert.deepEqual(exits, [
      [0, null],
      [0, null],
    ]);
    const store = await openSqliteStore(file);
    assert.equal(await store.documents.get("counter", "n"), 400);
    await store.close();
  });

  it("loses nothing acknowledged when the writer is killed, and the file stays sound", async (t) => {
    const file = temporaryFile(t);
    let from = 0;
    for (const acknowledgements of [40, 150, 90]) {
      const last = await writeUntilKilled(file, from, acknowledgements);
      assert.ok(last >= from + acknowledgements - 1);
      await assertSound(file);
      await assertAllThere(file, last);
      from = last + 1;
    }
  });
});

describe("SQLite as a registry", () => {
  it("lets two processes make each of 100 servers once, and counts every change of both", async (t) => {
    const file = temporaryFile(t);
    const store = await openSqliteStore(file);
    const { servers, tools: table } = store.registry;
    const before = await table.version();
    const writers = [startWriter(file, "register", 100), startWriter(file, "register", 100)];
    const made = await Promise.all(writers.map((writer) => text(writer.stdout)));
    assert.equal(Number(made[0]) + Number(made[1]), 100);
    assert.deepEqual([await servers.count(), await table.count()], [100, 200]);
    assert.ok((await table.version()) >= before + 200);
    await store.close();
  });

  it("writes not one byte when a list of tools is the same again", async (t) => {
    const file = temporaryFile(t);
    const store = await openSqliteStore(file);
    const id = await serverWith(store.registry, "house", ...tools("a", "b", "c"));
    const before = readFileSync(`${file}-wal`);
    await store.registry.tools.sync(id, tools("a", "b", "c"));
    await store.registry.servers.change(id, { name: "house", status: "active" });
    assert.deepEqual(readFileSync(`${file}-wal`), before);
    await store.close();
  });

  it("takes a list of tools whole or not at all", async (t) => {
    const file = temporaryFile(t);
    const store = await openSqliteStore(file);
    const id = await serverWith(store.registry, "house", ...tools("a", "b"));
    const before = [await store.registry.servers.list(), await store.registry.tools.list({ withMissing: true })];
    // SQLite refuses it, in the middle of the list.
    const broken = { ...tool("z"), scope: { toWellFormed: () => ({}) } as unknown as string };
    const list = [tool("a", { scope: "new" }), tool("c"), broken];
    await assert.rejects(store.registry.tools.sync(id, list), { code: "INTERNAL" });
    assert.deepEqual(
      [await store.registry.servers.list(), await store.registry.tools.list({ withMissing: true })],
      before,
    );
    await store.close();
  });
});

async function openInFolder(): Promise<StoreUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-store-"));
  const opened: Store[] = [];
  const reopen = async (): Promise<Store> => {
    const store = await openSqliteStore(join(folder, "data", "zaguan.db"));
    opened.push(store);
    return store;
  };
  return {
    store: await reopen(),
    reopen,
    async dispose() {
      for (const store of opened) await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function temporaryFile(t: { after(clean: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-store-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "zaguan.db");
}

function startWriter(file: string, mode: string, number: number): ChildProcessByStdio<null, Readable, null> {
  const argv = [WRITER, file, mode, String(number)];
  return spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
}

/** Kills as soon as so many were acknowledged; what was printed until death counts too. */
async function writeUntilKilled(file: string, from: number, acknowledgements: number): Promise<number> {
  const writer = startWriter(file, "append", from);
  let last = -1;
  for await (const line of createInterface(writer.stdout)) {
    last = Number(line);
    if (last >= from + acknowledgements - 1) writer.kill("SIGKILL");
  }
  return last;
}

async function assertAllThere(file: string, last: number): Promise<void> {
  const store = await openSqliteStore(file);
  for (let number = 0; number <= last; number++) {
    const document = (await store.documents.get("numbered", String(number))) as { next: number } | undefined;
    assert.equal(document?.next, number);
  }
  assert.ok(((await store.documents.get("counter", "last")) as number) >= last);
  await store.close();
}

async function assertSound(file: string): Promise<void> {
  const driver = openDriver(file);
  assert.deepEqual({ ...(await driver.first("PRAGMA integrity_check")) }, { integrity_check: "ok" });
  await driver.close();
}
