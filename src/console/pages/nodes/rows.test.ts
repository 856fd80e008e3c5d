import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HubNode } from "../../../contract/node.ts";
import { shownSources, toRows } from "./rows.ts";

function aNode(node: string, more: Partial<HubNode> = {}): HubNode {
  const told = { version: "1", startedUtc: "", uptimeSeconds: 1, load: 0, callsInFlight: 0, open: 0 };
  return { node, ...told, owned: 0, sources: [], draining: false, ...more };
}

describe("the rows of nodes", () => {
  it("stand by their names, with those that did not answer", () => {
    const rows = toRows({
      node: "uno",
      nodes: [aNode("uno"), aNode("dos", { draining: true })],
      missing: ["tres"],
      unheld: [],
    });
    assert.deepEqual(
      rows.map(({ name, state, isHere }) => [name, state, isHere]),
      [
        ["dos", "draining", false],
        ["tres", "missing", false],
        ["uno", "alive", true],
      ],
    );
    assert.equal(rows[1]?.node, undefined);
  });
});

describe("what a node holds", () => {
  it("is told by name, with the nodes that it is pinned to", () => {
    const { shown, more } = shownSources([
      { name: "tv", pinned: ["garage", "attic"] },
      { name: "lamp", pinned: null },
    ]);
    assert.deepEqual(shown, [
      { name: "lamp", pins: undefined },
      { name: "tv", pins: "garage, attic" },
    ]);
    assert.equal(more, 0);
  });

  it("is cut where there is too much of it", () => {
    const many = Array.from({ length: 70 }, (_, index) => ({ name: `s${index}`, pinned: null }));
    const { shown, more } = shownSources(many);
    assert.deepEqual([shown.length, more], [50, 20]);
    assert.equal(shownSources(many, 5_000).more, 4_950);
  });
});
