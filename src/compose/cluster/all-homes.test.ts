import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { aHome, FakeHomes } from "../../../test/support/fake-homes.ts";
import type { Peer } from "../../cluster/peer.ts";
import type { EntityView, HomeChange } from "../../doors/live/views.ts";
import { AllHomes, type HomesBatch, homePoller, mergeChange } from "./all-homes.ts";

const DOS: Peer = { node: "dos", boot: "2" };
const TRES: Peer = { node: "tres", boot: "3" };
const WHOLE = { name: "madrid", home: aHome("madrid") };
const GONE = { name: "madrid", removed: true };

function anEntity(id: string, state: string): EntityView {
  return { id, name: id, domain: "light", state, changedUtc: null };
}

describe("what changes in homes", () => {
  it("is told as one: of each entity the last state, of a whole home that alone", () => {
    const entities = (...all: EntityView[]): HomeChange => ({ name: "madrid", entities: all });
    const first = mergeChange([], entities(anEntity("a", "on"), anEntity("b", "on")));
    const second = mergeChange(first, entities(anEntity("b", "off")));
    assert.deepEqual(second, [entities(anEntity("a", "on"), anEntity("b", "off"))]);
    const whole = mergeChange(mergeChange(second, { name: "lyon", removed: true }), WHOLE);
    assert.deepEqual(whole, [{ name: "lyon", removed: true }, WHOLE]);
    const later = mergeChange(whole, entities(anEntity("a", "off")));
    assert.deepEqual(later, [{ name: "lyon", removed: true }, WHOLE, entities(anEntity("a", "off"))]);
    assert.deepEqual(mergeChange(later, GONE), [{ name: "lyon", removed: true }, GONE]);
  });

  it("is gathered for another node until it watches no more", () => {
    const own = new FakeHomes();
    own.list.push(aHome("madrid"));
    const { poll, close } = homePoller(own);
    assert.deepEqual(poll(), [WHOLE]);
    assert.equal(poll(), undefined);
    own.tell(GONE);
    assert.deepEqual(poll(), [GONE]);
    close();
    assert.equal(own.listeners.size, 0);
  });
});

describe("the homes of all nodes", () => {
  let own: FakeHomes;
  let all: AllHomes;
  let far: (from: Peer, batch: HomesBatch) => void;
  let others: Peer[];
  let onMembers: () => void;
  let watches: number;
  const ours = new Set<string>();
  beforeEach(() => {
    own = new FakeHomes();
    others = [DOS, TRES];
    watches = 0;
    ours.clear();
    all = new AllHomes({
      own,
      isOurs: (name) => ours.has(name),
      others: () => others,
      onMembers: (listener) => {
        onMembers = listener;
        return () => {};
      },
      ask: async () => [aHome("madrid"), aHome("lyon")],
      watch: (take) => {
        watches++;
        far = take;
        return () => watches--;
      },
    });
  });

  /** Somebody who has been told how things stand. */
  async function listening(): Promise<{ readonly told: HomeChange[]; readonly stop: () => void }> {
    const told: HomeChange[] = [];
    const stop = all.watch({ house: () => {}, home: (change) => told.push(change) });
    await turn();
    told.length = 0;
    return { told, stop };
  }

  it("are those of this node and of the others, each once", async () => {
    own.list.push(aHome("lyon"));
    assert.deepEqual(
      (await all.homes()).map(({ name }) => name),
      ["lyon", "madrid"],
    );
  });

  it("are told at first as they stand, and followed with one wish for all who poll", async () => {
    const told: HomeChange[] = [];
    const stop = all.watch({ house: () => {}, home: (change) => told.push(change) });
    await turn();
    assert.deepEqual(told, [WHOLE, { name: "lyon", home: aHome("lyon") }]);
    const second = await listening();
    assert.equal(watches, 1);
    far(DOS, [WHOLE]);
    assert.deepEqual([told.at(-1), second.told], [WHOLE, [WHOLE]]);
    stop();
    assert.equal(watches, 1);
    second.stop();
    assert.deepEqual([watches, own.listeners.size], [0, 0]);
  });

  it("stay when a node says late that it has a home no more, which another has told of since", async () => {
    const { told } = await listening();
    far(DOS, [WHOLE]);
    far(TRES, [WHOLE]);
    far(DOS, [GONE]);
    assert.deepEqual(told, [WHOLE, WHOLE]);
    far(TRES, [GONE]);
    assert.deepEqual(told.at(-1), GONE);
    ours.add("madrid");
    far(DOS, [WHOLE, GONE]);
    assert.equal(told.length, 3, "what this node holds it knows best");
  });

  it("go with a node that is gone", async () => {
    const { told } = await listening();
    far(DOS, [WHOLE]);
    far(TRES, [{ name: "lyon", home: aHome("lyon") }]);
    others = [TRES];
    onMembers();
    assert.deepEqual(told.slice(2), [GONE]);
  });
});
