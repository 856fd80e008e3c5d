/** A whole calendar as iCalendar text. */
import { type CalendarEvent, DEFAULT_CATEGORY, isAllDay, keptWall, zoneOf } from "../event.ts";
import { basicDateOf, basicOf, DAY_MS, HOUR_MS, MINUTE_MS } from "../time/wall.ts";
import { UTC, type Zone } from "../time/zone.ts";
import { escaped, folded, writeLine } from "./syntax.ts";
import { triggerOf } from "./times.ts";

/** How far ahead the clocks of a series without an end are told. */
const AHEAD_MS = 10 * 366 * DAY_MS;
/** 1970: events before it are written with the offset of that time. */
const OLDEST = 0;
/** Hardly anybody has more; those beyond stand under their common name alone. */
const MOST_ZONES = 30;

export function calendarText(events: readonly CalendarEvent[], house: Zone, now: number): string {
  const all = new Map(events.map((event) => [event.id, event]));
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Zaguan//Calendar//EN",
    "CALSCALE:GREGORIAN",
    ...zonesOf(events, house, now),
    ...events.flatMap((event) => eventLines(event, house, all)),
    "END:VCALENDAR",
  ];
  return lines.map(folded).join("");
}

/** A VTIMEZONE for each zone in use, with its changes from the zone's first event to its last. */
function zonesOf(events: readonly CalendarEvent[], house: Zone, now: number): string[] {
  const spans = new Map<string, { readonly zone: Zone; from: number; to: number }>();
  for (const event of events) {
    const zone = zoneOf(event, house);
    if (isAllDay(event) || zone.name === UTC.name) continue;
    const span = spans.get(zone.name) ?? { zone, from: Infinity, to: -Infinity };
    spans.set(zone.name, span);
    span.from = Math.min(span.from, keptWall(event.start) - 2 * DAY_MS);
    span.to = Math.max(span.to, lastOf(event, now) + 2 * DAY_MS);
  }
  return [...spans.values()].slice(0, MOST_ZONES).flatMap(({ zone, from, to }) => {
    const first = Math.max(OLDEST, Math.min(from, now));
    return timeZoneLines(zone, tzidOf(zone), first, Math.max(first, Math.min(to, now + AHEAD_MS)));
  });
}

function lastOf({ end, series }: CalendarEvent, now: number): number {
  if (!series) return keptWall(end);
  return series.last === undefined ? now + AHEAD_MS : keptWall(series.last);
}

function eventLines(event: CalendarEvent, house: Zone, all: ReadonlyMap<string, CalendarEvent>): string[] {
  const { description, location, category } = event;
  return [
    "BEGIN:VEVENT",
    writeLine("UID", event.instead?.of ?? event.id),
    writeLine("DTSTAMP", instant(event.updated)),
    writeLine("CREATED", instant(event.created)),
    writeLine("LAST-MODIFIED", instant(event.updated)),
    writeLine("SEQUENCE", String(event.sequence)),
    ...(event.instead ? [timeLine("RECURRENCE-ID", event.instead.at, event.instead, house)] : []),
    timeLine("DTSTART", event.start, event, house),
    timeLine("DTEND", event.end, event, house),
    ...seriesLines(event, house, all),
    writeLine("SUMMARY", escaped(event.title)),
    ...(description === "" ? [] : [writeLine("DESCRIPTION", escaped(description))]),
    ...(location ? [writeLine("LOCATION", escaped(location))] : []),
    ...(category === DEFAULT_CATEGORY ? [] : [writeLine("CATEGORIES", escaped(category))]),
    ...(event.lines ?? []),
    ...alarmLines(event),
    "END:VEVENT",
  ];
}

/** What a zone is called in TZID: an offset alone would not pass for a name. */
function tzidOf(zone: Zone): string {
  return /^[+-]\d/.test(zone.name) ? `UTC${zone.name.replace(":", "")}` : zone.name;
}

