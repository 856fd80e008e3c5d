/** A whole calendar as iCalendar text. */
import { type CalendarEvent, isAllDay, keptWall, zoneOf } from "../event.ts";
import { DAY_MS } from "../time/wall.ts";
import { UTC, type Zone } from "../time/zone.ts";
import { folded } from "./lines.ts";
import { timeZoneLines } from "./vtimezone.ts";
import { eventLines, tzidOf } from "./write-event.ts";

/** How far ahead the clocks of a series without an end are told. */
const AHEAD_MS = 10 * 366 * DAY_MS;
/** Before the clocks of computers; what is older is told by the oldest clock known. */
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

/** Of each zone, from its first event to its last. */
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
