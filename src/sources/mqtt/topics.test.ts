import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isFilter, isTopic, matches, shown, topicOf, uriOf } from "./topics.ts";

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
