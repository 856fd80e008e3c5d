import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { watch } from "../../test/support/make-call.ts";
import { slotOf } from "../cluster/placement.ts";
import { HeldSources } from "./held-sources.ts";

describe("the sources that one node may hold", () => {
  it("are in their slots, or pinned", () => {
    const sources = new HeldSources();
    sources.replace("sources", new Map([["free", undefined] as const, ["tied", ["uno"]] as const]));
    assert.deepEqual([...sources.inSlot(slotOf("free"))], ["free"]);
    assert.deepEqual([...sources.inSlot(slotOf("tied"))], []);
    assert.deepEqual([...sources.pinned()], [["tied", ["uno"]]]);
    assert.deepEqual(sources.pinsOf("tied"), ["uno"]);
    assert.equal(sources.pinsOf("free"), undefined);
    assert.deepEqual(
      ["free", "tied", "none"].map((source) => sources.has(source)),
      [true, true, false],
    );
  });

  it("are told of when they come, go or are pinned elsewhere, and not when nothing of them changed", () => {
    const sources = new HeldSources();
    const told: [string, boolean][] = [];
    sources.onChange((...change) => told.push(change));
    sources.replace("sources", new Map([["a", undefined] as const, ["b", ["uno"]] as const]));
    sources.replace("sources", new Map([["a", undefined] as const, ["b", ["uno"]] as const]));
    assert.deepEqual(told.splice(0), [
      ["a", true],
      ["b", true],
    ]);
    sources.replace("sources", new Map([["b", undefined]]));
    assert.deepEqual(told, [
      ["a", false],
      ["b", true],
    ]);
    assert.deepEqual([...sources.pinned()], []);
    assert.deepEqual([...sources.inSlot(slotOf("b"))], ["b"]);
    assert.deepEqual([...sources.inSlot(slotOf("a"))], []);
  });
});

describe("endpoints that one node may dial", () => {
  it("come and go apart from sources", () => {
    const sources = new HeldSources();
    sources.replace("sources", new Map([["a", undefined]]));
    sources.replace("endpoints", new Map([["voice:a", undefined]]));
    sources.replace("sources", new Map());
    assert.deepEqual(sources.all(), ["voice:a"]);
    sources.replace("endpoints", new Map());
    assert.deepEqual(sources.all(), []);
  });
});

describe("the sources that this node holds", () => {
  it("are ours from their beginning to their end, which listeners are told of", async () => {
    const sources = new HeldSources();
    const told: [string, boolean][] = [];
    const lost: boolean[] = [];
    const stop = sources.watch((source, isLost) => {
      told.push([source, sources.isOurs(source)]);
      lost.push(isLost);
    });
    await sources.begin("a");
    assert.equal(sources.isOurs("a"), true);
    await sources.end("a");
    assert.equal(sources.isOurs("a"), false);
    assert.deepEqual(told, [
      ["a", true],
      ["a", false],
    ]);
    await sources.begin("a");
    await sources.end("a", true);
    assert.deepEqual(lost, [false, false, false, true]);
    stop();
    await sources.begin("a");
    assert.equal(told.length, 4);
  });

  it("have begun when they stand under the hub", async () => {
    const sources = new HeldSources();
    const attached = Promise.withResolvers<void>();
    sources.watch(() => attached.promise);
    const told = sources.begin("a");
    const begun = watch(sources.whenBegun("a"));
    await new Promise(setImmediate);
    assert.equal(begun.state, "pending");
    attached.resolve();
    await told;
    await sources.whenBegun("a");
    assert.equal(begun.state, "done");
  });

  it("are waited for no longer when they could not be brought there", async () => {
    const sources = new HeldSources();
    sources.watch(() => Promise.reject(new Error("no")));
    const told = sources.begin("a");
    await assert.rejects(told, /no/);
    await sources.whenBegun("a");
    await sources.whenBegun("never held");
  });

  it("are gone when everybody who was told is done", async () => {
    const sources = new HeldSources();
    await sources.begin("a");
    const closed = Promise.withResolvers<void>();
    sources.watch(() => closed.promise);
    const ended = watch(sources.end("a"));
    await new Promise(setImmediate);
    assert.equal(ended.state, "pending");
    assert.equal(sources.isOurs("a"), false, "from the first moment on");
    closed.resolve();
    await closed.promise;
    await new Promise(setImmediate);
    assert.equal(ended.state, "done");
  });
});
