import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { openSqliteStore } from "../sqlite/store.ts";
import type { BridgeSessionRecord, Store } from "../store.ts";

let store: Store;
beforeEach(async () => {
  store = await openSqliteStore(":memory:");
});
afterEach(() => store.close());

describe("sessions of the bridge", () => {
  it("come back as they were written, the soonest to end first", async () => {
    const named = { ...session("b", "2030-01-02"), clientId: "n8n" };
    await store.sessions.put(named, utc("2029-01-01"));
    await store.sessions.put(session("a", "2030-01-01"), utc("2029-01-01"));
    assert.deepEqual(await store.sessions.list(10), [session("a", "2030-01-01"), named]);
  });

  it("are listed up to so many: those that live longest", async () => {
    for (const day of ["01", "03", "02"]) await put(session(day, `2030-01-${day}`));
    assert.deepEqual(await ids(2), ["02", "03"]);
  });

  it("are written anew by their own principal", async () => {
    await put(session("a", "2030-01-01"));
    assert.equal(await put({ ...session("a", "2030-02-01"), protocolVersion: "2025-11-25" }), true);
    const [renewed] = await store.sessions.list(10);
    assert.deepEqual([renewed?.expiresUtc, renewed?.protocolVersion], [utc("2030-02-01"), "2025-11-25"]);
  });

  it("are not taken by another principal before they are over", async () => {
    await put(session("a", "2030-01-01"));
    const other = { ...session("a", "2030-02-01"), principalId: "key:2" };
    assert.equal(await store.sessions.put(other, utc("2029-12-31")), false);
    assert.deepEqual(await store.sessions.list(10), [session("a", "2030-01-01")]);
    assert.equal(await store.sessions.put(other, utc("2030-01-01")), true);
    assert.deepEqual(await store.sessions.list(10), [other]);
  });

  it("slide together, and none comes back by it", async () => {
    await put(session("a", "2030-01-01"));
    const expiresUtc = utc("2031-01-01");
    await store.sessions.slide([
      { id: "a", expiresUtc },
      { id: "gone", expiresUtc },
    ]);
    assert.deepEqual(await store.sessions.list(10), [session("a", "2031-01-01")]);
  });

  it("are deleted once", async () => {
    await put(session("a", "2030-01-01"));
    assert.deepEqual([await store.sessions.delete("a"), await store.sessions.delete("a")], [true, false]);
  });

  it("go when they are over: all of them, or of some the same", async () => {
    for (const id of ["a", "b", "c"]) await put(session(id, "2030-01-01"));
    await put(session("later", "2030-01-03"));
    await store.sessions.deleteExpired(utc("2030-01-02"), ["a", "later", "nobody"]);
    assert.deepEqual((await ids(10)).sort(), ["b", "c", "later"]);
    await store.sessions.deleteExpired(utc("2030-01-02"));
    assert.deepEqual(await ids(10), ["later"]);
  });

  it("outlive the process", async () => {
    const folder = await mkdtemp(join(tmpdir(), "zaguan-sessions-"));
    const file = join(folder, "zaguan.db");
    const first = await openSqliteStore(file);
    await first.sessions.put(session("a", "2030-01-01"), utc("2029-01-01"));
    await first.close();
    const second = await openSqliteStore(file);
    assert.deepEqual(await second.sessions.list(10), [session("a", "2030-01-01")]);
    await second.close();
    await rm(folder, { recursive: true });
  });
});

function session(id: string, ends: string): BridgeSessionRecord {
  const [createdUtc, expiresUtc] = [utc("2029-01-01"), utc(ends)];
  return { id, principalId: "key:1", protocolVersion: "2024-11-05", createdUtc, expiresUtc };
}

function put(record: BridgeSessionRecord): Promise<boolean> {
  return store.sessions.put(record, utc("2029-01-01"));
}

async function ids(most: number): Promise<string[]> {
  return (await store.sessions.list(most)).map(({ id }) => id);
}

function utc(day: string): string {
  return `${day}T00:00:00.000Z`;
}
