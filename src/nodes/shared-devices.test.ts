/** Voice boxes that dial one of several nodes, and are reached through all of them. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type HubNode, HubNodes } from "../../test/support/hub-nodes.ts";
import { BOB } from "../../test/support/make-call.ts";
import { callOf, failureOf } from "../../test/support/open-hub.ts";
import { until } from "../../test/support/processes.ts";
import type { Peer } from "../cluster/peer.ts";
import type { ToolDefinition } from "../core/call.ts";
import { type DeviceNews, SharedDevices } from "./shared-devices.ts";

const BOX = "device-box";

describe("a box that has dialled a node", () => {
  const cluster = new HubNodes("echo");
  let [one, two, three]: HubNode[] = [];
  before(async () => {
    await cluster.start("uno", "dos", "tres");
    [one, two, three] = cluster.nodes as [HubNode, HubNode, HubNode];
  });
  after(() => cluster.close());

  const nodes = (): HubNode[] => [one, two, three] as HubNode[];
  const kindAt = ({ hub }: HubNode): string => {
    const source = hub.sources().find(({ name }) => name === BOX);
    return source ? (source.isElsewhere ? "elsewhere" : "here") : "none";
  };
  const places = (): string => nodes().map(kindAt).join();

  it("is seen and called at every node, moves to the node that it dials next, and goes with its socket", async () => {
    const hangUp = one?.dial(BOX, "louder");
    await until("all have it", () => places() === "here,elsewhere,elsewhere");
    for (const { hub } of nodes()) await hub.call(callOf("louder"));
    assert.deepEqual(
      cluster.ran.splice(0).map(({ node }) => node),
      ["uno", "uno", "uno"],
    );
    assert.deepEqual(
      two?.node.view().sources.find(({ name }) => name === BOX),
      { name: BOX, node: "uno" },
    );
    // Its old socket is half open: nobody told the first node.
    const hangUpAgain = two?.dial(BOX, "louder");
    await until("it has moved", () => places() === "elsewhere,here,elsewhere");
    assert.deepEqual(one?.dismissed, [BOX]);
    for (const { hub } of nodes()) await hub.call(callOf("louder"));
    assert.deepEqual(
      cluster.ran.splice(0).map(({ node }) => node),
      ["dos", "dos", "dos"],
    );
    hangUp?.();
    assert.equal(places(), "elsewhere,here,elsewhere", "the end of its old socket is not its own");
    hangUpAgain?.();
    await until("it is gone", () => places() === "none,none,none");
    assert.equal((await failureOf((three as HubNode).hub.call(callOf("louder")))).code, "UNKNOWN_TOOL");
  });

  it("is called from every node without a lease where it does not say who it is, also from one that joins later", async () => {
    const hangUp = one?.dial(BOX, "softer", { isNamed: false });
    await until("all have it", () => places() === "here,elsewhere,elsewhere");
    const joined = await cluster.join("cuatro");
    await until("it has it, too", () => kindAt(joined) === "elsewhere");
    for (const { hub } of [...nodes(), joined]) await hub.call(callOf("softer"));
    assert.deepEqual(
      cluster.ran.splice(0).map(({ node }) => node),
      ["uno", "uno", "uno", "uno"],
    );
    hangUp?.();
    await until("it is gone", () => places() === "none,none,none" && kindAt(joined) === "none");
    const other = two?.dial("device-other", "softer", { isNamed: false });
    await until("its name is free for another", () => joined.hub.findTool(BOB, "softer") !== undefined);
    other?.();
  });
});

interface Bench {
  readonly devices: SharedDevices;
  readonly did: string[];
  readonly said: DeviceNews[];
  holder: Peer | undefined;
  isConnected: boolean;
  readonly alive: Set<string>;
}

function open(): Bench {
  const did: string[] = [];
  const said: DeviceNews[] = [];
  const bench = { did, said, holder: undefined as Peer | undefined, isConnected: true, alive: new Set(["b1"]) };
  const devices = new SharedDevices({
    dialled: (name) => did.push(`take ${name}`),
    claimIfFree: (name) => did.push(`claim ${name}`),
    hungUp: (name) => did.push(`release ${name}`),
    removed: (name) => did.push(`removed ${name}`),
    otherHolderOf: () => bench.holder,
    isAlive: ({ boot }) => bench.alive.has(boot),
    isConnected: () => bench.isConnected,
    cast: (news) => said.push(news),
    tell: (_to, news) => said.push(news),
  });
  devices.enter({
    dismiss: (name) => did.push(`dismiss ${name}`),
    appeared: (name) => did.push(`appeared ${name}`),
    disappeared: (name, isLost, isNamed) => did.push(`disappeared ${name} ${isLost} ${isNamed}`),
  });
  return Object.assign(bench, { devices });
}

const B: Peer = { node: "b", boot: "b1" };
const TOOLS: readonly ToolDefinition[] = [];
const here = (epoch: number): DeviceNews => ({
  what: "here",
  device: { name: "box", epoch, principalId: "ann", isNamed: true, tools: TOOLS },
});

describe("the devices of a node", () => {
  it("are told of when their lease is ours and it is known what they offer, and to each node that comes", () => {
    const { devices, said } = open();
    devices.dialled("box", "ann", true);
    devices.listed("box", TOOLS);
    assert.deepEqual(said, []);
    devices.begun("box", 3);
    devices.came(B);
    assert.deepEqual(said.splice(0), [here(3), here(3)]);
    devices.hungUp("box");
    assert.deepEqual(said, [{ what: "gone", name: "box", epoch: 3 }]);
  });

  it("keep their sockets when a lease has only run out, and lose them when another node has the device", () => {
    const bench = open();
    bench.devices.dialled("box", "ann", true);
    bench.devices.begun("box", 3);
    bench.devices.ended("box");
    assert.deepEqual(bench.did.splice(0), ["take box", "claim box"]);
    bench.devices.begun("box", 4);
    bench.holder = B;
    bench.devices.ended("box");
    assert.deepEqual(bench.did, ["release box", "dismiss box"]);
  });

  it("believe the newest: an older lease of another node takes nothing away, a dial that is under way neither", () => {
    const { devices, did } = open();
    devices.dialled("box", "ann", true);
    devices.received(B, here(9));
    devices.begun("box", 10);
    devices.received(B, here(9));
    assert.deepEqual(did, ["take box"]);
    devices.received(B, here(11));
    assert.deepEqual(did, ["take box", "release box", "dismiss box", "appeared box"]);
  });

  it("give way to a newer socket where their own lease had run out", () => {
    const { devices, did } = open();
    devices.dialled("box", "ann", true);
    devices.begun("box", 3);
    devices.ended("box");
    devices.received(B, here(4));
    assert.deepEqual(did.slice(2), ["release box", "dismiss box", "appeared box"]);
  });
});

describe("devices that do not say who they are", () => {
  const SELF: Peer = { node: "a", boot: "a1" };

  it("need no lease: they are told of as soon as it is known what they offer, and have one owner for ever", () => {
    const { devices, did, said } = open();
    devices.dialled("box", "ann", false);
    assert.deepEqual([did, said, devices.unleased("box", SELF)], [[], [], { ...SELF, epoch: 1 }]);
    devices.listed("box", TOOLS);
    const news = { name: "box", epoch: 1, principalId: "ann", isNamed: false, tools: TOOLS };
    assert.deepEqual(said.splice(0), [{ what: "here", device: news }]);
    devices.hungUp("box");
    assert.deepEqual([did, devices.unleased("box", SELF)], [["release box"], undefined]);
    devices.received(B, { what: "here", device: news });
    assert.deepEqual(devices.unleased("box", SELF), { ...B, epoch: 1 });
    devices.received(B, { what: "gone", name: "box", epoch: 1 });
    assert.deepEqual(
      [did.slice(-2), devices.unleased("box", SELF)],
      [["removed box", "disappeared box false false"], undefined],
    );
  });

  it("are asked for in the table of leases where they do", () => {
    const { devices } = open();
    devices.dialled("box", "ann", true);
    devices.received(B, here(4));
    assert.equal(devices.unleased("box", SELF), undefined);
  });
});

describe("the devices of other nodes", () => {
  it("are somebody's, and go when their node says so; an old word does not count", () => {
    const { devices, did } = open();
    devices.received(B, here(5));
    assert.equal(devices.principalOf("box"), "ann");
    devices.received(B, here(4));
    devices.received(B, { what: "gone", name: "box", epoch: 4 });
    assert.deepEqual([...devices.places("a")], [{ name: "box", node: "b" }]);
    devices.received(B, { what: "gone", name: "box", epoch: 5 });
    assert.deepEqual(did, ["appeared box", "disappeared box false true"]);
  });

  it("go ten seconds after their node was last heard, but not while we hear nobody", () => {
    const bench = open();
    bench.devices.received(B, here(5));
    bench.alive.clear();
    bench.isConnected = false;
    for (const now of [0, 20_000]) bench.devices.tick(now);
    bench.isConnected = true;
    for (const now of [21_000, 30_000]) bench.devices.tick(now);
    assert.deepEqual(bench.did, ["appeared box"]);
    bench.devices.tick(31_000);
    assert.deepEqual(bench.did, ["appeared box", "disappeared box true true"]);
  });
});
