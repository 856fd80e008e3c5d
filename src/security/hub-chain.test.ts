import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { HubChain } from "./hub-chain.ts";

describe("the chain of hubs", () => {
  it("is refused by a hub that is in it, and by nobody else", () => {
    const [one, two] = [new HubChain(), new HubChain()];
    assert.equal(one.refusal(one.marker)?.code, "HUB_LOOP");
    assert.equal(two.refusal(one.marker), undefined);
  });

  it("is seen through what others add to the header", () => {
    const hub = new HubChain();
    const many = madeUp("h", 500).join(" ");
    for (const said of [`1 hx, ${hub.marker}`, `1 ${many}, ${hub.marker}`, `${hub.marker}, `, `x;y="${hub.marker}"`])
      assert.equal(hub.refusal(said)?.code, "HUB_LOOP", said);
    for (const said of ["", "nonsense", "-1", "🚪", "hx ".repeat(1000)])
      assert.equal(hub.refusal(said), undefined, said);
  });

  it("goes on as long as a hub is connected, with all hubs behind that one", async () => {
    const [one, two, three] = [new HubChain(), new HubChain(), new HubChain()];
    const [toTwo, toThree] = [new PassThrough(), new PassThrough()];
    two.enter(toTwo, one.marker);
    three.enter(toThree, two.marker);
    for (const hub of [one, two, three]) assert.equal(hub.refusal(three.marker)?.code, "HUB_LOOP");
    assert.match(three.marker, /^3 /);
    await new Promise((resolve) => toThree.on("close", resolve).destroy());
    assert.match(three.marker, /^1 /);
    assert.equal(one.refusal(three.marker), undefined);
  });

  it("of more than five hubs is refused, known or not", () => {
    const hub = new HubChain();
    assert.equal(hub.refusal("5 ha hb hc hd he"), undefined);
    assert.deepEqual(hub.refusal("6 ha")?.details.params, { hops: 6, limit: 5 });
  });

  it("stays small, however many hubs are connected", () => {
    const hub = new HubChain();
    for (const id of madeUp("h", 500)) hub.enter(new PassThrough(), `1 ${id}`);
    assert.ok(hub.marker.length < 1_000, `${hub.marker.length}`);
    assert.equal(hub.refusal(hub.marker)?.code, "HUB_LOOP");
  });

  it("is refused by all nodes of a cluster that one of them is in, and by no other cluster", () => {
    const [one, two, other, alone] = [new HubChain(), new HubChain(), new HubChain(), new HubChain()];
    for (const hub of [one, two, other, alone]) assert.ok(hub.begin("/a/zaguan.json", "/a/data"));
    for (const hub of [one, two]) hub.join("a random token");
    other.join("another random token");
    assert.match(one.marker, /^1 h\S{12} p\S{12} c\S{12}$/);
    assert.equal(two.refusal(one.marker)?.code, "HUB_LOOP");
    for (const hub of [other, alone]) assert.equal(hub.refusal(one.marker), undefined);
    other.enter(new PassThrough(), one.marker);
    assert.equal(two.refusal(other.marker)?.code, "HUB_LOOP");
    two.begin("/b/zaguan.json", "/b/data");
    assert.equal(two.refusal(one.marker), undefined);
  });

  it("says nothing on that is no id", () => {
    const hub = new HubChain();
    const alone = hub.marker;
    const [id = ""] = madeUp("h", 1);
    for (const word of ["a".repeat(14_000), "x", `${id}x`, id.slice(1), `X${id}`, id.slice(0, -1), "99999"])
      hub.enter(new PassThrough(), `0 ${word}`);
    assert.equal(hub.marker, alone);
    hub.enter(new PassThrough(), `1 x ${id} ${id} y`);
    assert.equal(hub.marker, `${alone.replace("1", "2")} ${id}`);
  });

  it("says on no more hubs than there are ids", () => {
    const hub = new HubChain();
    const [one = "", two = ""] = madeUp("h", 2);
    const socket = new PassThrough();
    for (const [said, hops] of [
      ["5 x", 1],
      ["5", 1],
      [`5 ${one} ${one}`, 2],
      [`5 ${one} ${two}`, 3],
      [`1 ${one} ${two}`, 2],
    ] as const) {
      hub.enter(socket, said);
      assert.equal(Number.parseInt(hub.marker, 10), hops, said);
    }
    assert.equal(hub.refusal("6 x")?.code, "HUB_LOOP");
  });

  it("ends circles where ids of others leave no room for those of the hubs", () => {
    for (const kind of ["h", "p"]) {
      const hubs = Array.from({ length: 4 }, () => new HubChain());
      for (const hub of hubs) hub.enter(new PassThrough(), `1 ${madeUp(kind, 80).join(" ")}`);
      const connections = hubs.map(() => new PassThrough());
      let steps = 0;
      for (let said = "", refused = false; !refused; steps++) {
        const [hub, connection] = [hubs[steps % 4] as HubChain, connections[steps % 4] as PassThrough];
        refused = hub.refusal(said) !== undefined;
        if (!refused) hub.enter(connection, said);
        said = hub.marker;
        assert.ok(steps < 20, "it goes on and on");
      }
      assert.ok(steps > 4, `it was refused after ${steps}`);
    }
  });

  it("is handed to programs, and ends where one would begin the same hub again", () => {
    const [outer, inner, innermost] = [new HubChain(), new HubChain(), new HubChain()];
    assert.ok(outer.begin("/a/zaguan.json", "/a/data"));
    assert.ok(inner.begin("/b/zaguan.json", "/a/data", outer.marker));
    assert.match(inner.marker, /^2 /);
    assert.equal(outer.refusal(inner.marker)?.code, "HUB_LOOP");
    assert.equal(innermost.begin("/a/zaguan.json", "/a/data", inner.marker), false);
    assert.equal(innermost.begin("/c/zaguan.json", "/c/data", "6 hx"), false);
  });
});

/** Ids in the form of ours. */
function madeUp(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${kind}${String(index).padStart(12, "0")}`);
}
