/** The whole cluster as each of its nodes shows it, over a bus in memory. With real processes: test/cluster/one-view.test.ts. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { aHome, FakeHomes } from "../../../test/support/fake-homes.ts";
import { type HubNode, HubNodes, LAMP } from "../../../test/support/hub-nodes.ts";
import { ALICE, BOB } from "../../../test/support/make-call.ts";
import { callOf, failureOf, untilAborted } from "../../../test/support/open-hub.ts";
import { until } from "../../../test/support/processes.ts";
import type { Principal } from "../../core/call.ts";
import type { RemoteCallWatch } from "../../doors/cluster/cluster-api.ts";
import type { CallRow, HomeChange } from "../../doors/live/views.ts";
import { Statistics } from "../../observe/statistics.ts";
import { makeCallBoard } from "../call-board.ts";
import { hubStatus } from "../hub-status.ts";
import { OneView } from "./one-view.ts";

const ADMIN: Principal = { id: "local", kind: "local", name: "local", admin: true };
const ALL = { most: 100 };

function viewOf({ hub, node, journal }: HubNode, houseLive: FakeHomes = new FakeHomes()): OneView {
  return new OneView(node, {
    calls: makeCallBoard(hub, journal),
    status: () => hubStatus({ hub, startedAt: Date.now(), nodeOf: (source) => node.holderOf(source) }),
    statistics: new Statistics(),
    queue: () => hub.queue(),
    houseLive,
    report: (cause) => assert.fail(String(cause)),
  });
}

const told = (rows: readonly CallRow[]): string[] => rows.map((row) => `${row.node} ${row.tool} ${row.state}`);

describe("one view of three nodes", () => {
  const cluster = new HubNodes("echo", "slow");
  const views = new Map<string, OneView>();
  const homes = new FakeHomes();
  const open: RemoteCallWatch[] = [];
  let owner: HubNode;
  let others: readonly HubNode[];
  before(async () => {
    await cluster.start("uno", "dos", "tres");
    cluster.behaviours["slow"] = untilAborted;
    owner = cluster.owner;
    others = cluster.others;
    for (const node of cluster.nodes) views.set(node.name, viewOf(node, node === owner ? homes : undefined));
  });
  afterEach(() => {
    for (const watch of open.splice(0)) watch.close();
  });
  after(() => cluster.close());

  const view = ({ name }: HubNode): OneView => views.get(name) as OneView;
  const [first, second] = [() => others[0] as HubNode, () => others[1] as HubNode];
  /** A call at this node that runs until it is cancelled. */
  const slowAt = async ({ hub, name }: HubNode, principal = ALICE): Promise<{ id: number; over: Promise<unknown> }> => {
    const over = failureOf(hub.call(callOf("slow", { principal })));
    const row = (): CallRow | undefined => makeCallBoard(hub, cluster.owner.journal).running(ADMIN)[0];
    await until(`it runs at ${name}`, () => row()?.state === "running");
    return { id: row()?.id ?? 0, over };
  };
  const watching = async (node: HubNode, principal: Principal): Promise<RemoteCallWatch> => {
    const watch = view(node).watch(principal);
    open.push(watch);
    await watch.ready();
    return watch;
  };

  it("shows a call of each node with its node, once, wherever its source is", async () => {
    await first().hub.call(callOf("echo"));
    const seen = await view(second()).calls(ALL, ADMIN);
    assert.deepEqual([told(seen.rows), seen.total, seen.missing], [[`${first().name} echo ended`], 1, []]);
    assert.deepEqual((await view(first()).calls(ALL, ADMIN)).rows, [], "its own rows are not asked for");
  });

  it("shows administrators everybody's and all others their own, wherever they ask", async () => {
    await owner.hub.call(callOf("echo", { principal: BOB }));
    const rowsFor = async (principal: Principal) => told((await view(first()).calls(ALL, principal)).rows);
    assert.deepEqual(await rowsFor(BOB), [`${owner.name} echo ended`]);
    assert.deepEqual(await rowsFor({ ...ALICE, id: "key:eve" }), []);
    const [row] = (await view(first()).calls(ALL, BOB)).rows;
    const place = { node: owner.name, id: row?.id ?? 0 };
    assert.equal((await view(first()).call(place, BOB))?.node, owner.name);
    assert.equal(await view(first()).call(place, ALICE), undefined);
    assert.equal(await view(first()).cancel(place, ALICE), undefined);
    assert.equal(await view(first()).cancel(place, BOB), "ended");
    assert.equal(await view(first()).call({ node: "nobody", id: 1 }, ADMIN), undefined);
  });

  it("finds by words and state, no more rows than asked for, and tells how many there are", async () => {
    for (let call = 0; call < 3; call++) await first().hub.call(callOf("echo"));
    const found = await view(second()).calls({ search: "ECHO alice", state: "ended", most: 2 }, ADMIN);
    assert.equal(found.rows.length, 2);
    assert.ok(found.total >= 4, `${found.total}`);
    assert.equal((await view(second()).calls({ search: "nothing", most: 2 }, ADMIN)).total, 0);
  });

  it("shows one under way in all its steps, and ends it from another node", async () => {
    const { id, over } = await slowAt(first());
    const place = { node: first().name, id };
    const detail = await view(second()).call(place, ADMIN);
    assert.deepEqual([detail?.tool, detail?.state, detail?.node], ["slow", "running", first().name]);
    assert.ok((detail?.steps.length ?? 0) > 0);
    assert.deepEqual(
      told((await view(second()).calls({ state: "running", most: 9 }, ADMIN)).rows),
      [`${first().name} slow running`],
      "the node that serves it does not show it, too",
    );
    assert.equal(await view(second()).cancel(place, ADMIN), "cancelled");
    assert.equal(((await over) as { code: string }).code, "STOPPED");
    assert.equal(await view(second()).cancel(place, ADMIN), "ended");
  });

  it("tells who watches of what begins, ends and is under way at other nodes", async () => {
    const watch = await watching(second(), ADMIN);
    watch.take(100);
    const { id, over } = await slowAt(first());
    await until("it is told", watch.isNew);
    const begun = watch.take(100);
    assert.deepEqual([told(begun.running), begun.ended, begun.inFlight], [[`${first().name} slow running`], [], 1]);
    await view(second()).cancel({ node: first().name, id }, ADMIN);
    await over;
    await until("its end is told", watch.isNew);
    const ended = watch.take(100);
    assert.deepEqual([told(ended.ended), ended.running, ended.skipped], [[`${first().name} slow ended`], [], 0]);
    assert.equal(watch.isNew(), false);
  });

  it("tells those who are no administrators of their own calls alone", async () => {
    const [alice, bob] = await Promise.all([ALICE, BOB].map((principal) => watching(second(), principal)));
    bob?.take(100);
    await first().hub.call(callOf("echo", { principal: BOB }));
    await first().hub.call(callOf("echo", { principal: ALICE }));
    await until("alice is told", () => alice?.isNew() ?? false);
    const mine = alice?.take(100).ended ?? [];
    assert.ok(mine.length > 0 && mine.every(({ principal }) => principal === "alice"), told(mine).join());
    await until("bob is told", () => bob?.isNew() ?? false);
    assert.deepEqual(
      bob?.take(100).ended.map(({ principal }) => principal),
      ["bob"],
    );
  });

  it("shows one who begins to watch later what happened before, once", async () => {
    const early = await watching(second(), ADMIN);
    const late = await watching(second(), ADMIN);
    const before = early.take(500).ended.map(({ node, id }) => `${node}-${id}`);
    const seen = late.take(500).ended.map(({ node, id }) => `${node}-${id}`);
    assert.deepEqual(seen, before);
    assert.equal(new Set(seen).size, seen.length);
  });

  it("tells nothing more to one whose rights have ended", async () => {
    const rights = { admin: true as boolean | undefined };
    const principal: Principal = {
      ...ALICE,
      get admin() {
        return rights.admin;
      },
    };
    const watch = await watching(second(), principal);
    rights.admin = undefined;
    assert.equal(watch.isNew(), false);
    assert.deepEqual([watch.take(100).ended, watch.figures()], [[], []]);
  });

  it("adds up what is under way, each call counted once", async () => {
    const { id, over } = await slowAt(first());
    const { figures } = await view(second()).figures();
    assert.deepEqual(
      figures.map(({ inFlight, node }) => [node, inFlight]).sort(),
      [
        [first().name, 1],
        [owner.name, 0],
      ].sort(),
    );
    await view(second()).cancel({ node: first().name, id }, ADMIN);
    await over;
  });

  it("shows every node, what each holds, and what is pinned", async () => {
    const { node, nodes, missing, unheld } = await view(first()).nodes();
    assert.deepEqual([node, missing, unheld], [first().name, [], []]);
    assert.deepEqual(
      nodes.map((one) => one.node),
      ["dos", "tres", "uno"],
    );
    for (const { node: name, sources, owned, draining } of nodes) {
      const held = name === owner.name ? [{ name: LAMP, pinned: null }] : [];
      assert.deepEqual([sources, owned, draining], [held, held.length, false]);
    }
  });

  it("shows the homes that another node holds, and follows them", async () => {
    homes.list.push(aHome("madrid"));
    const { houses } = view(first());
    assert.deepEqual(await houses.homes(), [aHome("madrid")]);
    const told: HomeChange[] = [];
    const stop = houses.watch({ house: () => {}, home: (change) => told.push(change) });
    await until("it is told as it stands", () => told.some(({ home }) => home !== undefined));
    await until("the node that holds it is watched", () => homes.listeners.size === 1);
    homes.tell({ name: "madrid", removed: true });
    await until("a change is told", () => told.some(({ removed }) => removed === true));
    stop();
    await until("nobody watches any more", () => homes.listeners.size === 0);
  });

  it("drains a node from another, and lets it take its share again", async () => {
    const drained = owner;
    assert.equal(await view(first()).drain("nobody", true), false);
    assert.equal(await view(first()).drain(drained.name, true), true);
    await until("another node has it", () => cluster.nodes.some((node) => node !== drained && isHeldBy(node)));
    const { nodes } = await view(first()).nodes();
    assert.deepEqual(nodes.find(({ node }) => node === drained.name)?.draining, true);
    await drained.hub.call(callOf("echo"));
    assert.equal(await view(first()).drain(drained.name, false), true);
    assert.equal(
      (await view(first()).nodes()).nodes.some(({ draining }) => draining),
      false,
    );
  });
});

function isHeldBy({ node }: HubNode): boolean {
  return node.held.isOurs(LAMP);
}

it("names a node that does not answer as missing", async () => {
  const cluster = new HubNodes("echo");
  await cluster.start("uno", "dos");
  const [uno, dos] = cluster.nodes as [HubNode, HubNode];
  // The other node has no view that would answer.
  const view = viewOf(uno);
  const { nodes, missing } = await view.nodes();
  assert.deepEqual([nodes.map(({ node }) => node), missing], [["uno"], ["dos"]]);
  assert.deepEqual((await view.calls(ALL, ADMIN)).missing, ["dos"]);
  const failure = await failureOf(view.call({ node: "dos", id: 1 }, ADMIN));
  assert.equal(failure.code, "NODE_UNAVAILABLE");
  const watch = view.watch(ADMIN);
  await watch.ready();
  watch.close();
  cluster.kill(dos);
  await until("it is gone", () => uno.node.others().length === 0);
  assert.deepEqual((await view.nodes()).missing, []);
  await cluster.close();
});
