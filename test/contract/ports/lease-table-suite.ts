/** What every table of owners promises: each rule of src/cluster/lease-requests.ts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ClaimedKey, LeaseRequest, OwnerRow } from "../../../src/cluster/lease-requests.ts";
import type { LeaseTable } from "../../../src/cluster/lease-table.ts";
import type { Peer } from "../../../src/cluster/peer.ts";

/** Longer than any test takes. */
export const LONG_MS = 600_000;
const MANY = 2_000;
const ODD_KEYS = [
  " ",
  "a b",
  "'",
  '"',
  "\\",
  "\\'",
  "{}",
  '{"a":[1,null]}',
  "NULL",
  "a,b",
  "?",
  "$1",
  "%",
  "\n",
  "\u{F8E0}",
];
const FOREIGN_KEYS = ["salón", "e\u0301", "\u00e9", "客厅", "🏠", "A", "a", "x".repeat(400)];

export interface LeasesUnderTest {
  readonly table: LeaseTable;
  /** Lets at least so much time pass on the table's clock. */
  pass(ms: number): Promise<void>;
}

/** `open` makes an empty one. */
export function describeLeaseTable(name: string, open: () => Promise<LeasesUnderTest>): void {
  describe(`lease table: ${name}`, () => {
    /** A table, and runs of the nodes a and b that ask it. */
    const begin = async () => {
      const { table, pass } = await open();
      return { table, pass, a: await newRun(table, "a"), b: await newRun(table, "b") };
    };

    describe("a claim", () => {
      it("takes a key of which there is no row, under the first epoch, for as long as it says", async () => {
        const { a } = await begin();
        const row = await a.claim("lamp");
        assert.deepEqual(whose(row), held(a, 1));
        assert.ok(row.leftMs > LONG_MS / 2 && row.leftMs <= LONG_MS, `${row.leftMs}`);
        assert.equal(row.before, undefined);
      });

      it("is refused while another holds the key, and answered with who does", async () => {
        const { a, b } = await begin();
        await a.claim("lamp");
        const refused = await b.claim("lamp", { above: 7, leaseMs: 3 * LONG_MS });
        assert.deepEqual(whose(refused), held(a, 1));
        assert.ok(refused.leftMs > 0 && refused.leftMs <= LONG_MS, `${refused.leftMs}`);
        assert.equal(refused.before, undefined);
        assert.deepEqual(whose(await a.locate("lamp")), held(a, 1));
      });

      it("is refused to a later run of the same node", async () => {
        const { table, a } = await begin();
        await a.claim("lamp");
        const later = await newRun(table, "a");
        assert.deepEqual(whose(await later.claim("lamp")), held(a, 1));
      });

      it("takes what was released, from nobody", async () => {
        const { a, b } = await begin();
        await a.claim("lamp");
        await a.release("lamp", 1);
        const row = await b.claim("lamp");
        assert.deepEqual([whose(row), row.before], [held(b, 2), undefined]);
      });

      it("takes what has expired, and tells whose it was", async () => {
        const { pass, a, b } = await begin();
        await a.claim("lamp", { leaseMs: 100 });
        await pass(150);
        assert.deepEqual([whose(await b.locate("lamp")), (await b.locate("lamp")).leftMs], [held(a, 1), 0]);
        const row = await b.claim("lamp");
        assert.deepEqual([whose(row), row.before], [held(b, 2), a.peer]);
      });

      it("takes by force what another holds, and tells whose it was", async () => {
        const { a, b } = await begin();
        await a.claim("lamp");
        const row = await b.claim("lamp", { force: true });
        assert.deepEqual([whose(row), row.before], [held(b, 2), a.peer]);
        const back = await a.claim("lamp", { force: true });
        assert.deepEqual([whose(back), back.before], [held(a, 3), b.peer]);
        const first = await b.claim("door", { force: true });
        assert.deepEqual([whose(first), first.before], [held(b, 1), undefined]);
      });

      it("begins with an epoch over the one that it names, and over the one that was", async () => {
        const { a, b } = await begin();
        assert.equal((await a.claim("lamp", { above: 7 })).epoch, 8);
        await a.release("lamp", 8);
        assert.equal((await b.claim("lamp", { above: 3 })).epoch, 9);
        await b.release("lamp", 9);
        assert.equal((await a.claim("lamp", { above: 20 })).epoch, 21);
        assert.equal((await b.claim("lamp", { above: 30, force: true })).epoch, 31);
      });

      it("that is made again, because its answer was lost, finds the epoch that it was given", async () => {
        const { a, b } = await begin();
        await a.claim("lamp", { above: 3, leaseMs: 100 });
        for (const force of [false, true]) {
          const again = await a.claim("lamp", { above: 3, force });
          assert.deepEqual(whose(again), held(a, 4));
          assert.ok(again.leftMs > LONG_MS / 2, `${again.leftMs}`);
          assert.ok([undefined, a.peer.boot].includes(again.before?.boot), "nobody else has had it");
        }
        assert.deepEqual(whose(await b.claim("lamp")), held(a, 4));
      });

      it("of what is ours begins another epoch where ours is over", async () => {
        const { a } = await begin();
        await a.claim("lamp");
        assert.deepEqual(whose(await a.claim("lamp", { above: 1 })), held(a, 2));
        assert.deepEqual(whose(await a.claim("lamp", { above: 6 })), held(a, 7));
      });

      it("of many keys decides upon each by itself", async () => {
        const { table, a, b } = await begin();
        for (const key of ["held", "forced", "own"]) await a.claim(key);
        await b.claim("released");
        await b.release("released", 1);
        await b.claim("mine");
        const keys = [wanted("own"), wanted("forced", 4, true), wanted("new", 2), wanted("mine"), wanted("held", 9)];
        const rows = await table.request(b.peer, {
          kind: "claim",
          leaseMs: LONG_MS,
          keys: [...keys, wanted("released")],
        });
        const { peer } = a;
        assert.deepEqual(
          byKey(rows).map((row) => [row.key, whose(row), row.before?.boot === peer.boot]),
          [
            ["forced", held(b, 5), true],
            ["held", held(a, 1), false],
            ["mine", held(b, 1), false],
            ["new", held(b, 3), false],
            ["own", held(a, 1), false],
            ["released", held(b, 2), false],
          ],
        );
      });
    });

    describe("a renewal", () => {
      it("is for as long as it says, from now", async () => {
        const { a, b } = await begin();
        await a.claim("lamp", { leaseMs: 100 });
        const row = await a.renew("lamp", 1);
        assert.deepEqual(whose(row), held(a, 1));
        assert.ok(row.leftMs > LONG_MS / 2 && row.leftMs <= LONG_MS, `${row.leftMs}`);
        assert.deepEqual(whose(await b.claim("lamp")), held(a, 1));
      });

      it("may come late, if nobody was quicker", async () => {
        const { a, b } = await begin();
        await a.claim("lamp", { leaseMs: 0 });
        await a.renew("lamp", 1);
        assert.deepEqual(whose(await b.claim("lamp")), held(a, 1));
      });

      it("of another epoch or another run does nothing, and tells who holds the key", async () => {
        const { table, a, b } = await begin();
        const later = await newRun(table, "a");
        await a.claim("lamp", { above: 4, leaseMs: 0 });
        for (const [run, epoch] of [
          [a, 4],
          [a, 6],
          [b, 5],
          [later, 5],
        ] as const) {
          const row = await run.renew("lamp", epoch);
          assert.deepEqual([whose(row), row.leftMs], [held(a, 5), 0]);
        }
        await b.claim("lamp");
        assert.deepEqual(whose(await a.renew("lamp", 5)), held(b, 6));
      });

      it("makes no row, and wakes none that was released", async () => {
        const { table, a } = await begin();
        const request: LeaseRequest = { kind: "renew", leaseMs: LONG_MS, keys: [{ key: "lamp", epoch: 0 }] };
        assert.deepEqual(await table.request(a.peer, request), []);
        assert.deepEqual(await table.request(a.peer, { kind: "locate", keys: [{ key: "lamp" }] }), []);
        await a.claim("lamp");
        await a.release("lamp", 1);
        assert.deepEqual(whose(await a.renew("lamp", 1)), free(1));
      });
    });

    describe("a release", () => {
      it("leaves the key to nobody, and its epoch where it was", async () => {
        const { a } = await begin();
        await a.claim("lamp", { above: 4 });
        const row = await a.release("lamp", 5);
        assert.deepEqual([whose(row), row.leftMs], [free(5), 0]);
        const again = await a.release("lamp", 5);
        assert.deepEqual([whose(again), again.leftMs], [free(5), 0]);
      });

      it("of another epoch or another run does nothing, and tells who holds the key", async () => {
        const { table, a, b } = await begin();
        const later = await newRun(table, "a");
        await a.claim("lamp", { above: 4 });
        for (const [run, epoch] of [
          [a, 4],
          [a, 6],
          [b, 5],
          [later, 5],
        ] as const) {
          assert.deepEqual(whose(await run.release("lamp", epoch)), held(a, 5));
        }
        assert.deepEqual(await table.request(a.peer, { kind: "release", keys: [{ key: "door", epoch: 0 }] }), []);
      });
    });

    it("only looks where it is asked who holds a key, and says nothing of one that nobody ever claimed", async () => {
      const { table, pass, a, b } = await begin();
      await a.claim("lamp");
      await pass(50);
      const keys = ["lamp", "door"].map((key) => ({ key }));
      const rows = await table.request(b.peer, { kind: "locate", keys });
      assert.deepEqual(rows.map(whose), [held(a, 1)]);
      assert.ok((rows[0]?.leftMs ?? 0) <= LONG_MS - 40, "time passes");
      assert.deepEqual(whose(await b.claim("door")), held(b, 1));
    });

    it("answers to no keys with no rows", async () => {
      const { table, a } = await begin();
      for (const kind of ["claim", "renew", "release", "locate"] as const) {
        assert.deepEqual(await table.request(a.peer, { kind, leaseMs: LONG_MS, keys: [] }), []);
      }
    });

    it("takes many keys at once", async () => {
      const { table, a, b } = await begin();
      const keys = Array.from({ length: MANY }, (_, n) => `source ${(n * 7) % MANY}`);
      const sorted = keys.toSorted();
      const each = async (by: Peer, request: LeaseRequest, peer: Partial<Peer>): Promise<void> => {
        const rows = byKey(await table.request(by, request));
        assert.deepEqual(
          rows.map(({ key }) => key),
          sorted,
          request.kind,
        );
        assert.ok(
          rows.every((row) => row.boot === peer.boot && row.epoch === 1),
          request.kind,
        );
      };
      const ours = keys.map((key) => ({ key, epoch: 1 }));
      await each(a.peer, { kind: "claim", leaseMs: LONG_MS, keys: keys.map((key) => wanted(key)) }, a.peer);
      await each(
        b.peer,
        { kind: "claim", leaseMs: LONG_MS, keys: keys.toReversed().map((key) => wanted(key)) },
        a.peer,
      );
      await each(a.peer, { kind: "renew", leaseMs: LONG_MS, keys: ours }, a.peer);
      await each(b.peer, { kind: "release", keys: ours }, a.peer);
      await each(b.peer, { kind: "locate", keys: ours }, a.peer);
      await each(a.peer, { kind: "release", keys: ours.toReversed() }, {});
    });

    it("keeps every key to the letter, and apart from those that look like it", async () => {
      const { table, a } = await begin();
      const keys = [...ODD_KEYS, ...FOREIGN_KEYS];
      const odd: Peer = { node: `n'"\\{}🏠`, boot: `${a.peer.boot}'"\\{}` };
      const claims = keys.map((key, index) => wanted(key, index));
      const rows = await table.request(odd, { kind: "claim", leaseMs: LONG_MS, keys: claims });
      const epochs = new Map(rows.map((row) => [row.key, row.epoch]));
      assert.deepEqual(
        keys.map((key) => epochs.get(key)),
        keys.map((_, index) => index + 1),
      );
      assert.ok(rows.every(({ node, boot }) => node === odd.node && boot === odd.boot));
      const ours = keys.map((key, index) => ({ key, epoch: index + 1 }));
      const renewed = await table.request(odd, { kind: "renew", leaseMs: LONG_MS, keys: ours });
      const released = await table.request(odd, { kind: "release", keys: ours });
      const located = await table.request(odd, { kind: "locate", keys: ours });
      assert.deepEqual([renewed.length, released.length, located.length], [keys.length, keys.length, keys.length]);
      assert.ok(located.every(({ boot }) => boot === undefined));
    });

    it("gives each run of a node another boot, and the later ones sort behind the earlier ones", async () => {
      const { table } = await open();
      const boots: { readonly node: string; readonly boot: string }[] = [];
      for (let n = 0; n < 30; n++) {
        const node = n % 3 === 0 ? "b" : "a";
        boots.push({ node, boot: await table.nextBoot(node) });
      }
      assert.equal(new Set(boots.map(({ boot }) => boot)).size, boots.length);
      for (const node of ["a", "b"]) {
        const own = boots.flatMap((each) => (each.node === node ? each.boot : []));
        assert.deepEqual(own.toSorted(), own);
      }
    });
  });
}