function seriesLines(event: CalendarEvent, house: Zone, all: ReadonlyMap<string, CalendarEvent>): string[] {
  const { series } = event;
  if (!series) return [];
  // A day that was left to another event, which is gone by now, does not take place.
  const lost = (series.elsewhere ?? []).filter((start) => !all.has(`${event.id}/${start}`));
  const without = [...(series.without ?? []), ...lost];
  return [
    ...(series.rule ? [writeLine("RRULE", series.rule)] : []),
    ...(series.also ?? []).map((start) => timeLine("RDATE", start, event, house)),
    ...without.map((start) => timeLine("EXDATE", start, event, house)),
  ];
}

function timeLine(name: string, kept: string, event: Pick<CalendarEvent, "zone">, house: Zone): string {
  const wall = keptWall(kept);
  if (isAllDay({ start: kept })) return writeLine(name, basicDateOf(wall), { VALUE: "DATE" });
  const zone = event.zone ?? house.name;
  if (zone === "UTC") return writeLine(name, `${basicOf(wall)}Z`);
  return writeLine(name, basicOf(wall), { TZID: tzidOf({ ...house, name: zone }) });
}

function alarmLines({ reminder, title }: CalendarEvent): string[] {
  if (reminder === null) return [];
  return [
    "BEGIN:VALARM",
    "ACTION:DISPLAY",
    writeLine("DESCRIPTION", escaped(title)),
    writeLine("TRIGGER", triggerOf(reminder)),
    "END:VALARM",
  ];
}

function instant(ms: number): string {
  return `${basicOf(Math.floor(ms / 1_000) * 1_000)}Z`;
}

interface ClockChange {
  /** Instant. */
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** The step by which changes of the clock are looked for: shorter than any summer time, so that none is missed. */
const STEP_MS = 7 * DAY_MS;

/**
 * VTIMEZONE for instants from the first to the second, out of what the platform knows: RFC 5545 wants one for every
 * TZID, and readers without a list of zones of their own need it. Every change of the clock is written down, rather
 * than a rule guessed at.
 */
function timeZoneLines(zone: Zone, tzid: string, from: number, to: number): string[] {
  const first = zone.offsetAt(from);
  const changes = [{ at: from, before: first, after: first }, ...changesOf(zone, from, to)];
  const least = Math.min(...changes.map(({ after }) => after));
  return [
    "BEGIN:VTIMEZONE",
    `TZID:${tzid}`,
    ...changes.flatMap((change) => observance(change, change.after > least ? "DAYLIGHT" : "STANDARD")),
    "END:VTIMEZONE",
  ];
}

function observance({ at, before, after }: ClockChange, kind: "STANDARD" | "DAYLIGHT"): string[] {
  // The beginning is told by the clock that nobody has put forward yet.
  const start = `DTSTART:${basicOf(Math.floor((at + before) / MINUTE_MS) * MINUTE_MS)}`;
  return [`BEGIN:${kind}`, start, `TZOFFSETFROM:${offset(before)}`, `TZOFFSETTO:${offset(after)}`, `END:${kind}`];
}

function changesOf(zone: Zone, from: number, to: number): ClockChange[] {
  const changes: ClockChange[] = [];
  for (let start = from; start < to; start += STEP_MS) {
    const [before, after] = [zone.offsetAt(start), zone.offsetAt(start + STEP_MS)];
    if (before !== after) changes.push({ at: changeBetween(zone, start, start + STEP_MS), before, after });
  }
  return changes;
}

/** The first instant that is not as at the beginning. */
function changeBetween(zone: Zone, from: number, to: number): number {
  const before = zone.offsetAt(from);
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** "+0530"; seconds, of the times before there were zones, are left out. */
function offset(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / MINUTE_MS);
  const hours = Math.floor((minutes * MINUTE_MS) / HOUR_MS);
  return `${ms < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}${String(minutes % 60).padStart(2, "0")}`;
}
