/** A hub on PostgreSQL from outside: what is kept, which commands find it, whose key opens it; and moving there and back. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { fillStore } from "../support/full-store.ts";
import { NO_POSTGRES, PASSWORD, type Postgres, startPostgres } from "../support/postgres.ts";
import { RegistryClient } from "../support/registry-client.ts";
import { runZaguan } from "../support/run-zaguan.ts";
import { type SpawnedZaguan, spawnZaguan } from "../support/spawn-zaguan.ts";

describe("a hub on PostgreSQL", { skip: NO_POSTGRES }, () => {
  const folder = mkdtempSync(join(tmpdir(), "zaguan-hub-"));
  const secretKey = randomBytes(32).toString("base64");
  let server: Postgres;
  before(async () => {
    server = await startPostgres();
  });
  after(async () => {
    await server?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const hubOn = (schema: string, env: Readonly<Record<string, string>> = {}): Promise<SpawnedZaguan> =>
    spawnZaguan({ args: ["--database", server.url(schema)], env: { ZAGUAN_SECRET_KEY: secretKey, ...env } });
  const zaguan = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => runZaguan(args, folder, env);

  it("keeps keys, servers and the house over a restart elsewhere, and writes no file of its own for them", async () => {
    const first = await hubOn("house");
    const client = new RegistryClient(first.url);
    assert.equal((await client.post("/keys", { name: "phone" })).status, 201);
    const server1 = {
      name: "letras",
      baseUrl: "http://127.0.0.1:9/mcp",
      authType: "apikey",
      credentials: { apiKey: "k" },
    };
    assert.equal((await client.post("/mcp/servers", server1)).status < 300, true);
    await client.call("/mcp", "set_light_state", { name: "salon", on: true });
    assert.equal(existsSync(join(first.folder, "data", "zaguan.db")), false);
    assert.doesNotMatch(first.stdout() + first.stderr(), /secret/);
    await first.stop();
    const second = await hubOn("house");
    const again = new RegistryClient(second.url);
    assert.deepEqual(
      (await again.get("/keys")).body.map(({ name }: { name: string }) => name),
      ["phone"],
    );
    assert.match(await again.textOf("/mcp", "get_all_states", {}), /"salon":\s*true/);
    assert.match((await again.get("/health")).text, /"store":\{"status":"ok"/);
    await second.stop();
  });

  it("may start three times at the same moment on a new database", async () => {
    const hubs = await Promise.all([hubOn("together"), hubOn("together"), hubOn("together")]);
    const [one, two, three] = hubs.map(({ url }) => new RegistryClient(url));
    assert.equal((await one?.post("/keys", { name: "shared" }))?.status, 201);
    for (const client of [two, three]) assert.equal((await client?.get("/keys"))?.body[0].name, "shared");
    await Promise.all(hubs.map((hub) => hub.stop()));
  });

  it("is refused with another secret key than that of the hub that came first, in one line", async () => {
    await (await hubOn("sealed")).stop();
    const env = { ZAGUAN_SECRET_KEY: randomBytes(32).toString("base64") };
    const args = ["serve", "--port", "0", "--data", join(folder, "other"), "--database", server.url("sealed")];
    const { code, stderr } = await zaguan(args, env);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^zaguan: Cannot open the key for stored credentials: credentials in the database are sealed with another one; set ZAGUAN_SECRET_KEY[^\n]*\n$/,
    );
  });

  it("is what the key command works on: by its option, by the environment, and never beside a running hub", async () => {
    const hub = await hubOn("keys");
    const data = ["--data", join(hub.folder, "data")];
    const made = await zaguan(["key", "create", "phone", ...data, "--database", server.url("keys")]);
    assert.match(made.stdout, /^zgn_/);
    const listed = await zaguan(["key", "list", "--json"], { ZAGUAN_DATABASE: server.url("keys") });
    assert.deepEqual(
      JSON.parse(listed.stdout).map(({ name }: { name: string }) => name),
      ["phone"],
    );
    const beside = await zaguan(["key", "list", ...data]);
    assert.equal(beside.code, 1);
    assert.match(
      beside.stderr,
      /^zaguan: the hub on this data folder uses the database postgres:\/\/127\.0\.0\.1:\d+\/postgres/,
    );
    assert.doesNotMatch(beside.stderr, /secret/);
    const doctor = await zaguan(["doctor", ...data, "--database", server.url("keys")]);
    assert.match(doctor.stdout, /✓ The database postgres:\/\/127\.0\.0\.1:\d+\/postgres\?schema=keys answers/);
    await hub.stop();
    const ill = await zaguan(["doctor", "--port", "0", ...data, "--database", "postgres://u:secret@127.0.0.1:1/db"]);
    assert.match(ill.stdout, /✗ The database cannot be used: nothing listens there\n {2}→ correct --database/);
  });

  describe("to which an embedded hub moves", () => {
    const data = join(folder, "data");
    const back = join(folder, "back");
    const move = (...args: readonly string[]) => zaguan(["move", ...args], { PGPASSWORD: PASSWORD });
    const url = (schema: string) => `postgres://zaguan@127.0.0.1:${server.port}/postgres?schema=${schema}`;

    before(async () => {
      const store = await openSqliteStore(join(data, "zaguan.db"));
      await fillStore(store);
      await store.close();
    });

    it("takes everything there and back again, to the letter", async () => {
      const there = await move("--to", url("moved"), "--data", data);
      assert.deepEqual([there.code, there.stdout.startsWith("Moved ")], [0, true], there.stderr);
      assert.match(there.stderr, /zaguan serve --database postgres:\/\/zaguan@127/);
      const here = await move("--from", url("moved"), "--data", back);
      assert.equal(here.code, 0, here.stderr);
      const [before, after] = [
        await openSqliteStore(join(data, "zaguan.db")),
        await openSqliteStore(join(back, "zaguan.db")),
      ];
      for (const read of [
        (store: typeof before) => store.registry.tools.list({ withMissing: true }),
        (store: typeof before) => store.registry.servers.list(),
        (store: typeof before) => store.keys.list(),
        (store: typeof before) => store.apis.tools(),
        (store: typeof before) => store.sessions.list(10),
        (store: typeof before) => store.registry.tools.version(),
      ]) {
        assert.deepEqual(await read(after), await read(before));
      }
      await before.close();
      await after.close();
      const moved = await openPostgresStore(parseAddress(server.url("moved"), {}));
      assert.ok((await moved.registry.agents.create({ name: "new", autonomy: "Auto" })).id);
      await moved.close();
    });

    it("refuses a target that is not empty, at both ends", async () => {
      const there = await move("--to", url("moved"), "--data", data);
      assert.deepEqual(
        [there.code, /^zaguan: the target holds data already \(agents: \d+\)/.test(there.stderr)],
        [1, true],
      );
      const here = await move("--from", url("moved"), "--data", data);
      assert.deepEqual([here.code, /the target holds data already/.test(here.stderr)], [1, true]);
    });

    it("refuses while a hub runs on the data folder, and where there is nothing to move", async () => {
      const hub = await spawnZaguan();
      const running = await move("--to", url("other"), "--data", join(hub.folder, "data"));
      assert.match(running.stderr, /^zaguan: a hub is running on .*: stop it first\n$/);
      await hub.stop();
      const nothing = await move("--to", url("other"), "--data", join(folder, "none"));
      assert.match(nothing.stderr, /^zaguan: there is no database in .* to move\n$/);
      const empty = await move("--from", url("nobody"), "--data", join(folder, "none"));
      assert.match(
        empty.stderr,
        /there is no database in postgres:\/\/127\.0\.0\.1:\d+\/postgres\?schema=nobody to move/,
      );
      assert.equal(existsSync(join(folder, "none", "zaguan.db")), false);
      assert.equal(server.sql("SELECT count(*) FROM pg_namespace WHERE nspname IN ('other', 'nobody')"), "0");
    });

    it("needs one address, and tells what is wrong with it", async () => {
      assert.equal((await move()).code, 2);
      assert.equal((await move("--to", url("x"), "--from", url("y"))).code, 2);
      const wrong = await move("--to", "postgres://u:secret@127.0.0.1:1/db", "--data", data);
      assert.equal(wrong.stderr, "zaguan: cannot move: nothing listens there\n");
    });
  });
});
