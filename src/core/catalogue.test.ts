import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { makeTool } from "../../test/support/make-call.ts";
import { Catalogue } from "./catalogue.ts";
import type { HubEvent } from "./events.ts";

describe("names in the catalogue", () => {
  let catalogue: Catalogue;
  let events: HubEvent[];
  let isSettled: boolean;

  beforeEach(() => {
    events = [];
    isSettled = true;
    catalogue = new Catalogue(
      (event) => events.push(event),
      () => isSettled,
    );
  });

  const offer = (source: string, ...names: string[]) =>
    catalogue.setTools(
      source,
      names.map((name) => makeTool(name)),
    );
  const listed = () => catalogue.entries().map(({ publicName }) => publicName);
  const owner = (name: string) => catalogue.find(name)?.source;

  it("a tool keeps its own", () => {
    offer("house", "lamp", "alarm");
    offer("tv", "volume");
    assert.deepEqual(listed(), ["lamp", "alarm", "volume"]);
    assert.deepEqual(["lamp", "volume", "nothing"].map(owner), ["house", "tv", undefined]);
  });

  it("`server__name` always works, clash or not", () => {
    offer("house", "lamp");
    assert.equal(owner("house__lamp"), "house");
    assert.equal(catalogue.find("house__lamp")?.tool.name, "lamp");
    assert.equal(catalogue.find("house__lamp")?.publicName, "lamp");
    assert.equal(owner("tv__lamp"), undefined);
  });

  it("of two the source registered first keeps it, and the other is listed as `server__name`", () => {
    offer("house", "on");
    offer("tv", "on");
    assert.deepEqual(listed(), ["on", "tv__on"]);
    assert.deepEqual(["on", "house__on", "tv__on"].map(owner), ["house", "house", "tv"]);
  });

  it("registration counts, not who was quicker to list, as long as nobody has read the names", () => {
    isSettled = false;
    catalogue.register("house");
    offer("tv", "on");
    assert.deepEqual(listed(), ["on"]);
    offer("house", "on");
    assert.deepEqual(listed(), ["on", "tv__on"]);
    assert.equal(owner("on"), "house");
  });

  it("that somebody has read stay where they are, though one registered before comes to claim them", () => {
    catalogue.register("house");
    offer("tv", "on");
    assert.deepEqual(listed(), ["on"]);
    offer("house", "on");
    assert.deepEqual(listed(), ["house__on", "on"]);
    assert.equal(owner("on"), "tv");
    assert.deepEqual(catalogue.clashes(), [{ tool: "on", keeper: "tv", renamed: "house__on" }]);
  });

  it("are read by who calls: from then on they stay", () => {
    isSettled = false;
    offer("house", "off");
    offer("tv", "on");
    assert.equal(catalogue.called("on")?.source, "tv");
    offer("house", "off", "on");
    assert.equal(owner("on"), "tv");
  });

  it("are not called while one registered before has not said what it offers, but for `server__name`", () => {
    isSettled = false;
    catalogue.register("house");
    offer("tv", "on");
    assert.equal(catalogue.called("on"), undefined);
    assert.equal(catalogue.called("tv__on")?.source, "tv");
    isSettled = true;
    assert.equal(catalogue.called("on")?.source, "tv");
  });

  it("wait for a source that offers nothing for a while", () => {
    offer("house", "on");
    offer("tv", "on");
    listed();
    offer("house");
    assert.deepEqual(listed(), ["tv__on"]);
    assert.equal(owner("on"), undefined);
    assert.deepEqual(catalogue.clashes(), [{ tool: "on", keeper: "house", renamed: "tv__on" }]);
    offer("house", "on");
    assert.deepEqual(listed(), ["on", "tv__on"]);
  });

  it("are forgotten when there were very many: a source may think of new ones for ever", () => {
    catalogue.setTools(
      "house",
      Array.from({ length: 200_001 }, (_, n) => makeTool(`n${n}`)),
    );
    offer("tv", "on");
    listed();
    offer("house");
    listed();
    offer("tv", "on", "n7");
    assert.deepEqual(listed(), ["on", "n7"]);
  });

  it("of one that is away are kept from those that were there with it, until it is back", () => {
    offer("box-1", "say");
    offer("box-2", "say");
    listed();
    assert.equal(catalogue.remove("box-1", true), true);
    assert.deepEqual(listed(), ["box-2__say"]);
    offer("box-1", "say");
    assert.deepEqual(listed(), ["box-2__say", "say"]);
    assert.equal(owner("say"), "box-1");
  });

  it("of one that is away may be taken by one that comes later, and stay there", () => {
    offer("box-1", "say");
    listed();
    catalogue.remove("box-1", true);
    offer("box-3", "say");
    assert.deepEqual(listed(), ["say"]);
    offer("box-1", "say");
    assert.deepEqual(listed(), ["say", "box-1__say"]);
    assert.equal(owner("say"), "box-3");
  });

  it("three of a kind: one keeps it, two are qualified", () => {
    for (const source of ["a", "b", "c"]) offer(source, "on");
    assert.deepEqual(listed(), ["on", "b__on", "c__on"]);
  });

  it("are given back when the keeper goes", () => {
    offer("house", "on");
    offer("tv", "on");
    assert.equal(catalogue.remove("house"), true);
    assert.deepEqual(listed(), ["on"]);
    assert.equal(owner("on"), "tv");
    assert.equal(owner("house__on"), undefined);
  });

  it("a tool that bears another's qualified name yields to it", () => {
    offer("liar", "house__lamp");
    offer("house", "lamp");
    assert.equal(owner("house__lamp"), "house");
    assert.equal(owner("liar__house__lamp"), "liar");
    assert.deepEqual(listed(), ["liar__house__lamp", "lamp"]);
  });

  it("are unique, whatever the sources offer", () => {
    offer("a", "x", "a__x", "x", "b__x");
    offer("b", "x", "a__x", "b__x");
    assert.equal(new Set(listed()).size, listed().length, listed().join(" "));
    for (const entry of catalogue.entries()) assert.equal(catalogue.find(entry.publicName), entry);
  });

  it("may be those of Object's own members", () => {
    offer("house", "__proto__", "constructor", "toString");
    assert.deepEqual(["__proto__", "constructor", "toString", "valueOf"].map(owner), [
      "house",
      "house",
      "house",
      undefined,
    ]);
  });

  it("a clash is told once, however often the list is made anew", () => {
    offer("house", "on");
    offer("tv", "on");
    listed();
    offer("tv", "on", "off");
    listed();
    assert.deepEqual(events, [{ type: "name-clash", tool: "on", keeper: "house", renamed: "tv__on" }]);
  });

  it("of a crowd that shares its names some clashes are told, and all are resolved", () => {
    for (let box = 0; box < 100; box++) offer(`box-${box}`, "volume");
    assert.equal(listed().length, 100);
    assert.equal(owner("box-99__volume"), "box-99");
    assert.equal(events.length, 20);
  });
});

