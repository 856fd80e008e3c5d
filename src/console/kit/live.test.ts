/** What the page knows of the hub, after each thing that it is told. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CallRow, EntityView, HomeView, ServerLive } from "../../doors/live/views.ts";
import { type Calls, changedHomes, changedServers, moreCalls } from "./live.ts";

function server(name: string, more: Partial<ServerLive> = {}): ServerLive {
  const known = { kind: "stdio", isMcp: true, state: "ready", silent: false, tools: 1, restarts: 0 } as const;
  return { name, ...known, lastError: null, progress: null, revision: null, ...more };
}

describe("servers", () => {
  const known = [server("a"), server("b"), server("c")];

  it("change where they stand, so that nothing jumps", () => {
    const changed = changedServers(known, [server("b", { state: "broken" })], []);
    assert.deepEqual(
      changed.map(({ name, state }) => [name, state]),
      [
        ["a", "ready"],
        ["b", "broken"],
        ["c", "ready"],
      ],
    );
    assert.equal(changed[0], known[0], "those that did not change are the same objects");
  });

  it("come at the end and go", () => {
    const names = changedServers(known, [server("d")], ["a"]).map(({ name }) => name);
    assert.deepEqual(names, ["b", "c", "d"]);
  });
});

describe("calls", () => {
  const row = (id: number): CallRow => ({ id }) as CallRow;
  const rows = (from: number, to: number): CallRow[] =>
    Array.from({ length: from - to + 1 }, (_, index) => row(from - index));
  const none: Calls = { ended: [], running: [], inFlight: 0, skipped: 0 };

  it("come in front of those before them", () => {
    const first = moreCalls(none, { ended: rows(2, 1), skipped: 3, running: [row(9)], inFlight: 1 });
    const then = moreCalls(first, { ended: rows(4, 3), skipped: 2, running: [], inFlight: 0 });
    assert.deepEqual(
      then.ended.map(({ id }) => id),
      [4, 3, 2, 1],
    );
    assert.deepEqual([then.running, then.inFlight, then.skipped], [[], 0, 5]);
  });

  it("that only run leave the list of the ended as it was", () => {
    const before = moreCalls(none, { ended: rows(2, 1), skipped: 0, running: [], inFlight: 0 });
    const after = moreCalls(before, { ended: [], skipped: 0, running: [row(3)], inFlight: 1 });
    assert.equal(after.ended, before.ended);
  });

  it("are a thousand at most, the newest", () => {
    const full = moreCalls(none, { ended: rows(1_000, 1), skipped: 0, running: [], inFlight: 0 });
    const { ended } = moreCalls(full, { ended: rows(1_005, 1_001), skipped: 0, running: [], inFlight: 0 });
    assert.deepEqual([ended.length, ended[0]?.id, ended.at(-1)?.id], [1_000, 1_005, 6]);
  });
});

describe("homes", () => {
  const entity = (id: string, state: string): EntityView => {
    return { id, name: id, domain: "light", state, changedUtc: null };
  };
  const home = (name: string): HomeView => {
    const kitchen = { id: "k", name: "Kitchen", entities: [entity("light.a", "off"), entity("light.b", "off")] };
    return { name, state: "ready", areas: [kitchen, { id: null, name: "", entities: [entity("sun", "up")] }], more: 0 };
  };
  const known = [home("madrid"), home("lyon")];

  it("change by their entities, and nothing else is made anew", () => {
    const [madrid, lyon] = changedHomes(known, { name: "madrid", entities: [entity("light.b", "on")] });
    assert.deepEqual(
      madrid?.areas[0]?.entities.map(({ state }) => state),
      ["off", "on"],
    );
    assert.equal(madrid?.areas[1], known[0]?.areas[1]);
    assert.equal(lyon, known[1]);
  });

  it("come whole, in their place or at the end", () => {
    const anew = { ...home("madrid"), more: 7 };
    assert.deepEqual(changedHomes(known, { name: "madrid", home: anew }), [anew, known[1]]);
    const paris = home("paris");
    assert.deepEqual(changedHomes(known, { name: "paris", home: paris }), [...known, paris]);
  });

  it("go", () => assert.deepEqual(changedHomes(known, { name: "madrid", removed: true }), [known[1]]));

  it("that are not known are not made of their entities", () => {
    assert.deepEqual(changedHomes(known, { name: "paris", entities: [entity("light.a", "on")] }), known);
  });
});
