/** Several nodes on one database: they start together, write at the same time, and lose their connections. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { MIGRATIONS } from "../../src/store/migrations/index.ts";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { openPostgresDriver, type PostgresDriver } from "../../src/store/postgres/driver.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { Store } from "../../src/store/store.ts";
import { findTool, names, newAgent, newServer, serverWith, tools } from "../contract/registry-fixtures.ts";
import { increment } from "../contract/store-suite.ts";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { NO_POSTGRES, type Postgres, startPostgres } from "../support/postgres.ts";

describe("nodes on one PostgreSQL", { skip: NO_POSTGRES }, () => {
  let server: Postgres;
  let count = 0;
  const open: { close(): Promise<void> }[] = [];
  before(async () => {
    server = await startPostgres();
  });
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });
  after(() => server?.dispose());

  const openStore = async (url: string): Promise<Store> => {
    const store = await openPostgresStore(parseAddress(url, {}));
    open.push(store);
    return store;
  };
  const openDriver = async (url: string): Promise<PostgresDriver> => {
    const driver = await openPostgresDriver(parseAddress(url, {}));
    open.push(driver);
    return driver;
  };
  const nodes = async (number: number): Promise<readonly Store[]> => {
    const url = server.url(`nodes_${++count}`);
    return Promise.all(Array.from({ length: number }, () => openStore(url)));
  };

  it("migrate once, though three start at the same moment on nothing", async () => {
    const [one] = await nodes(3);
    assert.ok(one);
    const applied = server.sql(`SELECT count(*), count(DISTINCT version) FROM nodes_${count}.schema_version`);
    assert.equal(applied, `${MIGRATIONS.length}|${MIGRATIONS.length}`);
    assert.equal(one.address, `postgres://127.0.0.1:${server.port}/postgres?schema=nodes_${count}`);
  });

  it("refuse the database of a newer Zaguan in one clear sentence", async () => {
    await nodes(1);
    server.sql(`INSERT INTO nodes_${count}.schema_version VALUES (99, 'future', '')`);
    await assert.rejects(openStore(server.url(`nodes_${count}`)), {
      name: "TypeError",
      message:
        /^The database was written by a newer Zaguan \(its schema is 99, this one knows up to \d+\): update Zaguan/,
    });
  });

  it("lose none of the changes of a document that none of them had made before", async () => {
    const stores = await nodes(3);
    const all = stores.flatMap((store) =>
      Array.from({ length: 20 }, () => store.documents.update("counter", "n", increment)),
    );
    const seen = (await Promise.all(all)) as number[];
    assert.deepEqual(
      seen.sort((a, b) => a - b),
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
  });

  it("let one of many take a name, and tell the others that it is taken", async () => {
    const stores = await nodes(3);
    const makers: readonly ((store: Store, n: number) => Promise<unknown>)[] = [
      (store: Store) => store.registry.servers.create(newServer("house")),
      (store: Store) => store.registry.agents.create(newAgent("ana")),
      (store: Store, n: number) => store.keys.create({ name: "phone", hash: `${n}`, hint: "" }),
    ];
    for (const make of makers) {
      const results = await Promise.allSettled([...stores, ...stores, ...stores].map(make));
      const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason.name] : []));
      assert.deepEqual(
        refused,
        Array.from({ length: 8 }, () => "NameTaken"),
      );
    }
  });

  it("tell that an agent is gone which another deletes at that moment, or make its key before", async () => {
    const [one, two] = await nodes(2);
    assert.ok(one && two);
    for (let n = 0; n < 10; n++) {
      const { id: agentId }: { id: string } = await one.registry.agents.create(newAgent(`agent ${n}`));
      const [made]: readonly PromiseSettledResult<unknown>[] = await Promise.allSettled([
        one.keys.create({ name: `key ${n}`, hash: `${n}`, hint: "", agentId }),
        two.registry.agents.delete(agentId),
      ]);
      if (made?.status === "rejected") assert.equal(made.reason.name, "Dangling");
    }
    assert.deepEqual(await one.keys.list(), []);
  });

  it("write to the same servers in another order, and none is refused for it", async () => {
    const [one, two] = await nodes(2);
    assert.ok(one && two);
    const ids = await Promise.all(["a", "b"].map((name) => serverWith(one.registry, name, ...tools("x"))));
    const drivers = await Promise.all([1, 2].map(() => openDriver(server.url(`nodes_${count}`))));
    const write = (driver: PostgresDriver | undefined, order: readonly string[]) =>
      driver?.transaction(async (tx) => {
        for (const id of order) {
          await tx.run("UPDATE servers SET last_error = ? WHERE id = ?", order.join(" "), id);
          await tx.first("SELECT pg_sleep(0.05)");
        }
      });
    await Promise.all([write(drivers[0], ids), write(drivers[1], ids.toReversed())]);
  });

  it("go on after another node has changed the tables beneath them", async () => {
    const [one] = await nodes(1);
    assert.ok(one);
    const id = await serverWith(one.registry, "house", ...tools("a"));
    const use = async (name: string) => {
      assert.equal((await one.registry.servers.get(id))?.id, id);
      assert.equal((await one.registry.servers.change(id, { name }))?.name, name);
    };
    for (const name of ["one", "two"]) await use(name);
    server.sql(`ALTER TABLE nodes_${count}.servers ADD COLUMN later TEXT`);
    for (const name of ["three", "four"]) await use(name);
  });

  it("find a version that is a number, and counts", async () => {
    const [one] = await nodes(1);
    assert.ok(one);
    const before = await one.registry.tools.version();
    await serverWith(one.registry, "house", ...tools("a"));
    const after = await one.registry.tools.version();
    assert.ok(Number.isSafeInteger(before) && after > before && before > Date.parse("2026-01-01"));
  });

  it("lose their connections, and readers and transactions do not notice", async () => {
    const [one] = await nodes(1);
    assert.ok(one);
    const id = await serverWith(one.registry, "house", ...tools("a"));
    const cut = () =>
      server.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'zaguan'");
    cut();
    assert.equal((await findTool(one.registry, id, "a")).name, "a");
    cut();
    assert.equal((await one.registry.servers.change(id, { name: "casa" }))?.name, "casa");
    assert.deepEqual(names(await one.registry.servers.list()), ["casa"]);
  });

  it("begin a transaction anew whose connection was cut before its end", async () => {
    const driver = await openDriver(server.url("postgres"));
    server.sql("CREATE SCHEMA postgres; CREATE TABLE postgres.t (n INTEGER)");
    let tries = 0;
    await driver.transaction(async (tx) => {
      await tx.run("INSERT INTO t VALUES (?)", ++tries);
      if (tries > 1) return;
      server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'INSERT INTO t%'");
      await tx.first("SELECT 1 AS n");
    });
    assert.equal(server.sql("SELECT string_agg(n::text, ',') FROM postgres.t"), "2");
  });

  describe("behind a wire that is cut", () => {
    it("in the middle of COMMIT: tell that nobody knows, and write nothing twice", async () => {
      const [through] = await nodes(1);
      assert.ok(through);
      const proxy = await cuttingProxy(server.port, "COMMIT");
      open.push(proxy);
      const url = server.url(`nodes_${count}`).replace(`:${server.port}/`, `:${proxy.port}/`);
      const node = await openStore(`${url}&sslmode=disable`);
      proxy.arm();
      await assert.rejects(node.registry.agents.create(newAgent("ana")), {
        code: "STORE_UNAVAILABLE",
        message: /the connection to the database was lost while it was writing: it may have been stored or not/,
      });
      assert.ok((await through.registry.agents.count()) <= 1);
      assert.equal((await node.registry.agents.create(newAgent("eva"))).name, "eva");
    });

    it("in the middle of a single write: the same", async () => {
      await nodes(1);
      const proxy = await cuttingProxy(server.port, "numbered");
      open.push(proxy);
      const url = server.url(`nodes_${count}`).replace(`:${server.port}/`, `:${proxy.port}/`);
      const node = await openStore(`${url}&sslmode=disable`);
      proxy.arm();
      await assert.rejects(node.documents.put("numbered", "1", 1), { message: /it may have been stored or not/ });
    });
  });
});