describe("names that two sources claim", () => {
  let catalogue: Catalogue;

  beforeEach(() => {
    catalogue = new Catalogue(() => {});
  });

  const offer = (source: string, ...names: string[]) =>
    catalogue.setTools(
      source,
      names.map((name) => makeTool(name)),
    );

  it("are told with who keeps each, and what the other's tool is called", () => {
    assert.deepEqual(catalogue.clashes(), []);
    offer("house", "on", "off");
    offer("tv", "on", "volume");
    offer("radio", "on");
    assert.deepEqual(catalogue.clashes(), [
      { tool: "on", keeper: "house", renamed: "tv__on" },
      { tool: "on", keeper: "house", renamed: "radio__on" },
    ]);
  });

  it("are as the list is now, though nobody has read it since", () => {
    offer("house", "on");
    offer("tv", "on");
    assert.equal(catalogue.renamed("tv", "on"), "tv__on");
    catalogue.remove("house");
    assert.equal(catalogue.renamed("tv", "on"), undefined);
    assert.deepEqual(catalogue.clashes(), []);
    offer("radio", "on");
    assert.equal(catalogue.renamed("radio", "on"), "radio__on");
    assert.deepEqual(catalogue.clashes(), [{ tool: "on", keeper: "tv", renamed: "radio__on" }]);
  });

  it("leave the others their own", () => {
    offer("house", "on", "off");
    offer("tv", "on", "volume");
    for (const [source, tool] of [
      ["house", "on"],
      ["house", "off"],
      ["tv", "volume"],
      ["nobody", "on"],
      ["tv", "toString"],
    ] as const)
      assert.equal(catalogue.renamed(source, tool), undefined, `${source} ${tool}`);
  });

  it("count those that bear another's qualified name", () => {
    offer("liar", "house__lamp");
    offer("house", "lamp");
    assert.deepEqual(catalogue.clashes(), [{ tool: "house__lamp", keeper: "house", renamed: "liar__house__lamp" }]);
    assert.equal(catalogue.renamed("liar", "house__lamp"), "liar__house__lamp");
    assert.equal(catalogue.renamed("house", "lamp"), undefined);
  });
});

describe("changes of the catalogue", () => {
  it("are told, and counted, only where something changed", () => {
    const catalogue = new Catalogue(() => {});
    const told = [
      catalogue.setTools("a", [makeTool("x")]),
      catalogue.setTools("a", [makeTool("x")]),
      catalogue.setTools("a", [makeTool("x", { description: "new" })]),
      catalogue.setTools("a", []),
      catalogue.remove("a"),
      catalogue.remove("a"),
    ];
    assert.deepEqual(told, [true, false, true, true, true, false]);
    assert.equal(catalogue.version, 4);
  });
});
