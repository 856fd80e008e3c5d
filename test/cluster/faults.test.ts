/** A PostgreSQL that stops, is read-only, or has no room: what is told, and that all is well again without a restart. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { Store } from "../../src/store/store.ts";
import { NO_POSTGRES, ownerOf, type Postgres, startPostgres } from "../support/postgres.ts";
import { until } from "../support/processes.ts";

const AWAY = "the database cannot be reached";

describe("a PostgreSQL that fails", { skip: NO_POSTGRES }, () => {
  let server: Postgres;
  let store: Store;
  let told: (string | undefined)[];
  let count = 0;
  before(async () => {
    server = await startPostgres();
  });
  beforeEach(async () => {
    told = [];
    store = await openPostgresStore(parseAddress(server.url(`faults_${++count}`), {}));
    store.onFault((fault) => told.push(fault));
    await store.documents.put("house", "state", 1);
  });
  afterEach(() => store?.close());
  after(() => server?.dispose());

  const back = () => until("it can be written again", () => store.fault() === undefined);
  const refused = (reason: string) => ({
    code: "STORE_UNAVAILABLE",
    message: new RegExp(`"reason":"${reason}"`),
  });

  it("by its stop: says so to readers and writers at once, and is used again when it is back", async () => {
    await server.stop();
    await assert.rejects(store.documents.put("house", "state", 2), refused(AWAY));
    await assert.rejects(store.documents.get("house", "state"), refused(AWAY));
    const startedAt = performance.now();
    for (let n = 0; n < 50; n++) await assert.rejects(store.keys.countActive(), refused(AWAY));
    assert.ok(performance.now() - startedAt < 5_000, "nobody waits for a server that is known to be away");
    assert.equal(store.fault(), AWAY);
    await server.start();
    await back();
    assert.equal(await store.documents.get("house", "state"), 1);
    await store.documents.put("house", "state", 3);
    assert.deepEqual(told, [AWAY, undefined]);
  });

  it("by a sudden death: what was acknowledged is there afterwards", async () => {
    for (let n = 0; n < 20; n++) await store.documents.put("numbered", `${n}`, n);
    await server.kill();
    await assert.rejects(store.documents.put("numbered", "x", 1), { code: "STORE_UNAVAILABLE" });
    await server.start();
    await back();
    for (let n = 0; n < 20; n++) assert.equal(await store.documents.get("numbered", `${n}`), n);
  });

  it("without anybody who asks or writes: it is known at once, since the server hangs up", async () => {
    await server.stop();
    await until("it is known", () => told.length > 0);
    assert.deepEqual([told, store.fault()], [[AWAY], AWAY]);
    await server.start();
    await back();
  });

  it("because it is read-only: goes on reading, and says why nothing is written", async () => {
    server.sql("ALTER ROLE zaguan SET default_transaction_read_only = on");
    server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'zaguan'");
    await until("the store has found out", () => store.fault() === "the database is read-only");
    await assert.rejects(store.keys.create({ name: "a", hash: "a", hint: "" }), refused("the database is read-only"));
    assert.equal(await store.documents.get("house", "state"), 1);
    assert.equal(store.fault(), "the database is read-only");
    server.sql("ALTER ROLE zaguan RESET default_transaction_read_only");
    server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'zaguan'");
    await back();
    await store.documents.put("house", "state", 2);
  });

  it("because its disk is full: says so, keeps nothing of it, and goes on when there is room", async (t) => {
    const place = join(server.folder, "small");
    mkdirSync(place);
    if (!ran("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place))
      return t.skip("only root can mount a small disk");
    try {
      const { uid, gid } = ownerOf();
      chownSync(place, uid, gid);
      server.sql(`CREATE TABLESPACE small LOCATION '${place}'`);
      server.sql(`ALTER TABLE faults_${count}.documents SET TABLESPACE small`);
      // Random, so that it does not become small when it is compressed.
      const large = randomBytes(4_000_000).toString("base64");
      await assert.rejects(store.documents.put("large", "1", large), refused("the disk is full"));
      assert.equal(await store.documents.get("large", "1"), undefined);
      await back();
      server.sql(`DROP SCHEMA faults_${count} CASCADE`);
      server.sql("DROP TABLESPACE small");
    } finally {
      ran("umount", place);
    }
  });

  it("does not tell the password to anybody", async () => {
    await server.stop();
    const errors = await Promise.all([
      store.documents.put("a", "b", 1).catch((cause) => cause),
      store.documents.get("a", "b").catch((cause) => cause),
    ]);
    const { inspect } = await import("node:util");
    for (const error of errors) assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /secret/);
    await server.start();
    await back();
  });
});

function ran(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}
