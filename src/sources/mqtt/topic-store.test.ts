import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TopicStore } from "./topic-store.ts";

const LIMITS = { topics: 3, keptBytes: 10_000, payloadBytes: 5_000, topicBytes: 20 };

describe("the topics that are kept", () => {
  it("have the last message of each", () => {
    const store = new TopicStore(LIMITS);
    assert.deepEqual(
      [take(store, "a", "1"), take(store, "a", "2"), take(store, "b", "1")],
      ["added", "changed", "added"],
    );
    assert.equal(store.get("a")?.payload?.toString(), "2");
    assert.deepEqual([take(store, "a", ""), take(store, "a", "")], ["removed", "none"]);
    assert.equal(store.size, 1);
  });

  it("are those that were heard last, where there are too many", () => {
    const store = new TopicStore(LIMITS);
    for (const topic of ["a", "b", "c", "a", "d"]) take(store, topic, "1");
    assert.deepEqual(
      [...store.all()].map(({ topic }) => topic),
      ["c", "a", "d"],
    );
    assert.equal(store.forgotten, 1);
  });

  it("do not take more bytes than they may, whatever comes", () => {
    const store = new TopicStore(LIMITS);
    for (const topic of ["a", "b", "c"]) take(store, topic, "x".repeat(4_900));
    assert.deepEqual(
      [...store.all()].map(({ topic }) => topic),
      ["c"],
    );
    take(store, "large", "x".repeat(6_000));
    assert.deepEqual([store.get("large")?.payload, store.get("large")?.bytes], [undefined, 6_000]);
    assert.equal(take(store, "t".repeat(21), "1"), "none");
  });

  it("hold on to no more than the payload itself", () => {
    const store = new TopicStore(LIMITS);
    const chunk = Buffer.alloc(100_000, 1);
    store.take("a", chunk.subarray(0, 3), false, 0);
    assert.notEqual(store.get("a")?.payload?.buffer, chunk.buffer);
  });
});

function take(store: TopicStore, topic: string, payload: string): string {
  return store.take(topic, Buffer.from(payload), false, Date.now());
}
