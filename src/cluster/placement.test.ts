import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Placement, SLOTS, slotOf } from "./placement.ts";

function nodes(count: number, weight = 1): { node: string; weight: number }[] {
  return Array.from({ length: count }, (_, number) => ({ node: `node-${number}`, weight }));
}

function sizes(placement: Placement): Map<string | undefined, number> {
  const counts = new Map<string | undefined, number>();
  for (let slot = 0; slot < SLOTS; slot++) {
    const node = placement.ofSlot(slot);
    counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
}

function moved(before: Placement, after: Placement): number {
  return Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => before.ofSlot(slot) !== after.ofSlot(slot))
    .length;
}

describe("placement", () => {
  it("is the same at every node, in whatever order it knows the others", () => {
    const members = nodes(7);
    assert.equal(moved(new Placement(members), new Placement(members.toReversed())), 0);
  });

  it("gives no node more than a tenth over its share", () => {
    for (const count of [2, 3, 50]) {
      const counts = sizes(new Placement(nodes(count)));
      assert.equal(counts.size, count);
      assert.ok(Math.max(...counts.values()) <= Math.ceil((1.1 * SLOTS) / count));
    }
  });

  it("moves little more than the slots of the node that comes or goes", () => {
    const [fifty, fewer] = [new Placement(nodes(50)), new Placement(nodes(49))];
    assert.ok(moved(fifty, fewer) < (1.5 * SLOTS) / 50, `${moved(fifty, fewer)} of ${SLOTS / 50}`);
  });

  it("gives half as much to half the weight, and nothing to a node that drains", () => {
    const weighted = [
      { node: "whole", weight: 1 },
      { node: "half", weight: 0.5 },
      { node: "leaving", weight: 0 },
    ];
    const counts = sizes(new Placement(weighted));
    assert.ok((counts.get("half") ?? 0) <= Math.ceil((1.1 * SLOTS) / 3));
    assert.equal(counts.get("leaving"), undefined);
    assert.equal((counts.get("half") ?? 0) + (counts.get("whole") ?? 0), SLOTS);
  });

  it("puts a pinned key on one of its nodes, or nowhere", () => {
    const placement = new Placement(nodes(5));
    const chosen = placement.of("k", ["node-1", "node-3", "away"]);
    assert.ok(chosen === "node-1" || chosen === "node-3");
    assert.equal(placement.of("k", ["away"]), undefined);
    const pinned = Array.from({ length: 200 }, (_, number) => placement.of(`key-${number}`, ["node-1", "node-3"]));
    assert.deepEqual(new Set(pinned), new Set(["node-1", "node-3"]), "several share them");
  });

  it("puts a key where its slot is", () => {
    const placement = new Placement(nodes(5));
    assert.equal(placement.of("a key"), placement.ofSlot(slotOf("a key")));
    assert.equal(new Placement([]).of("a key"), undefined);
  });

  it("spreads similar names over the slots", () => {
    const used = new Set(Array.from({ length: 5_000 }, (_, number) => slotOf(`source-${number}`)));
    assert.ok(used.size > 4_200, `${used.size}`);
  });
});
