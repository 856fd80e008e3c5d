import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { namedRange } from "../query.ts";
import { isoOf, parseIso, type Wall } from "./wall.ts";
import { fixedZoneName, localIso, type Zone, zoneNamed } from "./zone.ts";

describe("a time that somebody wrote", () => {
  const readable: readonly (readonly [string, string, number | undefined])[] = [
    ["2024-01-01T10:00:00", "2024-01-01T10:00:00", undefined],
    ["2024-01-01 10:00", "2024-01-01T10:00:00", undefined],
    ["2024-01-01t10", "2024-01-01T10:00:00", undefined],
    ["20240101T101530", "2024-01-01T10:15:30", undefined],
    ["2024-01-01T10:00:00.123456", "2024-01-01T10:00:00", undefined],
    ["2024-01-01T10:00:00Z", "2024-01-01T10:00:00", 0],
    ["2024-01-01T10:00:00.5+08:00", "2024-01-01T10:00:00", 8 * 3_600_000],
    ["2024-01-01T10:00-0330", "2024-01-01T10:00:00", -3.5 * 3_600_000],
    ["2024-02-29", "2024-02-29T00:00:00", undefined],
    ["  0099-12-31T23:59:60 ", "0099-12-31T23:59:59", undefined],
  ];
  for (const [text, wall, offsetMs] of readable) {
    it(`reads ${text}`, () => {
      const time = parseIso(text);
      assert.deepEqual([isoOf(time?.wall ?? 0), time?.offsetMs], [wall, offsetMs]);
    });
  }

  it("knows a day without a time", () =>
    assert.deepEqual(
      ["2024-01-01", "20240101", "2024-01-01T00:00"].map((text) => parseIso(text)?.dateOnly),
      [true, true, false],
    ));

  const unreadable = [
    "",
    "tomorrow",
    "2024",
    "2024-13-01",
    "2023-02-29",
    "2024-01-00",
    "0000-01-01",
    "2024-01-01T",
    "2024-01-01T24:00",
    "2024-01-01T10:60",
    "2024-01-01T10:00:00+25:00",
    "2024-01-01T10:00:00+01:75",
    "10:00",
    "2024-01-01T10:00:00X",
    "2024-01-01T10:00:00 tomorrow at the latest, please",
  ];
  for (const text of unreadable) it(`refuses "${text}"`, () => assert.equal(parseIso(text), undefined));
});

describe("the clocks of the world", () => {
  const madrid = zone("Europe/Madrid");

  it("are ahead of UTC by what the season makes of it", () => {
    assert.equal(utc(madrid, "2026-07-01T10:00:00"), "2026-07-01T08:00:00.000Z");
    assert.equal(utc(madrid, "2026-12-01T10:00:00"), "2026-12-01T09:00:00.000Z");
    assert.equal(utc(zone("Asia/Kathmandu"), "2026-07-01T10:00:00"), "2026-07-01T04:15:00.000Z");
    assert.equal(utc(zone("+05:30"), "2026-07-01T10:00:00"), "2026-07-01T04:30:00.000Z");
  });

  it("show an hour that comes twice for the first time", () => {
    assert.equal(utc(madrid, "2026-10-25T02:30:00"), "2026-10-25T00:30:00.000Z");
    assert.equal(localIso(Date.parse("2026-10-25T01:30:00Z"), madrid), "2026-10-25T02:30:00");
  });

  it("tell an hour that is left out by the clock before", () => {
    assert.equal(utc(madrid, "2026-03-29T02:30:00"), "2026-03-29T01:30:00.000Z");
    assert.equal(utc(zone("America/New_York"), "2026-03-08T02:30:00"), "2026-03-08T07:30:00.000Z");
  });

  it("show every hour of a year as it is", () => {
    for (const name of [
      "Europe/Madrid",
      "America/New_York",
      "Australia/Lord_Howe",
      "Asia/Shanghai",
      "Africa/Casablanca",
    ]) {
      const place = zone(name);
      for (let instant = Date.UTC(2026, 0, 1); instant < Date.UTC(2027, 0, 1); instant += 6 * 3_600_000) {
        const shown = place.wallAt(instant);
        assert.equal(place.wallAt(place.instantOf(shown)), shown, `${name} ${new Date(instant).toISOString()}`);
      }
    }
  });

  it("are known by their names only", () => {
    assert.deepEqual(
      ["Mars/Olympus", "", "x".repeat(1_000), "Europe/Madrid\n"].map((name) => zoneNamed(name)),
      [undefined, undefined, undefined, undefined],
    );
    assert.deepEqual(
      [0, 5.5, -9.5, 14].map((hours) => fixedZoneName(hours * 3_600_000)),
      ["UTC", "+05:30", "-09:30", "+14:00"],
    );
  });
});

describe("a stretch of time by its name", () => {
  /** A Wednesday. */
  const now = wall("2026-12-30T15:45:12");
  const ranges: readonly (readonly [string, string, string])[] = [
    ["today", "2026-12-30T00:00:00", "2026-12-31T00:00:00"],
    ["今天", "2026-12-30T00:00:00", "2026-12-31T00:00:00"],
    ["tomorrow", "2026-12-31T00:00:00", "2027-01-01T00:00:00"],
    ["明天", "2026-12-31T00:00:00", "2027-01-01T00:00:00"],
    ["week", "2026-12-28T00:00:00", "2027-01-04T00:00:00"],
    ["本周", "2026-12-28T00:00:00", "2027-01-04T00:00:00"],
    ["month", "2026-12-01T00:00:00", "2027-01-01T00:00:00"],
    ["本月", "2026-12-01T00:00:00", "2027-01-01T00:00:00"],
    [" Esta Semana ", "2026-12-28T00:00:00", "2027-01-04T00:00:00"],
  ];
  for (const [name, from, to] of ranges) {
    it(name, () => {
      const range = namedRange(name, now);
      assert.deepEqual([isoOf(range?.from ?? 0), isoOf(range?.to ?? 0)], [from, to]);
    });
  }

  it("begins a week on Monday, on Mondays and Sundays too", () => {
    for (const day of ["2026-12-28T00:00:00", "2027-01-03T23:59:59"]) {
      assert.equal(namedRange("week", wall(day))?.from, wall("2026-12-28T00:00:00"), day);
    }
  });

  it("knows no other words", () => assert.equal(namedRange("yesterday", now), undefined));
});

function zone(name: string): Zone {
  const found = zoneNamed(name);
  assert.ok(found, name);
  return found;
}

function utc(place: Zone, text: string): string {
  return new Date(place.instantOf(wall(text))).toISOString();
}

function wall(text: string): Wall {
  return Date.parse(`${text}Z`);
}
