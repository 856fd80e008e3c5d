import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Placement, slotOf } from "./placement.ts";
import { type ShareEffect, type ShareMode, Shares } from "./shares.ts";

const KEYS = Array.from({ length: 40 }, (_, number) => `key-${number}`);
const PINNED = ["garage-door", ["garage"]] as const;

function open() {
  const effects: ShareEffect[] = [];
  const held = new Set<string>();
  const busy = new Set<string>();
  let hasCallers = false;
  const keys = new Set<string>([...KEYS, PINNED[0]]);
  const ports = {
    index: {
      inSlot: (slot: number) => KEYS.filter((key) => slotOf(key) === slot && keys.has(key)),
      pinned: () => [PINNED],
      pinsOf: (key: string) => (key === PINNED[0] ? PINNED[1] : undefined),
      has: (key: string) => keys.has(key),
    },
    held: () => held,
    isHeld: (key: string) => held.has(key),
    isBusy: (key: string) => busy.has(key),
    hasCallers: () => hasCallers,
  };
  const shares = new Shares("garage", ports, (effect) => effects.push(effect));
  const told = (what: ShareEffect["do"]) => effects.filter((effect) => effect.do === what).map(({ key }) => key);
  const place = (nodes: readonly string[], now: number, mode: ShareMode = "share") => {
    effects.length = 0;
    const members = nodes.map((node) => ({ node, weight: 1 }));
    const placement = new Placement(members);
    shares.place(placement, mode, now);
    return placement;
  };
  const setCallers = (value: boolean) => {
    hasCallers = value;
  };
  return { shares, held, busy, keys, told, place, setCallers, clear: () => effects.splice(0) };
}

describe("the share of a node", () => {
  it("is everything where it is alone, and its part beside others", () => {
    const { told, place } = open();
    place(["garage"], 0);
    assert.equal(told("want").length, KEYS.length + 1);
    const placement = place(["garage", "attic"], 0);
    const others = KEYS.filter((key) => placement.of(key) === "attic");
    assert.deepEqual(told("unwant").sort(), others.sort());
  });

  it("has what is pinned to it, and not what is pinned elsewhere", () => {
    const { told, place } = open();
    place(["garage", "attic"], 0);
    assert.ok(told("want").includes("garage-door"));
    place(["attic"], 0);
    assert.ok(told("unwant").includes("garage-door"));
  });

  it("grows by what a node that is gone had, at once", () => {
    const { told, place } = open();
    const before = place(["garage", "attic"], 0);
    place(["garage"], 0);
    assert.deepEqual(told("want").sort(), KEYS.filter((key) => before.of(key) === "attic").sort());
  });
});

describe("a handover", () => {
  function held() {
    const bench = open();
    bench.place(["garage"], 0);
    for (const key of [...KEYS, "garage-door"]) bench.held.add(key);
    const placement = bench.place(["garage", "attic"], 1_000);
    const leaving = KEYS.filter((key) => placement.of(key) === "attic");
    return { ...bench, leaving };
  }

  it("waits until the members have stayed the same for a while, and begins a few at a time", () => {
    const { shares, told, leaving } = held();
    shares.tick(5_900);
    assert.deepEqual(told("handover"), []);
    shares.tick(6_000);
    assert.equal(told("handover").length, Math.min(16, leaving.length));
  });

  it("is called off where the newcomer is gone before that", () => {
    const { shares, told, place } = held();
    place(["garage"], 3_000);
    shares.tick(20_000);
    assert.deepEqual(told("handover"), []);
  });

  it("leaves a key alone while it is used", () => {
    const { shares, told, busy, leaving } = held();
    for (const key of leaving.slice(1)) busy.add(key);
    shares.tick(6_000);
    assert.deepEqual(told("handover"), leaving.slice(0, 1));
  });

  it("goes on with the next when one has ended, which is then no longer wanted", () => {
    const { shares, told, held: keys, leaving, clear } = held();
    shares.tick(6_000);
    const [first = ""] = told("handover");
    keys.delete(first);
    clear();
    shares.ended(first);
    assert.deepEqual(told("unwant"), [first]);
    shares.tick(7_000);
    assert.equal(told("handover").length, Math.min(1, leaving.length - 16));
  });

  it("of a key that another node let go of for us keeps it here for a while, so that it does not go to and fro", () => {
    const { shares, held: keys, told, place, clear } = open();
    const placement = place(["garage", "attic"], 0);
    const key = KEYS.find((each) => placement.of(each) === "attic") ?? "";
    shares.offered(key, 10_000);
    assert.ok(told("want").includes(key));
    keys.add(key);
    clear();
    shares.tick(20_000);
    assert.deepEqual(told("handover"), []);
    shares.tick(41_000);
    assert.deepEqual(told("handover"), [key]);
  });

  it("by a node that leaves is at once and of everything, last of all what nobody else may hold", () => {
    const { shares, told, place, setCallers, held: keys } = held();
    keys.add("socket");
    setCallers(true);
    place(["attic"], 10_000, "leave");
    shares.tick(10_000);
    assert.deepEqual(told("handover").sort(), KEYS.toSorted());
    setCallers(false);
    shares.tick(10_050);
    assert.deepEqual(told("handover").slice(KEYS.length).sort(), ["garage-door", "socket"]);
  });

  it("by a node that drains is at once and of what others may hold, busy or not; the rest stays", () => {
    const { shares, told, place, busy, held: keys } = held();
    for (const key of KEYS) busy.add(key);
    keys.add("socket");
    place(["attic"], 10_000, "drain");
    shares.tick(10_000);
    assert.deepEqual(told("handover").sort(), KEYS.toSorted());
    shares.tick(60_000);
    assert.equal(told("handover").length, KEYS.length);
  });

  it("is over when the node drains no more: it wants its part again", () => {
    const { told, place } = open();
    place(["attic"], 0, "drain");
    assert.deepEqual(told("want"), []);
    const placement = place(["garage", "attic"], 1_000);
    const own = KEYS.filter((key) => placement.of(key) === "garage");
    assert.deepEqual(told("want").sort(), [...own, "garage-door"].sort());
  });
});

it("a node that drains claims again what it lost and nobody else may hold", () => {
  const { shares, told, place, clear } = open();
  place(["attic"], 0, "drain");
  clear();
  shares.ended("garage-door");
  shares.ended(KEYS[0] ?? "");
  assert.deepEqual([told("want"), told("unwant")], [["garage-door"], [KEYS[0]]]);
});

it("a node that drains does not take back what it let go, even if that was handed to it a moment ago", () => {
  const { shares, held, told, place, clear } = open();
  const placement = place(["garage", "attic"], 0);
  const key = KEYS.find((each) => placement.of(each) === "attic") ?? "";
  shares.offered(key, 1_000);
  held.add(key);
  place(["attic"], 2_000, "drain");
  shares.tick(2_000);
  held.delete(key);
  clear();
  shares.ended(key);
  assert.deepEqual([told("want"), told("unwant")], [[], [key]]);
});

it("a source that was added is wanted where it belongs, one that was removed is ended", () => {
  const { shares, held, keys, told, place, clear } = open();
  place(["garage"], 0);
  keys.add("new");
  clear();
  shares.added("new");
  assert.deepEqual(told("want"), ["new"]);
  held.add("new");
  keys.delete("new");
  shares.removed("new");
  assert.deepEqual([told("unwant"), told("handover")], [["new"], ["new"]]);
});
