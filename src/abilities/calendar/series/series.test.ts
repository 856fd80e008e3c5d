/** Rules of recurrence, held against a second implementation: ical.js, which shares no line with ours. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import ICAL from "ical.js";
import { fc } from "../../../../test/support/seed.ts";
import { lastOf } from "../ics/read-series.ts";
import { isoOf, type Wall } from "../time/wall.ts";
import { UTC, zoneNamed } from "../time/zone.ts";
import { Budget, expand } from "./expand.ts";
import { parseRule, type Rule } from "./rule.ts";

const PLENTY = 10_000_000;
const WIDE = { from: Date.UTC(1990, 0, 1), to: Date.UTC(2099, 11, 31) };

describe("a rule of recurrence", () => {
  const rules: readonly (readonly [string, string, readonly string[]])[] = [
    ["FREQ=DAILY;INTERVAL=10", "2026-01-01", ["2026-01-01", "2026-01-11", "2026-01-21"]],
    ["FREQ=WEEKLY;BYDAY=TU,TH", "2026-01-01", ["2026-01-01", "2026-01-06", "2026-01-08"]],
    ["FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO", "2026-01-05", ["2026-01-05", "2026-01-18", "2026-01-19"]],
    ["FREQ=MONTHLY", "2026-01-31", ["2026-01-31", "2026-03-31", "2026-05-31"]],
    ["FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31", ["2026-01-31", "2026-02-28", "2026-03-31"]],
    ["FREQ=MONTHLY;BYDAY=2MO", "2026-01-12", ["2026-01-12", "2026-02-09", "2026-03-09"]],
    ["FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-01-30", ["2026-01-30", "2026-02-27", "2026-03-31"]],
    ["FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "2026-02-13", ["2026-02-13", "2026-03-13", "2026-11-13"]],
    ["FREQ=YEARLY", "2024-02-29", ["2024-02-29", "2028-02-29", "2032-02-29"]],
    ["FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "2026-03-29", ["2026-03-29", "2027-03-28", "2028-03-26"]],
    ["FREQ=YEARLY;BYDAY=20MO", "1997-05-19", ["1997-05-19", "1998-05-18", "1999-05-17"]],
    ["freq=daily;bymonth=1;bymonthday=1,-1", "2026-01-01", ["2026-01-01", "2026-01-31", "2027-01-01"]],
  ];
  for (const [text, start, expected] of rules) {
    it(`${text} from ${start}`, () => assert.deepEqual(first(text, start, 3), expected));
  }

  const unknown = [
    "",
    "FREQ=HOURLY",
    "FREQ=DAILY;BYHOUR=9",
    "FREQ=YEARLY;BYWEEKNO=20",
    "FREQ=YEARLY;BYYEARDAY=1",
    "FREQ=DAILY;X=1",
    "FREQ=DAILY;INTERVAL=0",
    "FREQ=DAILY;INTERVAL=-1",
    "FREQ=DAILY;COUNT=x",
    "FREQ=DAILY;COUNT=99999999999",
    "FREQ=WEEKLY;BYDAY=2MO",
    "FREQ=WEEKLY;BYMONTHDAY=1",
    "FREQ=MONTHLY;BYDAY=XX",
    "FREQ=MONTHLY;BYMONTHDAY=0",
    "FREQ=YEARLY;BYMONTHDAY=1;BYDAY=20MO",
    "FREQ=DAILY;FREQ=WEEKLY",
    "FREQ=DAILY;WKST=XX",
    `FREQ=DAILY;BYMONTH=${"1,".repeat(1_000)}1`,
  ];
  for (const text of unknown)
    it(`does not guess at ${text.slice(0, 40)}`, () => assert.equal(parseRule(text), undefined));

  it("falls on the same days as another implementation has it", () => {
    fc.assert(
      fc.property(ruleText(), fc.integer({ min: 0, max: 1_500 }), (text, dayOfStart) => {
        // What a start means on which the rule does not fall, RFC 5545 leaves open.
        const [start] = expand(rule(text), Date.UTC(2023, 0, 1 + dayOfStart, 9, 30), WIDE, new Budget(PLENTY));
        assert.ok(start !== undefined, text);
        assert.deepEqual(starts(rule(text), start, 20), theirs(text, start, 20), `${text} from ${isoOf(start)}`);
      }),
      { numRuns: 400 },
    );
  });

  it("is the same wherever one begins to look", () => {
    fc.assert(
      fc.property(ruleText(), fc.integer({ min: 0, max: 3_000 }), (text, days) => {
        const start = Date.UTC(2023, 4, 17, 9, 30);
        const range = { from: start + days * 86_400_000, to: start + (days + 800) * 86_400_000 };
        const whole = [...expand(rule(text), start, { from: start, to: range.to }, new Budget(PLENTY))];
        const late = [...expand(rule(text), start, range, new Budget(PLENTY))];
        assert.deepEqual(
          late.filter((wall) => wall >= range.from),
          whole.filter((wall) => wall >= range.from),
        );
      }),
      { numRuns: 200 },
    );
  });

  it("costs next to nothing for a birthday of 1604", () => {
    const budget = new Budget(200);
    const range = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 11, 31) };
    assert.deepEqual([...expand(rule("FREQ=YEARLY"), Date.UTC(1604, 2, 1), range, budget)].map(isoOf), [
      "2026-03-01T00:00:00",
    ]);
    assert.equal(budget.isSpent, false);
  });

  it("that never falls ends with the time that is asked about, and one without an end with the budget", () => {
    const never = rule("FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30");
    const start = Date.UTC(2026, 0, 1);
    assert.deepEqual([...expand(never, start, { from: start, to: Date.UTC(2027, 0, 1) }, new Budget(PLENTY))], []);
    assert.equal(
      [...expand(rule("FREQ=DAILY"), start, { from: start, to: Infinity }, new Budget(1_000))].length,
      1_000,
    );
  });
});

describe("the end of a series", () => {
  const start = Date.UTC(2026, 0, 1, 10);
  const madrid = zoneNamed("Europe/Madrid") ?? UTC;
  const lasts: readonly (readonly [string, string | undefined])[] = [
    ["FREQ=DAILY", undefined],
    ["FREQ=DAILY;COUNT=10", "2026-01-10T10:00:00"],
    ["FREQ=MONTHLY;BYDAY=2MO;COUNT=2", "2026-02-09T10:00:00"],
    ["FREQ=DAILY;UNTIL=20260105", "2026-01-05T23:59:59"],
    ["FREQ=DAILY;UNTIL=20260105T120000", "2026-01-05T12:00:00"],
    ["FREQ=DAILY;UNTIL=20260705T120000Z", "2026-07-05T14:00:00"],
    ["FREQ=DAILY;COUNT=10;UNTIL=20260105", "2026-01-05T23:59:59"],
  ];
  for (const [text, expected] of lasts) {
    it(text, () => {
      const last = lastOf(rule(text), start, madrid, new Budget(PLENTY));
      assert.equal(typeof last === "number" ? isoOf(last) : last, expected);
    });
  }

  it("is not known where it cannot be read or found", () => {
    assert.equal(lastOf(rule("FREQ=DAILY;UNTIL=soon"), start, UTC, new Budget(PLENTY)), "unknown");
    assert.equal(lastOf(rule("FREQ=DAILY;COUNT=9999"), start, UTC, new Budget(100)), "unknown");
  });
});

/** Rules that RFC 5545 allows and both implementations understand. */
function ruleText(): fc.Arbitrary<string> {
  const weekdays = fc.subarray(["MO", "TU", "WE", "TH", "FR", "SA", "SU"], { minLength: 1, maxLength: 4 });
  const interval = fc.integer({ min: 1, max: 4 }).map((each) => `INTERVAL=${each}`);
  const months = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 });
  const inMonths = months.map((each) => `BYMONTH=${each.sort((a, b) => a - b).join(",")}`);
  const byDay = weekdays.map((days) => `BYDAY=${days.join(",")}`);
  const nth = fc.constantFrom(1, 2, 3, 4, -1, -2);
  const byNth = fc.tuple(nth, fc.constantFrom("MO", "WE", "SU")).map(([number, day]) => `BYDAY=${number}${day}`);
  const byMonthDay = fc.constantFrom("1", "15", "28", "31", "-1", "5,20").map((days) => `BYMONTHDAY=${days}`);
  // Of the 31st of April ical.js makes the 1st of May, and of the last of January the 30th.
  const byOrdinaryDay = fc.constantFrom("1", "15", "28", "5,20").map((days) => `BYMONTHDAY=${days}`);
  return fc.oneof(
    joined(fc.constant("FREQ=DAILY"), interval, fc.option(byDay), fc.option(inMonths)),
    joined(fc.constant("FREQ=WEEKLY"), interval, fc.option(byDay), fc.constantFrom("WKST=MO", "WKST=SU")),
    joined(fc.constant("FREQ=MONTHLY"), interval, fc.oneof(byDay, byNth, byMonthDay)),
    joined(fc.constant("FREQ=YEARLY"), interval, inMonths, fc.oneof(byNth, byOrdinaryDay)),
    joined(fc.constant("FREQ=YEARLY"), interval),
  );
}

function joined(...parts: readonly fc.Arbitrary<string | null>[]): fc.Arbitrary<string> {
  return fc.tuple(...parts).map((each) => each.filter((part) => part !== null).join(";"));
}

function rule(text: string): Rule {
  const parsed = parseRule(text);
  assert.ok(parsed, text);
  return parsed;
}

function first(text: string, start: string, count: number): string[] {
  return starts(rule(text), Date.parse(`${start}T00:00:00Z`), count).map((each) => each.slice(0, 10));
}

function starts(parsed: Rule, start: Wall, count: number): string[] {
  const found: string[] = [];
  for (const wall of expand(parsed, start, WIDE, new Budget(PLENTY))) {
    if (found.push(isoOf(wall)) === count) break;
  }
  return found;
}

function theirs(text: string, start: Wall, count: number): string[] {
  const iterator = ICAL.Recur.fromString(text).iterator(ICAL.Time.fromString(isoOf(start), undefined));
  const found: string[] = [];
  for (let next = iterator.next(); next && found.length < count && next.year < 2100; next = iterator.next()) {
    found.push(next.toString());
  }
  return found;
}
