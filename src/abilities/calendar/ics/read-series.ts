/** How an event of a file is repeated: RRULE, RDATE and EXDATE. A rule that is not understood is kept, and said so. */
import { type CalendarEvent, keptWall, type Series } from "../event.ts";
import { keptForm } from "../occurrences.ts";
import { type Budget, expand } from "../series/expand.ts";
import { parseRule, type Rule } from "../series/rule.ts";
import { DAY_MS, parseIso, SECOND_MS, type Wall } from "../time/wall.ts";
import { UTC, type Zone, zoneNamed } from "../time/zone.ts";
import type { Reading } from "./read-event.ts";
import { type Component, lineIn, linesIn } from "./syntax.ts";
import { startAs, timesIn } from "./times.ts";

type Repeated = Pick<CalendarEvent, "start" | "zone" | "title">;

const MOST_DATES = 2_000;

/** Undefined where it takes place once. */
export function seriesIn(component: Component, event: Repeated, reading: Reading): Series | undefined {
  const rule = lineIn(component, "RRULE")?.value.trim();
  const also = datesIn(component, "RDATE", event, reading);
  const without = datesIn(component, "EXDATE", event, reading);
  if (!rule && also.length === 0) return undefined;
  return {
    ...(rule ? ruled(component, rule, event, reading) : {}),
    ...(also.length === 0 ? {} : { also }),
    ...(without.length === 0 ? {} : { without }),
  };
}

function ruled(component: Component, text: string, event: Repeated, reading: Reading): Series {
  // Two rules at once, or the rules for exceptions of old, are nobody's any more.
  const isAlone = linesIn(component, "RRULE").length === 1 && !lineIn(component, "EXRULE");
  const rule = isAlone ? parseRule(text) : undefined;
  const zone = event.zone === undefined ? reading.house : (zoneNamed(event.zone) ?? UTC);
  const last = rule ? lastOf(rule, keptWall(event.start), zone, reading.budget) : "unknown";
  if (last === "unknown") {
    reading.warn("calendar.warnRule", { title: event.title.slice(0, 60), rule: text.slice(0, 200) });
    return { rule: text.slice(0, 500), unexpanded: true };
  }
  return last === undefined ? { rule: text } : { rule: text, last: keptForm(event, last) };
}

function datesIn(component: Component, name: "RDATE" | "EXDATE", event: Repeated, reading: Reading): string[] {
  const times = linesIn(component, name).flatMap((line) => timesIn(line, reading.find));
  return [...new Set(times.map((time) => startAs(event, time, reading.house)))].slice(0, MOST_DATES);
}

/**
 * The last start that COUNT and UNTIL let a series have, found out once when it is taken up; undefined where it has no
 * end, "unknown" where it cannot be told, or not within the budget.
 */
export function lastOf(rule: Rule, start: Wall, zone: Zone, budget: Budget): Wall | undefined | "unknown" {
  const until = rule.until === undefined ? undefined : untilIn(rule.until, zone);
  if (rule.until !== undefined && until === undefined) return "unknown";
  if (rule.count === undefined) return until;
  const counted = countedTo(rule, start, rule.count, budget);
  return counted === "unknown" || until === undefined ? counted : Math.min(counted, until);
}

function countedTo(rule: Rule, start: Wall, count: number, budget: Budget): Wall | "unknown" {
  let [last, found] = [start, 0];
  for (const wall of expand(rule, start, { from: start, to: Infinity }, budget)) {
    last = wall;
    if (++found === count) return last;
  }
  return budget.isSpent ? "unknown" : last;
}

/** A day alone counts in full. */
function untilIn(text: string, zone: Zone): Wall | undefined {
  const written = parseIso(text);
  if (!written) return undefined;
  if (written.dateOnly) return written.wall + DAY_MS - SECOND_MS;
  return written.offsetMs === undefined ? written.wall : zone.wallAt(written.wall - written.offsetMs);
}
