/** How an event of a file is repeated: RRULE, RDATE and EXDATE. A rule that is not understood is kept, and said so. */
import { type CalendarEvent, keptWall, type Series } from "../event.ts";
import { keptForm } from "../occurrences.ts";
import { lastOf } from "../series/last.ts";
import { parseRule } from "../series/rule.ts";
import { UTC, zoneNamed } from "../time/zone.ts";
import { type Component, lineIn, linesIn } from "./component.ts";
import type { Reading } from "./read-event.ts";
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
