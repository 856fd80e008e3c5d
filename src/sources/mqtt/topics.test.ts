import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isFilter, isTopic, matches, shown, TopicStore, topicOf, uriOf } from "./topics.ts";

describe("filters", () => {
  const cases: readonly (readonly [filter: string, topic: string, fits: boolean])[] = [
    ["#", "a", true],
    ["#", "a/b/c", true],
    ["#", "/a", true],
    ["#", "$SYS/broker/uptime", false],
    ["+/broker/uptime", "$SYS/broker/uptime", false],
    ["$SYS/#", "$SYS/broker/uptime", true],
    ["a/#", "a", true],
    ["a/#", "ab", false],
    ["a/+", "a/b", true],
    ["a/+", "a", false],
    ["a/+", "a/b/c", false],
    ["+/+", "/b", true],
    ["a/+/c", "a//c", true],
    ["a/b", "a/b/", false],
    ["A", "a", false],
  ];
  for (const [filter, topic, fits] of cases) {
    it(`${filter} ${fits ? "matches" : "does not match"} ${topic}`, () => assert.equal(matches(filter, topic), fits));
  }

  it("are told from what is none", () => {
    for (const good of ["#", "+", "a/+/b/#", "/", "a b", "$SYS/#"]) assert.ok(isFilter(good), good);
    for (const bad of ["", "a#", "#/a", "a+/b", "a\0", "\ud800", "x".repeat(70_000)])
      assert.ok(!isFilter(bad), bad.slice(0, 9));
    for (const bad of ["", "#", "a/+", "a\0b"]) assert.ok(!isTopic(bad), bad);
  });
});

describe("the URI of a topic", () => {
  it("comes back as the topic that it was made of, and is a URI", () => {
    const topics = [
      "a/b",
      "a//b",
      "/a",
      "a/",
      "Wohnzimmer/Lampe groß",
      "日本/灯",
      "a b",
      "a%2Fb",
      "50%",
      "a?b",
      "🏠",
      "a/../b",
      "./a",
    ];
    for (const topic of topics) {
      const uri = uriOf("flat", topic);
      assert.equal(topicOf("flat", uri), topic, uri);
      assert.equal(new URL(uri).href, uri, "nobody who parses it makes another of it");
    }
    assert.equal(uriOf("flat", "zigbee2mqtt/Kitchen lamp"), "mqtt://flat/zigbee2mqtt/Kitchen%20lamp");
  });

  it("is none where it is another's, or no topic", () => {
    const bad = [
      "mqtt://house/a",
      "mqtt://flat",
      "mqtt://flat/",
      "mqtt://flat/%",
      "mqtt://flat/a/%23",
      "mqtt://flat/%2B",
      "hass://flat/a",
    ];
    for (const uri of bad) assert.equal(topicOf("flat", uri), undefined, uri);
  });
});

it("texts of strangers are shown on one line, in a length to read, without what cannot be seen", () => {
  assert.equal(shown("  Lamp\n\tof\u202Ethe \u0007house\u200B ", 100), "Lamp ofthe house");
  assert.equal(shown("x".repeat(10_000), 10), "xxxxxxxxx…");
  assert.equal(shown("👩‍👧 房间", 100), "👩‍👧 房间");
  assert.ok(shown("🏠".repeat(1_000), 10).isWellFormed());
});

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
