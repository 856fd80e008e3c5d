/** Counters by name, by duration and by day. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DailyTally, DurationTally, NamedTally } from "./tallies.ts";

describe("a tally by name", () => {
  it("counts each name and column apart, and tells only what was counted", () => {
    const tally = new NamedTally(["ok", "failed"], 10, "other");
    tally.add("lamp", 0);
    tally.add("lamp", 0);
    tally.add("door", 1);
    assert.deepEqual(tally.entries(), [
      { name: "lamp", column: "ok", count: 2 },
      { name: "door", column: "failed", count: 1 },
    ]);
  });

  it("is bounded: names beyond share one, and lose nothing", () => {
    const tally = new NamedTally(["ok"], 1_000, "other");
    for (let name = 0; name < 5_000; name++) tally.add(`source ${name}`, 0);
    tally.add("source 7", 0);
    const entries = tally.entries();
    assert.equal(entries.length, 1_001);
    assert.equal(entries.find(({ name }) => name === "other")?.count, 4_000);
    assert.equal(entries.find(({ name }) => name === "source 7")?.count, 2);
  });
});

describe("a tally of durations", () => {
  it("counts within each bound all that stayed within it, the bound itself included", () => {
    const tally = new DurationTally([0.1, 0.5, 1]);
    for (const ms of [1, 100, 100.001, 400, 1_000, 5_000]) tally.add(ms * 1_000);
    assert.deepEqual(tally.withinBounds(), [2, 4, 5, 6]);
    assert.ok(Math.abs(tally.sumSeconds - 6.601001) < 1e-9);
  });

  it("is empty at first", () => {
    const tally = new DurationTally([0.1]);
    assert.deepEqual([tally.withinBounds(), tally.sumSeconds], [[0, 0], 0]);
  });
});

describe("a tally of today", () => {
  const MIDNIGHT = Date.parse("2026-03-01T00:00:00Z") / 1_000;

  it("begins anew at midnight UTC, whether somebody adds or asks", () => {
    const tally = new DailyTally();
    tally.add(MIDNIGHT - 60, 3);
    tally.add(MIDNIGHT - 1, 2);
    assert.equal(tally.today(MIDNIGHT - 1), 5);
    assert.equal(tally.today(MIDNIGHT), 0);
    tally.add(MIDNIGHT + 1, 1);
    assert.equal(tally.today(MIDNIGHT + 2), 1);
  });
});