/** A run of a node, which asks for one key at a time. */
type Run = Awaited<ReturnType<typeof newRun>>;

async function newRun(table: LeaseTable, node: string) {
  const peer: Peer = { node, boot: await table.nextBoot(node) };
  const ask = async (request: LeaseRequest): Promise<OwnerRow> => {
    const [row, ...others] = await table.request(peer, request);
    assert.ok(row && others.length === 0 && row.key === request.keys[0]?.key);
    return row;
  };
  return {
    peer,
    claim: (key: string, { above = 0, force = false, leaseMs = LONG_MS }: ClaimOptions = {}) =>
      ask({ kind: "claim", leaseMs, keys: [{ key, above, force }] }),
    renew: (key: string, epoch: number) => ask({ kind: "renew", leaseMs: LONG_MS, keys: [{ key, epoch }] }),
    release: (key: string, epoch: number) => ask({ kind: "release", keys: [{ key, epoch }] }),
    locate: (key: string) => ask({ kind: "locate", keys: [{ key }] }),
  };
}

interface ClaimOptions {
  readonly above?: number;
  readonly force?: boolean;
  readonly leaseMs?: number;
}

function wanted(key: string, above = 0, force = false): ClaimedKey {
  return { key, above, force };
}

type Held = Pick<OwnerRow, "node" | "boot" | "epoch">;

function whose({ node, boot, epoch }: OwnerRow): Held {
  return { node, boot, epoch };
}

function held({ peer }: Run, epoch: number): Held {
  return { ...peer, epoch };
}

function free(epoch: number): Held {
  return { node: undefined, boot: undefined, epoch };
}

export function byKey(rows: readonly OwnerRow[]): OwnerRow[] {
  return rows.toSorted((one, other) => (one.key < other.key ? -1 : 1));
}
