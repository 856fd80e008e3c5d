/** The table of owners in PostgreSQL: the same suite as the reference, and what happens when nodes ask at the same moment. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { LeaseRequest, OwnerRow } from "../../src/cluster/lease-requests.ts";
import type { LeaseTable } from "../../src/cluster/lease-table.ts";
import type { Peer } from "../../src/cluster/peer.ts";
import { parseAddress } from "../../src/store/postgres/address.ts";
import { openPostgresDriver } from "../../src/store/postgres/driver.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { Store } from "../../src/store/store.ts";
import { byKey, describeLeaseTable, LONG_MS } from "../contract/ports/lease-table-suite.ts";
import { OwnerTable } from "../simulation/database.ts";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { NO_POSTGRES, type Postgres, startPostgres } from "../support/postgres.ts";
import { Random, runs } from "../support/seed.ts";

const NODES = ["a", "b", "c"];
const KEYS = Array.from({ length: 200 }, (_, n) => `source ${n}`);

interface Node {
  readonly peer: Peer;
  readonly table: LeaseTable;
}

describe("leases in PostgreSQL", { skip: NO_POSTGRES }, () => {
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

  const newSchema = () => server.url(`leases_${++count}`);
  const openStore = async (url: string): Promise<Store & { readonly leases: LeaseTable }> => {
    const store = await openPostgresStore(parseAddress(url, {}));
    open.push(store);
    const { leases } = store;
    assert.ok(leases);
    return { ...store, leases };
  };
  const openNode = async (url: string, node: string): Promise<Node> => {
    const { leases: table } = await openStore(url);
    return { peer: { node, boot: await table.nextBoot(node) }, table };
  };
  const openNodes = (url = newSchema()): Promise<Node[]> => Promise.all(NODES.map((node) => openNode(url, node)));

  describeLeaseTable("PostgreSQL", async () => {
    const { leases: table } = await openStore(newSchema());
    return { table, pass: (ms) => sleep(ms) };
  });

  it("answers as the reference does, whatever is asked in whatever order", async () => {
    const { leases } = await openStore(newSchema());
    const reference = new OwnerTable(() => 1);
    const boots = await Promise.all(["a", "a", "b"].map(async (node) => ({ node, boot: await leases.nextBoot(node) })));
    const random = new Random();
    for (let n = 0; n < runs(2_000); n++) {
      const [by, request] = [random.pick(boots), randomRequest(random, reference)];
      const expected = comparable(reference.execute(by, request));
      assert.deepEqual(comparable(await leases.request(by, request)), expected, JSON.stringify([n, by, request]));
    }
  });

  it("gives a key to one of the nodes that claim it at the same moment, and tells the others to whom", async () => {
    const nodes = await openNodes();
    const [random, epochs] = [new Random(), new Map<string, number>()];
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(nodes.map((node) => claim(node, shuffled(random, KEYS).slice(0, 120))));
      const rows = Map.groupBy(answers.flat(), ({ key }) => key);
      for (const [key, [first, ...others]] of rows) {
        assert.ok(first && nodes.some(({ peer }) => peer.boot === first.boot));
        for (const other of others) assert.deepEqual([other.boot, other.epoch], [first.boot, first.epoch]);
        assert.equal(first.epoch, (epochs.get(key) ?? 0) + 1);
        epochs.set(key, first.epoch);
      }
      const held = [...rows.values()].flatMap(([row]) => row ?? []);
      await Promise.all(nodes.map((node) => release(node, shuffled(random, held))));
    }
  });

  it("tells each of those who take a key by force at the same moment from whom", async () => {
    const nodes = await openNodes();
    const random = new Random();
    let holders = new Map<string, OwnerRow>();
    for (let round = 0; round < 20; round++) {
      // Some keys are new until the tenth round: a row that is just being made is taken in the same way.
      const keys = KEYS.slice(0, 20 * (round + 1));
      const answers = await Promise.all(nodes.map((node) => claim(node, shuffled(random, keys), true)));
      const next = new Map<string, OwnerRow>();
      for (const [key, rows] of Map.groupBy(answers.flat(), (row) => row.key)) {
        let holder = holders.get(key);
        for (const row of rows.toSorted((one, other) => one.epoch - other.epoch)) {
          // Whoever holds it already goes on under the same epoch.
          assert.equal(row.epoch, holder?.boot === row.boot ? holder?.epoch : (holder?.epoch ?? 0) + 1);
          assert.deepEqual(row.before, holder && { node: holder.node, boot: holder.boot });
          holder = row;
        }
        if (holder) next.set(key, holder);
      }
      holders = next;
    }
  });

  it("lets nobody wait for ever, and gives no epoch to two, whatever the nodes ask at the same moment", async () => {
    const nodes = await openNodes();
    const random = new Random();
    const [holders, highest] = [new Map<string, string>(), new Map<string, number>()];
    const note = (rows: readonly OwnerRow[]): void => {
      for (const { key, boot, epoch } of rows) {
        highest.set(key, Math.max(highest.get(key) ?? 0, epoch));
        if (boot === undefined) continue;
        const name = `${key} ${epoch}`;
        assert.equal(boot, holders.get(name) ?? boot, name);
        holders.set(name, boot);
      }
    };
    for (let round = 0; round < 30; round++) {
      const asked = nodes.flatMap((node) => {
        const epochs = shuffled(random, KEYS).map((key) => ({ key, epoch: highest.get(key) ?? 1 }));
        const force = random.chance(3);
        return [
          claim(node, shuffled(random, KEYS).slice(0, 150), force),
          node.table.request(node.peer, { kind: "renew", leaseMs: LONG_MS, keys: epochs.slice(0, 150) }),
          release(node, epochs.slice(100)),
        ];
      });
      for (const rows of await Promise.all(asked)) note(rows);
    }
    assert.ok([...highest.values()].some((epoch) => epoch > 10));
    assert.doesNotMatch(server.log(), /deadlock/);
  });

  it("counts boots for several nodes at once, and behind the last one though the clock was set back", async () => {
    const url = newSchema();
    const stores = await Promise.all(NODES.map(() => openStore(url)));
    const lists = await Promise.all(
      stores.map(async ({ leases }) => {
        const own: string[] = [];
        for (let n = 0; n < 50; n++) own.push(await leases.nextBoot("a"));
        return own;
      }),
    );
    for (const own of lists) assert.deepEqual(own.toSorted(), own);
    assert.equal(new Set(lists.flat()).size, 150);
    server.sql(`UPDATE leases_${count}.boots SET last = 9000000000000`);
    assert.equal(await stores[0]?.leases.nextBoot("a"), "0009000000000001");
  });

  it("rejects where the answer is lost, and the claim that is made again finds its epoch", async () => {
    const url = newSchema();
    await openStore(url);
    const proxy = await cuttingProxy(server.port, "cut here");
    open.push(proxy);
    const node = await openNode(`${url.replace(`:${server.port}/`, `:${proxy.port}/`)}&sslmode=disable`, "a");
    proxy.arm();
    await assert.rejects(claim(node, ["cut here"]), { message: /it may have been stored or not/ });
    const [row] = await claim(node, ["cut here"]);
    assert.deepEqual([row?.boot, row?.epoch], [node.peer.boot, 1]);
  });

  it("rejects while the database is away, and goes on when it is back", async () => {
    const node = await openNode(newSchema(), "a");
    await claim(node, ["lamp"]);
    await server.stop();
    await assert.rejects(claim(node, ["door"]), { code: "STORE_UNAVAILABLE" });
    await server.start();
    const renew: LeaseRequest = { kind: "renew", leaseMs: LONG_MS, keys: [{ key: "lamp", epoch: 1 }] };
    const answered = async (): Promise<readonly OwnerRow[]> =>
      node.table.request(node.peer, renew).catch(() => sleep(100).then(answered));
    assert.equal((await answered())[0]?.boot, node.peer.boot);
  });

  it("answers while everything else that the hub wants of the database has to wait", async () => {
    const url = newSchema();
    const [store, driver] = [await openStore(url), await openPostgresDriver(parseAddress(url, {}))];
    open.push(driver);
    const node: Node = { peer: { node: "a", boot: await store.leases.nextBoot("a") }, table: store.leases };
    const waiting = await driver.transaction(async (tx) => {
      await tx.script("LOCK TABLE documents");
      const puts = Array.from({ length: 10 }, (_, n) => store.documents.put("waiting", `${n}`, n));
      assert.equal((await claim(node, KEYS)).length, KEYS.length);
      assert.equal((await release(node, await claim(node, KEYS))).length, KEYS.length);
      return puts;
    });
    await Promise.all(waiting);
  });

  it("does not wait longer for others than a lease can spare", async () => {
    const url = newSchema();
    const [node, driver] = [await openNode(url, "a"), await openPostgresDriver(parseAddress(url, {}))];
    open.push(driver);
    await driver.transaction(async (tx) => {
      await tx.script("LOCK TABLE owners");
      await assert.rejects(claim(node, ["lamp"]), { code: "STORE_UNAVAILABLE" });
    });
    assert.equal((await claim(node, ["lamp"]))[0]?.epoch, 1);
  });
});

function claim({ table, peer }: Node, keys: readonly string[], force = false): Promise<OwnerRow[]> {
  return table.request(peer, { kind: "claim", leaseMs: LONG_MS, keys: keys.map((key) => ({ key, above: 0, force })) });
}

function release({ table, peer }: Node, rows: readonly { key: string; epoch: number }[]): Promise<OwnerRow[]> {
  return table.request(peer, { kind: "release", keys: rows.map(({ key, epoch }) => ({ key, epoch })) });
}

/** Of a few keys; a lease lasts for ever or not at all, so that no clock has to be waited for. */
function randomRequest(random: Random, owners: OwnerTable): LeaseRequest {
  const keys = shuffled(random, KEYS.slice(0, 6)).slice(0, 1 + random.int(6));
  const leaseMs = random.pick([0, LONG_MS]);
  const near = (key: string): number => Math.max(0, owners.epochOf(key) + random.int(4) - 2);
  const claims = keys.map((key) => ({ key, above: near(key), force: random.chance(5) }));
  const epochs = keys.map((key) => ({ key, epoch: near(key) }));
  return random.pick<LeaseRequest>([
    { kind: "claim", leaseMs, keys: claims },
    { kind: "renew", leaseMs, keys: epochs },
    { kind: "release", keys: epochs },
    { kind: "locate", keys: epochs },
  ]);
}

/** How much of a lease is left differs; that something is does not. */
function comparable(rows: readonly OwnerRow[]): unknown {
  return byKey(rows).map(({ leftMs, before, ...row }) => ({ ...row, isRunning: leftMs > 0, before }));
}

function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: random.fraction() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
